import { createHash, timingSafeEqual } from 'node:crypto'
import type { Secret } from '../../secrets/secret.ts'
import { certificatePem, privateKeyPem } from '../pem.ts'
import { children, content, decode, MalformedError, oidOf } from './der.ts'
import { oids } from './oids.ts'
import { type Store, type StoreKey, StoreReadError } from './store.ts'

/** First four bytes of a JKS file (sun.security.provider.JavaKeyStore). */
export const jksMagic = 0xfeedfeed

const digestLength = 20

/** Reads the entries of a JKS store; throws `StoreReadError`, or `MalformedError` for a broken file. */
export function jksStore(bytes: Buffer, password: Secret): Store {
  const passwordBytes = Buffer.from(password.reveal(), 'utf16le').swap16()
  const body = bytes.subarray(0, Math.max(0, bytes.length - digestLength))
  checkDigest({ body, digest: bytes.subarray(body.length), passwordBytes })
  const reader = readerOf(body)
  reader.number()
  const version = reader.number()
  if (version !== 1 && version !== 2) throw new StoreReadError('unsupported', `JKS version ${version}`)
  const keys: StoreKey[] = []
  const trusted: { alias: string; certificate: string }[] = []
  const certificate = (): string => {
    if (version === 2) reader.text()
    return certificatePem(reader.block(reader.number()))
  }
  for (let left = reader.number(); left > 0; left--) {
    const tag = reader.number()
    const alias = reader.text()
    reader.block(8)
    if (tag === 1) {
      const encrypted = reader.block(reader.number())
      const chain = Array.from({ length: Math.min(reader.number(), 100) }, certificate)
      keys.push({ alias, key: recoverKey({ encrypted, passwordBytes, alias }), chain })
    } else if (tag === 2) trusted.push({ alias, certificate: certificate() })
    else throw new MalformedError('an entry of unknown kind')
  }
  return { format: 'jks', keys, trusted, unused: [] }
}

/** Verifies the end of the file: SHA-1 of the password, a fixed phrase and all bytes before. */
function checkDigest(options: { body: Buffer; digest: Buffer; passwordBytes: Buffer }): void {
  const found = createHash('sha1')
    .update(options.passwordBytes)
    .update('Mighty Aphrodite')
    .update(options.body)
    .digest()
  if (options.digest.length !== digestLength) throw new MalformedError('too short')
  if (!timingSafeEqual(found, options.digest)) {
    throw new StoreReadError('wrong-password', 'its integrity check fails')
  }
}

/** Reverses sun.security.provider.KeyProtector: salt, key XOR SHA-1 stream, SHA-1 of password and key. */
function recoverKey(options: { encrypted: Buffer; passwordBytes: Buffer; alias: string }): Secret {
  const { passwordBytes, alias } = options
  const [algorithm, protectedKey] = children(decode(options.encrypted))
  if (oidOf(children(algorithm)[0]) !== oids.jksKeyProtector) {
    throw new StoreReadError('unsupported', `the protection of entry \`${alias}\``)
  }
  const blob = content(protectedKey)
  const masked = blob.subarray(digestLength, Math.max(digestLength, blob.length - digestLength))
  const plain = Buffer.alloc(masked.length)
  let stream: Buffer = blob.subarray(0, digestLength)
  for (let start = 0; start < masked.length; start += digestLength) {
    stream = createHash('sha1').update(passwordBytes).update(stream).digest()
    for (let index = 0; index < digestLength && start + index < masked.length; index++) {
      plain[start + index] = (masked[start + index] ?? 0) ^ (stream[index] ?? 0)
    }
  }
  const check = createHash('sha1').update(passwordBytes).update(plain).digest()
  if (!check.equals(blob.subarray(blob.length - digestLength))) {
    throw new StoreReadError('key-password', `entry \`${alias}\` has a different password than the store`)
  }
  const key = privateKeyPem(plain)
  if (key === undefined) throw new StoreReadError('unsupported', `the kind of key of entry \`${alias}\``)
  return key
}

/** Reads values in Java's DataInput format; throws `MalformedError` at the end of the bytes. */
function readerOf(bytes: Buffer) {
  let at = 0
  const block = (length: number): Buffer => {
    if (length > bytes.length - at) throw new MalformedError('it is truncated')
    at += length
    return bytes.subarray(at - length, at)
  }
  return {
    block,
    number: (): number => block(4).readUInt32BE(),
    text: (): string => block(block(2).readUInt16BE()).toString('utf8'),
  }
}

/**
 * Writes a JKS file (version 2) of trusted certificates, as sun.security.provider.JavaKeyStore does: its
 * content is public, and the password only protects it against changes. Never use it for keys: their
 * protection is weak.
 */
export function writeJks(options: {
  readonly trusted: readonly { readonly alias: string; readonly der: Buffer }[]
  readonly password: Secret
  /** Creation date of the entries. */
  readonly now: Date
}): Buffer {
  const { trusted, password, now } = options
  const body = Buffer.concat([
    number(jksMagic),
    number(2),
    number(trusted.length),
    ...trusted.flatMap(({ alias, der }) => [
      number(2),
      text(alias.toLowerCase()),
      time(now),
      text('X.509'),
      number(der.length),
      der,
    ]),
  ])
  const digest = createHash('sha1')
    .update(Buffer.from(password.reveal(), 'utf16le').swap16())
    .update('Mighty Aphrodite')
    .update(body)
    .digest()
  return Buffer.concat([body, digest])
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

/** Milliseconds since 1970. */
function time(when: Date): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigInt64BE(BigInt(when.getTime()))
  return bytes
}

/** Java's DataOutput.writeUTF, for ASCII. */
function text(value: string): Buffer {
  const bytes = Buffer.from(value, 'ascii')
  const length = Buffer.alloc(2)
  length.writeUInt16BE(bytes.length)
  return Buffer.concat([length, bytes])
}
