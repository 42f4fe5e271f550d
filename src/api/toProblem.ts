import { GateFullError } from '../accounts/gate.ts'
import { LockHeldError } from '../accounts/lockFile.ts'
import { LockedOutError, lockoutRule } from '../accounts/lockout.ts'
import { UserFileError } from '../accounts/userFileIo.ts'
import type { ProblemCode } from '../contracts/problems.ts'
import { fieldErrors, type SchemaFinding } from '../contracts/schemaFinding.ts'
import { ProblemError } from './problemError.ts'

const soon = { 'Retry-After': '1' }

/** What Fastify refuses by itself, in the words of our table. */
const ofFastify: Readonly<Record<string, readonly [ProblemCode, string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['body-too-large', 'Send at most 65,536 bytes.'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['not-json', 'Send the body as JSON, with Content-Type: application/json.'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['bad-request', 'The body is not as long as Content-Length says.'],
  FST_ERR_BAD_URL: ['bad-request', 'The path holds a percent sign that begins no character in UTF-8.'],
  FST_ERR_MAX_PARAM_LENGTH: ['bad-request', 'A part of the path is longer than anything here is named.'],
}

function ofLockout({ seconds }: LockedOutError): ProblemError {
  const minutes = lockoutRule.window / 60_000
  const detail =
    `Within ${minutes} minutes, ${lockoutRule.failures} logins with this user name from your address failed or ` +
    `are being checked. Try again in ${seconds} s; a login that worked before still works.`
  return new ProblemError({ code: 'locked-out', detail, headers: { 'Retry-After': String(seconds) } })
}

/** Findings beyond this number say nothing more. */
const mostErrors = 20

function ofValidation(findings: readonly SchemaFinding[]): ProblemError {
  const errors = findings.flatMap((finding) => fieldErrors(finding)).slice(0, mostErrors)
  const [first] = errors
  const where = first?.path ? `the member ${first.path}` : 'the body'
  return new ProblemError({
    code: 'invalid-body',
    detail: first ? `In the request, ${where} ${first.message}.` : 'The body has another shape.',
    errors,
  })
}

const member = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined

/** Any error as a problem. What is no known failure is `internal`: a bug, of which the caller learns nothing. */
export function toProblem(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error
  if (error instanceof GateFullError || error instanceof LockHeldError) {
    const what = error instanceof GateFullError ? 'passwords to check' : 'changes of users'
    const detail = `Too many ${what} are waiting. Try again in a second.`
    return new ProblemError({ code: 'busy', detail, headers: soon })
  }
  if (error instanceof LockedOutError) return ofLockout(error)
  if (error instanceof UserFileError) {
    const detail = 'The server cannot read its users. Its log on this host says why.'
    return new ProblemError({ code: 'not-ready', detail })
  }
  const findings = member(error, 'validation')
  if (Array.isArray(findings)) return ofValidation(findings)
  const [code, detail] = ofFastify[String(member(error, 'code'))] ?? []
  if (code && detail) return new ProblemError({ code, detail })
  const tell = 'This is a fault of the server. Its log holds the details under the request id.'
  return new ProblemError({ code: 'internal', detail: tell })
}
