import type { Events } from '../base/eventStreams.ts'
import { type ErrorPayload, envelope } from '../contracts/envelope.ts'
import { problems } from '../contracts/problems.ts'
import type { RouteResponse } from '../contracts/route.ts'
import type { ProblemError } from './problemError.ts'

export type TextResponse = {
  readonly status: 200 | 503
  readonly text: string
  /** Headers of its own: names and values in turn. */
  readonly headers?: readonly string[]
}

export const textResponse = (status: TextResponse['status'], text: string): TextResponse => ({ status, text })

type Range = { readonly type: string; readonly quality: number }

const readRanges = (header: string): readonly Range[] =>
  header.split(',').map((part) => {
    const [type = '', ...parameters] = part.split(';').map((it) => it.trim().toLowerCase())
    const weight = parameters.find((it) => it.startsWith('q='))?.slice(2)
    const quality = weight === undefined ? 1 : Number(weight)
    return { type, quality: Number.isNaN(quality) ? 0 : quality }
  })

/**
 * Returns the quality of a media type in an Accept header, 0 to 1; the most specific range decides
 * (RFC 9110 section 12.5.1). No header accepts everything.
 */
export function acceptQuality(header: string | undefined, mediaType: string): number {
  if (header === undefined || header === '*/*' || header.trim() === '') return 1
  const ranges = readRanges(header)
  const family = `${mediaType.split('/')[0]}/*`
  for (const type of [mediaType, family, '*/*']) {
    const range = ranges.find((it) => it.type === type)
    if (range) return range.quality
  }
  return 0
}

const problemJson = 'application/problem+json'

/** Returns true if the caller names that type, not only by a wildcard. */
export const namesProblemJson = (header: string | undefined): boolean =>
  header !== undefined && readRanges(header).some(({ type, quality }) => type === problemJson && quality > 0)

/** Returns true if errors go out without envelope (RFC 9457): the caller names that type and does not prefer JSON. */
const wantsBareProblem = (header: string | undefined): boolean =>
  namesProblemJson(header) &&
  acceptQuality(header, problemJson) >=
    (header?.includes('application/json') ? acceptQuality(header, 'application/json') : 0)

/** Status, headers and body of a response. */
export type Response = {
  readonly status: number
  /** Value of the Content-Type header; absent where there is no body. */
  readonly type?: string
  readonly body: string
  /** Follow the headers for as long as the response stays open; then there is no body. */
  readonly events?: Events
  /** Headers beside those of every response: names and values in turn. */
  readonly headers?: readonly string[]
}

/** Returns the headers of a response, names and values in turn: no caching, no sniffing of types. */
export function headersOf({ type, body, events, headers = [] }: Response, requestId: string): string[] {
  const common = ['Cache-Control', 'no-store', 'X-Content-Type-Options', 'nosniff', 'X-Request-Id', requestId]
  if (type !== undefined) common.push('Content-Type', type)
  if (type !== undefined && !events) common.push('Content-Length', String(Buffer.byteLength(body)))
  common.push(...headers)
  return common
}

const challenge = ['WWW-Authenticate', 'Basic realm="APIv2", charset="UTF-8"']

/** Builds the response for a problem, in the form that the Accept header asks for (contract.md, "Envelope"). */
export function problemResponse(facts: {
  readonly problem: ProblemError
  readonly requestId: string
  readonly accept?: string | undefined
}): Response {
  const { problem, requestId, accept } = facts
  const { status, title } = problems[problem.code]
  const payload: ErrorPayload = {
    status,
    code: problem.code,
    title,
    detail: problem.message,
    requestId,
    errors: problem.errors,
  }
  const bare = wantsBareProblem(accept)
  return {
    status,
    type: bare ? problemJson : 'application/json; charset=utf-8',
    body: JSON.stringify(bare ? payload : envelope('ErrorPayload', payload)),
    headers: [...Object.entries(problem.headers).flat(), ...(status === 401 ? challenge : [])],
  }
}

/** Media type of server-sent events, always UTF-8. */
export const eventStreamType = 'text/event-stream'

/** Builds the response of a successful call, in the form that its route names. */
export function successResponse(response: RouteResponse, value: unknown): Response {
  if (response.kind === 'text') {
    const { status, text, headers = [] } = value as TextResponse
    const type = [response.mediaType, response.parameters ?? [], 'charset=utf-8'].flat().join('; ')
    return { status, type, body: text, headers }
  }
  if (response.kind === 'events') {
    return { status: 200, type: eventStreamType, body: '', events: value as Events }
  }
  const content = response.kind === 'payload' ? envelope(response.payloadType, value) : value
  return { status: 200, type: 'application/json; charset=utf-8', body: JSON.stringify(content) }
}
