import { createHash } from 'node:crypto'
import type { Secret } from '../../secrets/secret.ts'
import { jksMagic } from './jksStore.ts'

/**
 * A JKS file (version 2) of trusted certificates, as sun.security.provider.JavaKeyStore writes it: what is in it is
 * public, and the password only guards it against changes. Keys are never written so: their protection is weak.
 */
export function writeJks(options: {
  readonly trusted: readonly { readonly alias: string; readonly der: Buffer }[]
  readonly password: Secret
  /** When the entries were made. */
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
