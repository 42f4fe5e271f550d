import { boundedMessage } from '../../base/printable.ts'
import type { CallResult } from '../../client/call.ts'
import { readEnvelope, readProblem } from '../../client/envelope.ts'
import type { ActionResponse } from '../../contracts/dashboard.ts'
import { type ProblemCode, problems } from '../../contracts/problems.ts'
import { DashboardError } from '../../web/dashboardError.ts'

type Refusal = Extract<ActionResponse, { readonly detail: string }>

const isProblemCode = (word: string): word is ProblemCode => Object.hasOwn(problems, word)

/** Turns the result of a call into the response for the page; its words are made printable. */
export function responseOf(result: CallResult): ActionResponse {
  if ('error' in result) {
    const { code, message } = result.error
    return { status: 502, code, detail: boundedMessage(message) }
  }
  const { status, body } = result
  const problem = readProblem({ status, body })
  if (problem === undefined) return { status, payload: readEnvelope(body)?.payload ?? null }
  return {
    status,
    code: problem.code ?? 'bad-answer',
    detail: boundedMessage(problem.detail ?? problem.title),
  }
}

/** Turns the refusal of a host into one of this server. */
export function refusalOf({ code, detail }: Refusal): DashboardError {
  return new DashboardError({ code: isProblemCode(code) ? code : 'not-ready', detail })
}
