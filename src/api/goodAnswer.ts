import { envelope } from '../contracts/envelope.ts'
import type { RouteResponse } from '../contracts/route.ts'
import type { Answer } from './problemAnswer.ts'
import type { TextAnswer } from './serve.ts'

/** The answer of a call that went well, in the form that its route names. */
export function goodAnswer(response: RouteResponse, value: unknown): Answer {
  if (response.kind === 'text') {
    const { status, text, headers = [] } = value as TextAnswer
    const type = [response.mediaType, response.parameters ?? [], 'charset=utf-8'].flat().join('; ')
    return { status, type, body: text, headers }
  }
  const content = response.kind === 'payload' ? envelope(response.payloadType, value) : value
  return { status: 200, type: 'application/json; charset=utf-8', body: JSON.stringify(content) }
}
