import type { FieldError } from '../contracts/envelope.ts'
import type { ProblemCode } from '../contracts/problems.ts'

/** A call that fails as the table of problems says; `detail` says what happened here and how to fix it. */
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
