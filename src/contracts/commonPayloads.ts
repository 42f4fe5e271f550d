import { Type } from 'typebox'
import { type AccessLevel, accessLevels } from './accessLevels.ts'
import { components } from './component.ts'
import { type FieldError, payloadVersion } from './envelope.ts'
import { exact, type ReadonlyStatic } from './schemaParts.ts'

/** Level of a user, lowest first. */
export const Access = Type.Enum([...accessLevels], {
  description: '`read` may GET, `operate` may also change states, `full` may do everything.',
})

const credentials = {
  user: Type.Optional(Type.String()),
  pass: Type.Optional(Type.String()),
  access: Type.Optional(Access),
}

/**
 * A credentials body in all the spellings of the specification (sections 2.2 and 4.2): `user`, `pass` and `access`
 * stand beside `payloadType` or inside `payload`; `credentialsOf` refuses both places at once.
 */
export const CredentialsRequest = Type.Object(
  {
    payloadType: Type.Enum(['credentials', 'CredentialsPayload']),
    payloadVersion: Type.Optional(Type.Literal(payloadVersion)),
    ...credentials,
    payload: Type.Optional(Type.Object(credentials, { additionalProperties: false })),
  },
  {
    additionalProperties: false,
    description:
      'Put `user`, `pass` and `access` beside `payloadType` or inside `payload`, not in both places. Without ' +
      '`access` a new user gets `full`, and an existing one keeps its level.',
  },
)

export type CredentialsRequest = ReadonlyStatic<typeof CredentialsRequest>

/** User, password and, where given, the access level of a credentials body. */
export type Credentials = { readonly user: string; readonly pass: string; readonly access?: AccessLevel }

/** Returns the credentials of a valid body, or which member is missing or duplicate. */
export function credentialsOf(
  body: CredentialsRequest,
): Credentials | { readonly errors: readonly FieldError[] } {
  const beside = body.user !== undefined || body.pass !== undefined || body.access !== undefined
  if (beside && body.payload !== undefined) {
    const message = 'must not be combined with user, pass and access beside it'
    return { errors: [{ path: '/payload', message }] }
  }
  const { user, pass, access } = body.payload ?? body
  if (user !== undefined && pass !== undefined) return { user, pass, ...(access && { access }) }
  const place = body.payload === undefined ? '' : '/payload'
  const missing = [...(user === undefined ? ['user'] : []), ...(pass === undefined ? ['pass'] : [])]
  return { errors: missing.map((name) => ({ path: `${place}/${name}`, message: 'is missing' })) }
}

/** Stands where a password would: the literal of specification section 2.2. */
export const obfuscated = '**obfuscated**'

export const PingPayload = Type.Object(
  {
    message: Type.String(),
    date: Type.String({ description: 'Such as `Mon Mar 10 10:12:18 UTC 2025`.' }),
    hostName: Type.String(),
    pid: Type.Integer(),
    jvmUptime: Type.Integer({ description: 'Milliseconds since the process started.' }),
  },
  exact,
)

export const StringPayload = Type.Object({ value: Type.String() }, exact)

/** BooleanPayload of a call that changes nothing. */
export const BooleanPayload = Type.Object({ value: Type.Boolean() }, exact)

/** BooleanPayload of a call that changes something: repeated, it says `changed: false`. */
export const ChangePayload = Type.Object({ value: Type.Boolean(), changed: Type.Boolean() }, exact)

export const CredentialsPayload = Type.Object(
  { user: Type.String(), pass: Type.Literal(obfuscated), access: Access },
  exact,
)

export const CredentialsListPayload = Type.Array(CredentialsPayload)

export const VersionPayload = Type.Object(
  {
    version: Type.String(),
    component: Type.Enum([...components]),
    node: Type.String({ description: 'Version of Node.js that runs it, such as `v24.1.0`.' }),
  },
  exact,
)

export const UrisPayload = Type.Array(
  Type.Object({ method: Type.Enum(['GET', 'POST']), path: Type.String() }, exact),
)

export type PingPayload = ReadonlyStatic<typeof PingPayload>
export type StringPayload = ReadonlyStatic<typeof StringPayload>
export type ChangePayload = ReadonlyStatic<typeof ChangePayload>
export type CredentialsPayload = ReadonlyStatic<typeof CredentialsPayload>
export type CredentialsListPayload = readonly CredentialsPayload[]
export type VersionPayload = ReadonlyStatic<typeof VersionPayload>
export type UrisPayload = readonly { readonly method: 'GET' | 'POST'; readonly path: string }[]
