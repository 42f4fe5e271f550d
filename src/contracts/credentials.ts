import { type Static, Type } from 'typebox'
import { type FieldError, payloadVersion } from './envelope.ts'

const pair = { user: Type.Optional(Type.String()), pass: Type.Optional(Type.String()) }

/**
 * A credentials body in all the spellings of the specification (sections 2.2 and 4.2): `user` and `pass`
 * stand beside `payloadType` or inside `payload`; `credentialsOf` refuses both places at once.
 */
export const CredentialsRequest = Type.Object(
  {
    payloadType: Type.Enum(['credentials', 'CredentialsPayload']),
    payloadVersion: Type.Optional(Type.Literal(payloadVersion)),
    ...pair,
    payload: Type.Optional(Type.Object(pair, { additionalProperties: false })),
  },
  {
    additionalProperties: false,
    description: '`user` and `pass` stand beside `payloadType` or inside `payload`, never in both places.',
  },
)

export type CredentialsRequest = Readonly<Static<typeof CredentialsRequest>>

/** The pair that a body of the right shape carries, or what is missing or twice. */
export function credentialsOf(
  body: CredentialsRequest,
): { readonly user: string; readonly pass: string } | { readonly errors: readonly FieldError[] } {
  const beside = body.user !== undefined || body.pass !== undefined
  if (beside && body.payload !== undefined) {
    const message = 'stands beside user and pass: give them in one place, not in both'
    return { errors: [{ path: '/payload', message }] }
  }
  const { user, pass } = body.payload ?? body
  if (user !== undefined && pass !== undefined) return { user, pass }
  const place = body.payload === undefined ? '' : '/payload'
  const missing = [...(user === undefined ? ['user'] : []), ...(pass === undefined ? ['pass'] : [])]
  return { errors: missing.map((name) => ({ path: `${place}/${name}`, message: 'is missing' })) }
}
