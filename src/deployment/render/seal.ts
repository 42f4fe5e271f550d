import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption'
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { parseJson } from '../../base/json.ts'
import { accessLevels } from '../../contracts/accessLevels.ts'
import { exact, type ReadonlyStatic } from '../../contracts/schemaParts.ts'
import { Secret } from '../../secrets/secret.ts'

const SealedFile = Type.Object(
  {
    path: Type.String({ pattern: '^/' }),
    /** Text or base64 of the content. */
    text: Type.Optional(Type.String()),
    base64: Type.Optional(Type.String()),
  },
  exact,
)

const SealedUser = Type.Object(
  {
    user: Type.String({ minLength: 1 }),
    access: Type.Optional(Type.Enum([...accessLevels])),
    hash: Type.Optional(Type.String()),
    password: Type.Optional(Type.String()),
    previous: Type.Optional(Type.String()),
  },
  exact,
)

const Sealed = Type.Object(
  {
    version: Type.Literal(1),
    /** SHA-256 of `SHA256SUMS` without the line of the secrets: they belong to exactly these plain files. */
    sums: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    files: Type.Array(SealedFile),
    users: Type.Array(SealedUser),
  },
  exact,
)

/** Secrets of one host, as they are sealed. Its strings are secret: keep it in a function, never in a value to print. */
export type Sealed = ReadonlyStatic<typeof Sealed>

const identityLine = /^AGE-SECRET-KEY-1[0-9A-Z]+$/

/** Returns true for a recipient that this program can seal for: `age1…` with X25519 (age-encryption.org/v1). */
export function isRecipient(text: string): boolean {
  if (!/^age1[02-9ac-hj-np-z]{58}$/.test(text)) return false
  try {
    new Encrypter().addRecipient(text)
    return true
  } catch {
    return false
  }
}

/** Creates the key of one host; `recipient` is its public part. */
export async function createIdentity(): Promise<{ readonly identity: Secret; readonly recipient: string }> {
  const identity = await generateX25519Identity()
  return { identity: new Secret(identity), recipient: await identityToRecipient(identity) }
}

/** Returns the lines of a key file that are identities. */
const identitiesIn = (keyFile: Secret): readonly string[] =>
  keyFile
    .reveal()
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => identityLine.test(line))

/** Returns the recipient of the first identity of a key file; undefined without a valid one. */
export async function recipientOf(keyFile: Secret): Promise<string | undefined> {
  const [identity] = identitiesIn(keyFile)
  return identity === undefined ? undefined : identityToRecipient(identity).catch(() => undefined)
}

/** Seals the secrets of a host for its recipient. */
export async function seal(secrets: Sealed, recipient: string): Promise<Buffer> {
  const encrypter = new Encrypter()
  encrypter.addRecipient(recipient)
  return Buffer.from(await encrypter.encrypt(JSON.stringify(secrets)))
}

/** Reason why secrets could not be opened. */
export type Unopened = 'no-identity' | 'other-identity' | 'damaged'

/** Opens the secrets of a host with the lines of its identity file. */
export async function unseal(sealed: Buffer, identityFile: Secret): Promise<Sealed | Unopened> {
  const identities = identitiesIn(identityFile)
  if (identities.length === 0) return 'no-identity'
  const decrypter = new Decrypter()
  try {
    for (const identity of identities) decrypter.addIdentity(identity)
  } catch {
    return 'no-identity'
  }
  let text: string
  try {
    text = await decrypter.decrypt(sealed, 'text')
  } catch (error) {
    const isOther = error instanceof Error && /no identity matched/.test(error.message)
    return isOther ? 'other-identity' : 'damaged'
  }
  const value = parseJson(text)
  return Value.Check(Sealed, value) ? value : 'damaged'
}
