import { boundedMessage, lastLines } from '../base/printable.ts'
import { CertificateError } from '../certificates/certificateError.ts'
import { ClientError } from '../client/clientError.ts'
import { OperatorError } from '../diagnostics/operatorError.ts'
import { SecretError } from '../secrets/secretError.ts'
import { TransportError, type TransportErrorCode } from '../transport/transportError.ts'
import type { Failure } from './events.ts'
import { StateError } from './state/stateError.ts'
import { StepError } from './stepError.ts'

/** Codes of errors in which the host did not respond at all. */
const unreachableCodes: readonly TransportErrorCode[] = [
  'connection-refused',
  'connection-timeout',
  'connection-lost',
  'name-not-found',
  'no-ssh-banner',
  'timeout',
]

/** Returns true if a host was unreachable or the connection broke (exit code 4). */
export const isUnreachable = (error: unknown): boolean =>
  error instanceof TransportError && unreachableCodes.includes(error.code)

/**
 * Converts an error to the failure of a host; rethrows an `OperatorError`. An unexpected error is a bug, but it fails
 * only the host on which it occurred.
 */
export function failureOf(error: unknown): Failure {
  if (error instanceof OperatorError) throw error
  if (error instanceof StepError || error instanceof TransportError) {
    return { code: error.code, message: error.message, fix: error.fix }
  }
  if (isExplained(error)) {
    const { code, message, fix } = error
    return { code, message: boundedMessage(message), fix: boundedMessage(fix) }
  }
  const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return {
    code: 'internal-error',
    message: `unexpected error: ${lastLines(what)}${throwLocation(error)}`,
    fix: 'Report this as a bug of muster, with this line and the archive of `muster diag`.',
  }
}

/**
 * Returns true for errors of this machine, such as of a secret or the state directory, that carry their own
 * explanation.
 */
const isExplained = (error: unknown): error is StateError | SecretError | CertificateError | ClientError =>
  error instanceof StateError ||
  error instanceof SecretError ||
  error instanceof CertificateError ||
  error instanceof ClientError

/** Returns the line of muster's code that threw, for a bug report; the whole stack is of no use to the operator. */
function throwLocation(error: unknown): string {
  const frame =
    error instanceof Error ? /\n\s+at .*?([^/\\(\s]+:\d+):\d+\)?(?:\n|$)/.exec(error.stack ?? '') : null
  return frame?.[1] === undefined ? '' : ` (${lastLines(frame[1])})`
}
