import { isObject, parseJson } from '../../base/json.ts'
import { Secret } from '../../secrets/secret.ts'
import type { ClusterState, ReplacedPassword, UserState } from './clusterState.ts'

type Kept = Pick<ClusterState, 'storePasswords' | 'users'>

const saltBytes = 16

/** Returns the content of secrets.json: version 1, users by name, salts in base64. Older versions can be read too. */
export function encodeSecrets(state: Kept): Buffer {
  const { storePasswords } = state
  const users = [...state.users].sort(([one], [other]) => (one < other ? -1 : 1))
  const content = {
    version: 1,
    ...(storePasswords === undefined
      ? {}
      : {
          keystorePassword: storePasswords.keystore.reveal(),
          truststorePassword: storePasswords.truststore.reveal(),
        }),
    users: Object.fromEntries(
      users.map(([name, user]) => [
        name,
        {
          salt: user.salt.toString('base64'),
          ...(user.password && { password: user.password.reveal() }),
          ...(user.pending && { pending: user.pending.map((one) => one.reveal()) }),
          ...(user.replaced && { replaced: user.replaced.map(({ at, mark }) => ({ at, mark })) }),
        },
      ]),
    ),
  }
  return Buffer.from(`${JSON.stringify(content, undefined, 2)}\n`)
}

/** Parses secrets.json; a string describes the problem as the end of a sentence, without any value. */
export function decodeSecrets(bytes: Buffer): Kept | string {
  const content = parseJson(bytes.toString('utf8'))
  if (!isObject(content)) return 'is not JSON'
  if (content.version !== 1) return 'has a version that this muster does not support'
  const { keystorePassword, truststorePassword, users } = content
  if (!isObject(users)) return 'has no users'
  const known = Object.entries(users).map(([name, user]) => [name, decodeUser(user)] as const)
  const good = known.flatMap(([name, user]) => (user === undefined ? [] : [[name, user] as const]))
  if (good.length < known.length) return 'has a user without a valid salt or password'
  if (keystorePassword === undefined && truststorePassword === undefined) return { users: new Map(good) }
  if (!isText(keystorePassword) || !isText(truststorePassword)) return 'has only one of two store passwords'
  const storePasswords = {
    keystore: new Secret(keystorePassword),
    truststore: new Secret(truststorePassword),
  }
  return { users: new Map(good), storePasswords }
}

function decodeUser(user: unknown): UserState | undefined {
  if (!isObject(user) || !isText(user.salt)) return undefined
  const salt = Buffer.from(user.salt, 'base64')
  const { password, pending, replaced } = user
  if (salt.length !== saltBytes || (password !== undefined && !isText(password))) return undefined
  if (pending !== undefined && !(Array.isArray(pending) && pending.every(isText))) return undefined
  if (replaced !== undefined && !(Array.isArray(replaced) && replaced.every(isReplaced))) return undefined
  return {
    salt,
    ...(password !== undefined && { password: new Secret(password) }),
    ...(pending && { pending: pending.map((one) => new Secret(one)) }),
    ...(replaced && { replaced: replaced.map(({ at, mark }) => ({ at, mark })) }),
  }
}

const isReplaced = (value: unknown): value is ReplacedPassword =>
  isObject(value) && isText(value.at) && !Number.isNaN(Date.parse(value.at)) && isText(value.mark)

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
