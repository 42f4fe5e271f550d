import { isObject } from '../base/json.ts'
import { lastLines } from '../base/printable.ts'

/** Envelope of every request and response (specification section 2.1). */
type Envelope = {
  readonly payloadType: string
  /** Always `1` in a response; optional in a request. */
  readonly payloadVersion?: string
  readonly payload: unknown
}

/** Parses the body of a response; undefined if it is no envelope. */
export function readEnvelope(body: unknown): Envelope | undefined {
  if (!isObject(body) || typeof body.payloadType !== 'string' || !('payload' in body)) return undefined
  const version = body.payloadVersion
  return {
    payloadType: body.payloadType,
    ...(typeof version === 'string' && { payloadVersion: version }),
    payload: body.payload,
  }
}

/** Error response of an API: the ErrorPayload of contract.md, "Envelope". */
export type Problem = {
  readonly status: number
  /** Stable code; absent if the response is not from our API. */
  readonly code?: string
  readonly title: string
  readonly detail?: string
  readonly requestId?: string
  readonly errors: readonly { readonly path: string; readonly message: string }[]
}

/**
 * Reads the problem of a response: undefined below status 300. Understands the ErrorPayload envelope and the
 * members of RFC 9457; any other body gives a problem with its status only.
 */
export function readProblem(response: {
  readonly status: number
  readonly body: unknown
}): Problem | undefined {
  if (response.status >= 200 && response.status < 300) return undefined
  const wrapped = readEnvelope(response.body)
  const fields = wrapped === undefined ? response.body : wrapped.payload
  const known = isObject(fields) ? fields : {}
  return {
    status: response.status,
    title: text(known.title) ?? 'The API returned an error',
    ...optional('code', text(known.code)),
    ...optional('detail', text(known.detail)),
    ...optional('requestId', text(known.requestId)),
    errors: readErrors(known.errors),
  }
}

/** Limit on the errors that are read from one response. */
const mostErrors = 100

/** Makes text of a response printable and one line, since it is shown later. */
const text = (value: unknown): string | undefined => {
  const words = typeof value === 'string' ? lastLines(value) : ''
  return words === '' ? undefined : words
}

const optional = <Name extends string>(name: Name, value: string | undefined) =>
  (value === undefined ? {} : { [name]: value }) as { readonly [N in Name]?: string }

function readErrors(value: unknown): Problem['errors'] {
  if (!Array.isArray(value)) return []
  return value
    .slice(0, mostErrors)
    .filter(isObject)
    .map((error) => ({ path: text(error.path) ?? '', message: text(error.message) ?? '' }))
}
