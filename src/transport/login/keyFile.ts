import type { ParsedKey } from 'ssh2'
import { errorCode, systemErrorText } from '../../base/systemErrors.ts'
import type { Secret } from '../../secrets/secret.ts'
import type { ReadFile } from '../sshTarget.ts'

const magic = Buffer.from('openssh-key-v1\0', 'latin1')

/**
 * Returns the public key that an OpenSSH private key file has in clear, even if the private part has a
 * passphrase (OpenSSH, PROTOCOL.key); undefined for other formats.
 */
export function publicPart(text: Buffer): Buffer | undefined {
  const base64 = /-----BEGIN OPENSSH PRIVATE KEY-----([\s\S]+?)-----END/.exec(text.toString('latin1'))?.[1]
  if (base64 === undefined) return undefined
  const bytes = Buffer.from(base64, 'base64')
  if (!bytes.subarray(0, magic.length).equals(magic)) return undefined
  let at = magic.length
  const take = (): Buffer | undefined => {
    if (at + 4 > bytes.length) return undefined
    const end = at + 4 + bytes.readUInt32BE(at)
    if (end > bytes.length) return undefined
    const part = bytes.subarray(at + 4, end)
    at = end
    return part
  }
  // Cipher, key derivation and its options; then the number of keys, which is always one.
  take()
  take()
  take()
  at += 4
  return take()
}

/** I/O for reading keys. */
export type KeyFileDependencies = {
  readonly readFile: ReadFile
  readonly parseKey: (text: Buffer, passphrase?: string) => ParsedKey | Error
}

/** Content of a private key file. `known` is its public part, if it can be read without the passphrase. */
export type KeyFile = { readonly path: string } & (
  | { readonly kind: 'key'; readonly key: ParsedKey }
  | { readonly kind: 'locked'; readonly known?: ParsedKey; readonly text: Buffer }
  /** Only the public part: an agent may hold the private one. */
  | { readonly kind: 'public'; readonly known: ParsedKey }
  | { readonly kind: 'missing' | 'unusable'; readonly why: string }
)

/** Returns true for an encrypted PKCS #8 file, which ssh2 cannot open (RFC 5958). */
export const isPkcs8 = (text: Buffer): boolean => text.includes('BEGIN ENCRYPTED PRIVATE KEY')

/** Reads a private key file. Never rejects: a problem is a phrase to put after the file's name. */
export async function readKeyFile(path: string, dependencies: KeyFileDependencies): Promise<KeyFile> {
  let text: Buffer
  try {
    text = await dependencies.readFile(path)
  } catch (error) {
    const code = errorCode(error)
    const known = code === 'ENOENT' ? await publicKeyOf(`${path}.pub`, dependencies) : undefined
    if (known !== undefined) return { path, kind: 'public', known }
    const kind = code === 'ENOENT' ? 'missing' : 'unusable'
    return { path, kind, why: `cannot be read (${systemErrorText(error)})` }
  }
  if (isPkcs8(text)) return lockedFile(path, text, dependencies)
  const key = dependencies.parseKey(text)
  if (!(key instanceof Error)) {
    return key.isPrivateKey() ? { path, kind: 'key', key } : { path, kind: 'public', known: key }
  }
  if (/encrypted/i.test(key.message)) return lockedFile(path, text, dependencies)
  return { path, kind: 'unusable', why: unusableReason(key.message) }
}

async function lockedFile(path: string, text: Buffer, dependencies: KeyFileDependencies): Promise<KeyFile> {
  const known = (await publicKeyOf(`${path}.pub`, dependencies)) ?? ownPublicPart(text, dependencies)
  return { path, kind: 'locked', text, ...(known === undefined ? {} : { known }) }
}

function ownPublicPart(text: Buffer, { parseKey }: KeyFileDependencies): ParsedKey | undefined {
  const part = publicPart(text)
  const key = part === undefined ? undefined : parseKey(part)
  return key instanceof Error ? undefined : key
}

async function publicKeyOf(
  path: string,
  { readFile, parseKey }: KeyFileDependencies,
): Promise<ParsedKey | undefined> {
  const text = await readFile(path).catch(() => undefined)
  const key = text === undefined ? undefined : parseKey(text)
  return key instanceof Error ? undefined : key
}

/** Opens a locked file; undefined for a wrong passphrase, a phrase if no passphrase would help. */
export function unlock(
  text: Buffer,
  passphrase: Secret,
  { parseKey }: KeyFileDependencies,
): ParsedKey | string | undefined {
  const key = parseKey(text, passphrase.reveal())
  if (!(key instanceof Error)) return key
  return /unsupported/i.test(key.message) ? unusableReason(key.message) : undefined
}

function unusableReason(message: string): string {
  const type = /(sk-[\w-]+@openssh\.com)/.exec(message)?.[1]
  return type === undefined
    ? `is not a supported private key (${message})`
    : `is a key of a security token (${type}), which only transport: openssh supports`
}
