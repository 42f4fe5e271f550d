import { boundedMessage, lastLines } from '../base/printable.ts'
import { TransportError, type TransportErrorCode } from '../transport/transportError.ts'
import type { Failure } from './events.ts'
import { StepError } from './stepError.ts'

/** Codes that say that nothing of a host answered, as against a host that answered no. */
const unreachableCodes: readonly TransportErrorCode[] = [
  'connection-refused',
  'connection-timeout',
  'connection-lost',
  'name-not-found',
  'no-ssh-banner',
  'timeout',
]

/** Whether a host could not be reached, or went away (exit code 4). */
export const isUnreachable = (error: unknown): boolean =>
  error instanceof TransportError && unreachableCodes.includes(error.code)

/** An error of the person at the terminal, such as a wrong call or Ctrl-C: no host is to blame, and the run ends by it. */
export class OperatorError extends Error {}

/**
 * A failure as the renderers show it; an `OperatorError` is thrown on. An error that nobody expects is a bug of ours that
 * this host brought forth: it is the host's failure, and neither the run's nor another host's.
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
    message: `unexpected error: ${lastLines(what)}${placeOf(error)}`,
    fix: 'Report this as a bug of muster, with this line and the archive of `muster diag`.',
  }
}

/** Errors of this machine, such as of a secret or of the state directory, explain themselves. */
const isExplained = (
  error: unknown,
): error is { readonly code: string; readonly message: string; readonly fix: string } =>
  error instanceof Error &&
  'fix' in error &&
  typeof error.fix === 'string' &&
  'code' in error &&
  typeof error.code === 'string'

/** The line of our code that threw, for a report; a whole stack is of no use to who runs a command. */
function placeOf(error: unknown): string {
  const frame =
    error instanceof Error ? /\n\s+at .*?([^/\\(\s]+:\d+):\d+\)?(?:\n|$)/.exec(error.stack ?? '') : null
  return frame?.[1] === undefined ? '' : ` (${lastLines(frame[1])})`
}
