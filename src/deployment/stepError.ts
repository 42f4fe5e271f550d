import { boundedMessage } from '../base/printable.ts'
import type { FailureCode } from '../diagnostics/failures.ts'

/**
 * Expected failure of a deployment: host, reason and fix. The constructor makes the text printable, whatever it
 * quotes.
 */
export class StepError extends Error {
  readonly host: string
  readonly code: FailureCode
  readonly fix: string

  constructor(facts: { host: string; code: FailureCode; message: string; fix: string; cause?: unknown }) {
    super(boundedMessage(facts.message), { cause: facts.cause })
    this.name = 'StepError'
    this.host = facts.host
    this.code = facts.code
    this.fix = boundedMessage(facts.fix)
  }
}
