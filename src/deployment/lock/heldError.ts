import { StepError } from '../stepError.ts'
import type { HeldLock } from './answer.ts'

/** Who a lock belongs to, in words. */
export const holderWords = ({ owner }: HeldLock): string =>
  owner === undefined
    ? 'an unknown user'
    : `\`muster ${owner.operation}\` of ${owner.user} on ${owner.machine} (run ${owner.id}, process ${owner.pid})`

/** Another run is at work on a host. */
export function heldError(options: {
  readonly host: string
  readonly lock: HeldLock
  /** Whether its owner's process is on this machine. */
  readonly here: boolean
}): StepError {
  const { host, lock, here } = options
  // Nobody is told to end the first process of a machine.
  const end =
    here && lock.owner !== undefined && lock.owner.pid > 1 ? `, or end it: kill ${lock.owner.pid}` : ''
  return new StepError({
    host,
    code: 'locked',
    message: `another run holds the lock of this host: ${holderWords(lock)}, since ${lock.since}, last heartbeat ${lock.idle} s ago`,
    fix: `Wait until it ends, for example with --lock-wait 5m${end}. A run whose machine is down loses the lock 30 s after its last heartbeat; \`muster lock release\` releases it at once.`,
  })
}

/** The lock could not be taken for a reason of the host's own. */
export const lockFailed = (host: string, why: string): StepError =>
  new StepError({
    host,
    code: 'lock-failed',
    message: `the lock of this host could not be taken${why === '' ? '' : `: ${why}`}`,
    fix: 'Install flock (util-linux), and make /run (as root) or the home directory (as another user) writable on the host.',
  })

/** The host did not say whether its lock is held. */
export const lockUnknown = (host: string, why: string): StepError =>
  new StepError({
    host,
    code: 'bad-answer',
    message: `the lock of this host could not be read${why === '' ? '' : `: ${why}`}`,
    fix: 'Check what the startup files of the login shell print there, then run the command again.',
  })
