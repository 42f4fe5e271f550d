import { boundedMessage, lastLines } from '../base/printable.ts'

/**
 * Expected failure of a deployment: host, reason and fix. The constructor makes the text printable, whatever it
 * quotes.
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
