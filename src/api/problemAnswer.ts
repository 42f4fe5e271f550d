import { type ErrorPayload, envelope } from '../contracts/envelope.ts'
import { problems } from '../contracts/problems.ts'
import { problemJson, wantsBareProblem } from './accept.ts'
import type { ProblemError } from './problemError.ts'

/** An answer as values: what a test compares and a server sends. */
export type Answer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Sent with every answer: nothing here is for a cache or to be guessed at. */
export const answerHeaders = (requestId: string): Readonly<Record<string, string>> => ({
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'X-Request-Id': requestId,
})

const challenge = 'Basic realm="APIv2", charset="UTF-8"'

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
    headers: {
      ...answerHeaders(requestId),
      ...problem.headers,
      ...(status === 401 ? { 'WWW-Authenticate': challenge } : {}),
      'Content-Type': bare ? problemJson : 'application/json; charset=utf-8',
    },
    body: JSON.stringify(bare ? payload : envelope('ErrorPayload', payload)),
  }
}
