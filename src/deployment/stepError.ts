import { boundedMessage, lastLines } from '../base/printable.ts'

/**
 * A failure that a deployment expects and can explain: which host, what, and what to do about it. The words are made
 * printable here, whatever they quote.
 */
export class StepError extends Error {
  readonly host: string
  readonly code: string
  readonly fix: string

  constructor(facts: { host: string; code: string; message: string; fix: string; cause?: unknown }) {
    super(boundedMessage(facts.message), { cause: facts.cause })
    this.name = 'StepError'
    this.host = facts.host
    this.code = lastLines(facts.code)
    this.fix = boundedMessage(facts.fix)
  }
}
