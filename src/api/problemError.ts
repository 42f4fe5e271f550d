import { QueueFullError } from '../accounts/fairQueue.ts'
import { LockedOutError, lockoutLimits } from '../accounts/lockout.ts'
import { UserFileError } from '../accounts/userFileIo.ts'
import { ForeignLockError, LockHeldError } from '../accounts/userFileLock.ts'
import { StreamsFullError } from '../base/eventStreams.ts'
import type { FieldError } from '../contracts/envelope.ts'
import type { ProblemCode } from '../contracts/problems.ts'

/** A call that fails with a problem of the table; `detail` says what happened here and how to fix it. */
export class ProblemError extends Error {
  readonly code: ProblemCode
  readonly errors: readonly FieldError[]
  readonly headers: Readonly<Record<string, string>>

  constructor(facts: {
    readonly code: ProblemCode
    readonly detail: string
    readonly errors?: readonly FieldError[]
    readonly headers?: Readonly<Record<string, string>>
  }) {
    super(facts.detail)
    this.name = 'ProblemError'
    this.code = facts.code
    this.errors = facts.errors ?? []
    this.headers = facts.headers ?? {}
  }
}

const soon = { 'Retry-After': '1' }

function ofLockout({ seconds }: LockedOutError): ProblemError {
  const minutes = lockoutLimits.window / 60_000
  const detail =
    `${lockoutLimits.failures} logins with this user name from your address failed within ${minutes} minutes, or ` +
    `are being checked. Try again in ${seconds} s. A login that worked before still works.`
  return new ProblemError({ code: 'locked-out', detail, headers: { 'Retry-After': String(seconds) } })
}

/** Translates any error into a problem. An unknown one is `internal`: a bug, of which the caller learns nothing. */
export function toProblem(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error
  if (error instanceof QueueFullError || error instanceof LockHeldError) {
    const what = error instanceof QueueFullError ? 'password checks' : 'user changes'
    const detail = `Too many ${what} are waiting. Try again in a second.`
    return new ProblemError({ code: 'busy', detail, headers: soon })
  }
  if (error instanceof StreamsFullError) {
    return new ProblemError({ code: 'busy', detail: error.message, headers: { 'Retry-After': '5' } })
  }
  if (error instanceof LockedOutError) return ofLockout(error)
  if (error instanceof UserFileError || error instanceof ForeignLockError) {
    const detail = 'The server cannot read its users. Its log on this host shows the reason.'
    return new ProblemError({ code: 'not-ready', detail })
  }
  const detail = 'The server failed. Its log shows the details under the request id.'
  return new ProblemError({ code: 'internal', detail })
}
