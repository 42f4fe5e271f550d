import { envelope } from '../contracts/envelope.ts'
import type { RouteResponse } from '../contracts/route.ts'
import { type Answer, answerHeaders } from './problemAnswer.ts'
import type { TextAnswer } from './serve.ts'

/** The answer of a call that went well, in the form that its route names. */
export function goodAnswer(response: RouteResponse, value: unknown, requestId: string): Answer {
  if (response.kind === 'text') {
    const { status, text } = value as TextAnswer
    const type = [response.mediaType, response.parameters ?? [], 'charset=utf-8'].flat().join('; ')
    return { status, headers: { ...answerHeaders(requestId), 'Content-Type': type }, body: text }
  }
  const body = JSON.stringify(response.kind === 'payload' ? envelope(response.payloadType, value) : value)
  const headers = { ...answerHeaders(requestId), 'Content-Type': 'application/json; charset=utf-8' }
  return { status: 200, headers, body }
}
