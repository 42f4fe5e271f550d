import { type ProblemCode, problems } from '../contracts/problems.ts'

/** A request that fails with a problem; `detail` says what happened, and how to fix it. */
export class DashboardError extends Error {
  readonly code: ProblemCode
  readonly headers: Readonly<Record<string, string>>

  constructor(facts: {
    readonly code: ProblemCode
    readonly detail: string
    readonly headers?: Readonly<Record<string, string>>
  }) {
    super(facts.detail)
    this.name = 'DashboardError'
    this.code = facts.code
    this.headers = facts.headers ?? {}
  }

  get status(): number {
    return problems[this.code].status
  }
}

export const notFound = (detail: string): DashboardError => new DashboardError({ code: 'not-found', detail })

export const loginRequired = (): DashboardError =>
  new DashboardError({ code: 'login-required', detail: 'Log in first.' })
