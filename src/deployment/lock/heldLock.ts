import { lastLines } from '../../base/printable.ts'
import { StepError } from '../stepError.ts'
import { parseRunOwner, type RunOwner } from './runOwner.ts'

/** Lock as its host reports it. */
export type HeldLock = {
  /** Undefined if muster did not write it. */
  readonly owner: RunOwner | undefined
  /** When it was acquired, by the host's clock (RFC 3339). */
  readonly since: string
  /** Seconds since the last heartbeat, measured by the host. */
  readonly idle: number
}

/** Result of a lock script: the first line of its output. */
type LockResponse =
  | { readonly kind: 'taken' | 'free' }
  | { readonly kind: 'held'; readonly lock: HeldLock }
  | { readonly kind: 'failed'; readonly why: string }

/** Parses the first line of a lock script's output; `rest` is the output of the script that followed. */
export function parseLockResponse(output: string): {
  readonly response: LockResponse
  readonly rest: string
} {
  const end = output.indexOf('\n')
  const [line, rest] = end === -1 ? [output, ''] : [output.slice(0, end), output.slice(end + 1)]
  const [kind, ...values] = line.split('\t')
  if (kind === 'taken' || kind === 'free') return { response: { kind }, rest }
  if (kind === 'held') return { response: { kind, lock: heldLock(values) }, rest }
  return { response: { kind: 'failed', why: kind === 'failed' ? lastLines(values[0] ?? '') : '' }, rest }
}

function heldLock([idle, since, owner]: readonly string[]): HeldLock {
  return {
    owner: parseRunOwner(Buffer.from(owner ?? '', 'base64').toString('utf8')),
    since: /^[\d:TZ-]{1,32}$/.test(since ?? '') ? (since ?? '') : 'an unknown time',
    idle: /^\d{1,9}$/.test(idle ?? '') ? Number(idle) : 0,
  }
}

/** Describes the owner of a lock. */
export const describeOwner = ({ owner }: HeldLock): string =>
  owner === undefined
    ? 'an unknown user'
    : `\`muster ${owner.operation}\` of ${owner.user} on ${owner.machine} (run ${owner.id}, process ${owner.pid})`

/** Reports that another run holds the lock of a host. */
export function lockHeldError(options: {
  readonly host: string
  readonly lock: HeldLock
  /** True if the owner's process is on this machine. */
  readonly here: boolean
  /** False for a command that has neither --lock-wait nor muster at hand. */
  readonly hasLockOptions: boolean
}): StepError {
  const { host, lock, here, hasLockOptions } = options
  // Never suggest to kill process 1.
  const end =
    here && lock.owner !== undefined && lock.owner.pid > 1 ? `, or end it: kill ${lock.owner.pid}` : ''
  return new StepError({
    host,
    code: 'locked',
    message: `another run holds the lock of this host: ${describeOwner(lock)}, since ${lock.since}, last heartbeat ${lock.idle} s ago`,
    fix: `Wait until it ends${hasLockOptions ? ', for example with --lock-wait 5m' : ''}${end}. A run whose machine is down loses the lock 30 s after its last heartbeat${hasLockOptions ? '; `muster lock release` releases it at once' : ''}.`,
  })
}

/** Reports that the host could not create the lock. */
export const lockFailed = (host: string, why: string): StepError =>
  new StepError({
    host,
    code: 'lock-failed',
    message: `the lock of this host could not be acquired${why === '' ? '' : `: ${why}`}`,
    fix: 'Install flock (util-linux), and make /run (as root) or the home directory (as another user) writable on the host.',
  })

/** Reports that the state of the lock is unknown. */
export const lockUnknown = (host: string, why: string): StepError =>
  new StepError({
    host,
    code: 'bad-answer',
    message: `the lock of this host could not be read${why === '' ? '' : `: ${why}`}`,
    fix: 'Check what the startup files of the login shell print there, then run the command again.',
  })
