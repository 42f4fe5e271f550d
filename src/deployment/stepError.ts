/** A failure that a deployment expects and can explain: which host, what, and what to do about it. */
export class StepError extends Error {
  readonly host: string
  readonly code: string
  readonly fix: string

  constructor(facts: { host: string; code: string; message: string; fix: string; cause?: unknown }) {
    super(facts.message, { cause: facts.cause })
    this.name = 'StepError'
    this.host = facts.host
    this.code = facts.code
    this.fix = facts.fix
  }
}
