import { isObject } from '../base/json.ts'
import { readEnvelope } from './envelope.ts'

/** Users that a host may have: far more than a person can look after. */
const most = 10_000

/** The names in what an API answers to `GET /api/v2/users`; undefined where that is no list of users. */
export function listedUsers(body: unknown): readonly string[] | undefined {
  const payload = readEnvelope(body)?.payload
  if (!Array.isArray(payload) || payload.length > most) return undefined
  const names = payload.flatMap((one: unknown) =>
    isObject(one) && typeof one.user === 'string' ? [one.user] : [],
  )
  return names.length === payload.length ? names : undefined
}
