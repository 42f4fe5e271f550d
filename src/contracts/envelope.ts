import { type TSchema, Type } from 'typebox'
import type { ReadonlyStatic } from './schemaParts.ts'

/** The one version of every payload so far (specification section 9.3). */
export const payloadVersion = '1'

/** Envelope of every response (specification section 2.1). */
export type Envelope<Payload = unknown> = {
  readonly payloadType: string
  readonly payloadVersion: typeof payloadVersion
  readonly payload: Payload
}

/** Wraps a payload for a response. */
export const envelope = <Payload>(payloadType: string, payload: Payload): Envelope<Payload> => ({
  payloadType,
  payloadVersion,
  payload,
})

/** Schema of a response: all three members, nothing else. */
export const responseSchema = (payloadType: string, payload: TSchema): TSchema =>
  Type.Object(
    { payloadType: Type.Literal(payloadType), payloadVersion: Type.Literal(payloadVersion), payload },
    { additionalProperties: false },
  )

/** Schema of a request body: as of a response, but the version may be left out (specification section 2.1). */
export const requestSchema = <Payload extends TSchema>(payloadType: string, payload: Payload) =>
  Type.Object(
    {
      payloadType: Type.Literal(payloadType),
      payloadVersion: Type.Optional(Type.Literal(payloadVersion)),
      payload,
    },
    { additionalProperties: false },
  )

/** Wraps a payload for the body of a call: with the type that it takes, the last of several spellings; bare where it takes none. */
export function requestBody(request: TSchema, payload: unknown): unknown {
  type Spellings = { readonly const?: string; readonly enum?: readonly string[] }
  const { payloadType: known } = (request as { properties?: { payloadType?: Spellings } }).properties ?? {}
  const payloadType = known?.const ?? known?.enum?.at(-1)
  return payloadType === undefined ? payload : envelope(payloadType, payload)
}

/** One finding about a request: a JSON pointer into the body (or a query member) and what is wrong there. */
export const FieldError = Type.Object(
  { path: Type.String(), message: Type.String() },
  { additionalProperties: false },
)

/** Payload of an error: RFC 9457's fields and ours; with `application/problem+json` it comes without envelope. */
export const ErrorPayload = Type.Object(
  {
    status: Type.Integer({ minimum: 400, maximum: 599 }),
    code: Type.String({ description: 'Stable word for programs.' }),
    title: Type.String(),
    detail: Type.String({ description: 'What happened, and how to fix it, for people.' }),
    requestId: Type.String({ description: 'The same as in the server log and the X-Request-Id header.' }),
    errors: Type.Array(FieldError),
  },
  { additionalProperties: false },
)

export type FieldError = ReadonlyStatic<typeof FieldError>
export type ErrorPayload = ReadonlyStatic<typeof ErrorPayload>
