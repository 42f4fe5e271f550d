import { StepError } from '../stepError.ts'
import type { HeldLock } from './answer.ts'

/** Who a lock belongs to, in words. */
export const holderWords = ({ owner }: HeldLock): string =>
  owner === undefined
    ? 'somebody that left no name'
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
    fix: `Wait until it has ended (--lock-wait 5m waits by itself)${end}. A run whose machine is gone loses the lock 30 s after its last heartbeat; \`muster lock release\` takes it at once.`,
  })
}

/** The lock could not be taken for a reason of the host's own. */
export const lockFailed = (host: string, why: string): StepError =>
  new StepError({
    host,
    code: 'lock-failed',
    message: `the lock of this host could not be taken${why === '' ? '' : `: ${why}`}`,
    fix: 'A run needs flock (util-linux) and, on the host, a writable /run (as root) or home directory (as anybody else).',
  })

/** The host did not say whether its lock is held. */
export const lockUnknown = (host: string, why: string): StepError =>
  new StepError({
    host,
    code: 'bad-answer',
    message: `the host does not say whether its lock is held${why === '' ? '' : `: ${why}`}`,
    fix: 'See what startup files of the login shell print there, then run the command again.',
  })
