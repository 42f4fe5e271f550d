import { isObject } from '../base/json.ts'
import { lastLines } from '../base/printable.ts'

/** The envelope of every request and response (specification section 2.1). */
type Envelope = {
  readonly payloadType: string
  /** Always there in a response, value `1`; a request may omit it. */
  readonly payloadVersion?: string
  readonly payload: unknown
}

/** Wraps a payload for a request. */
export const envelope = (payloadType: string, payload: unknown): Envelope => ({
  payloadType,
  payloadVersion: '1',
  payload,
})

/** Reads the body of an answer as an envelope; undefined where it is none. */
export function readEnvelope(body: unknown): Envelope | undefined {
  if (!isObject(body) || typeof body.payloadType !== 'string' || !('payload' in body)) return undefined
  const version = body.payloadVersion
  return {
    payloadType: body.payloadType,
    ...(typeof version === 'string' && { payloadVersion: version }),
    payload: body.payload,
  }
}

/** An error that an API answered: the ErrorPayload of contract.md, "Envelope". */
export type Problem = {
  readonly status: number
  /** Stable word; absent where something else than our API answered. */
  readonly code?: string
  readonly title: string
  readonly detail?: string
  readonly requestId?: string
  readonly errors: readonly { readonly path: string; readonly message: string }[]
}

/**
 * The problem that an answer reports: undefined below status 300. Understands the ErrorPayload envelope and
 * the bare fields of RFC 9457; anything else becomes a problem that has only its status.
 */
export function readProblem(answer: {
  readonly status: number
  readonly body: unknown
}): Problem | undefined {
  if (answer.status >= 200 && answer.status < 300) return undefined
  const wrapped = readEnvelope(answer.body)
  const fields = wrapped === undefined ? answer.body : wrapped.payload
  const known = isObject(fields) ? fields : {}
  return {
    status: answer.status,
    title: text(known.title) ?? 'The API answered an error',
    ...optional('code', text(known.code)),
    ...optional('detail', text(known.detail)),
    ...optional('requestId', text(known.requestId)),
    errors: readErrors(known.errors),
  }
}

/** Errors of one answer that are read. */
const mostErrors = 100

/** Words of an answer are shown, so they are printable and of one line from here on. */
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
