import { isObject } from '../base/json.ts'

/** The envelope of every request and response (specification section 2.1). */
export type Envelope = {
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
