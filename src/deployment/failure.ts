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

/** An expected failure as the renderers show it; anything else is a bug and is thrown on with its stack. */
export function failureOf(error: unknown): Failure {
  if (error instanceof StepError || error instanceof TransportError) {
    return { code: error.code, message: error.message, fix: error.fix }
  }
  throw error
}
