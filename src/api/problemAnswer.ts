import { type ErrorPayload, envelope } from '../contracts/envelope.ts'
import { problems } from '../contracts/problems.ts'
import { problemJson, wantsBareProblem } from './accept.ts'
import type { ProblemError } from './problemError.ts'

/** An answer as values. */
export type Answer = {
  readonly status: number
  /** Value of the Content-Type header; absent where there is no body. */
  readonly type?: string
  readonly body: string
  /** What this answer has beside the headers of every answer: names and values in turn. */
  readonly headers?: readonly string[]
}

/** The headers of an answer, names and values in turn: nothing here is for a cache or to be guessed at. */
export function headersOf({ type, body, headers = [] }: Answer, requestId: string): string[] {
  const common = ['Cache-Control', 'no-store', 'X-Content-Type-Options', 'nosniff', 'X-Request-Id', requestId]
  if (type !== undefined) common.push('Content-Type', type, 'Content-Length', String(Buffer.byteLength(body)))
  common.push(...headers)
  return common
}

const challenge = ['WWW-Authenticate', 'Basic realm="APIv2", charset="UTF-8"']

/** The answer that tells a problem, in the form that the Accept header asks for (contract.md, "Envelope"). */
export function problemAnswer(facts: {
  readonly problem: ProblemError
  readonly requestId: string
  readonly accept?: string | undefined
}): Answer {
  const { problem, requestId, accept } = facts
  const { status, title } = problems[problem.code]
  const payload: ErrorPayload = {
    status,
    code: problem.code,
    title,
    detail: problem.message,
    requestId,
    errors: [...problem.errors],
  }
  const bare = wantsBareProblem(accept)
  return {
    status,
    type: bare ? problemJson : 'application/json; charset=utf-8',
    body: JSON.stringify(bare ? payload : envelope('ErrorPayload', payload)),
    headers: [...Object.entries(problem.headers).flat(), ...(status === 401 ? challenge : [])],
  }
}
