import { createCipheriv, createHmac, pbkdf2Sync } from 'node:crypto'
import type { Secret } from '../../secrets/secret.ts'
import { bmp, context, type Der, encode, integer, nothing, octets, oid, sequence, set } from './der.ts'
import { oids } from './oids.ts'
import { pkcs12Key } from './pkcs12Key.ts'

/**
 * OpenSSL's default (PKCS12_DEFAULT_ITER). Passwords of generated stores have 192 random bits, so more rounds
 * add no security, and every run opens two stores per host.
 */
const iterations = 2048

export type Random = (size: number) => Buffer

/** An encrypted key: PBES2 with PBKDF2-HMAC-SHA256 and AES-256, like Java 17 and OpenSSL 3. */
export function keyBag(options: {
  /** DER. */
  readonly pkcs8: Buffer
  readonly password: Secret
  readonly attributes: readonly Der[]
  readonly random: Random
}): Der {
  const salt = options.random(16)
  const iv = options.random(16)
  const key = pbkdf2Sync(Buffer.from(options.password.reveal(), 'utf8'), salt, iterations, 32, 'sha256')
  const cipher = createCipheriv('aes-256-cbc', key, iv)
  const encrypted = Buffer.concat([cipher.update(options.pkcs8), cipher.final()])
  const derivation = sequence(
    oid(oids.pbkdf2),
    sequence(octets(salt), integer(iterations), integer(32), sequence(oid(oids.hmacSha256), nothing())),
  )
  const algorithm = sequence(oid(oids.pbes2), sequence(derivation, sequence(oid(oids.aes256), octets(iv))))
  return sequence(
    oid(oids.shroudedKeyBag),
    context(0, sequence(algorithm, octets(encrypted))),
    set(...options.attributes),
  )
}

/** A certificate (DER) without encryption: it is public, and the file's integrity check covers it. */
export function certificateBag(der: Buffer, attributes: readonly Der[]): Der {
  const bag = sequence(oid(oids.x509Certificate), context(0, octets(der)))
  return sequence(
    oid(oids.certBag),
    context(0, bag),
    ...(attributes.length === 0 ? [] : [set(...attributes)]),
  )
}

export const friendlyName = (alias: string): Der => attribute(oids.friendlyName, bmp(alias))

export const localKeyId = (id: Buffer): Der => attribute(oids.localKeyId, octets(id))

/** Java's mark of a certificate that is trusted for every purpose. */
export const trustedForAll = (): Der => attribute(oids.trustedKeyUsage, oid(oids.anyExtendedKeyUsage))

const attribute = (id: string, value: Der): Der => sequence(oid(id), set(value))

/**
 * Writes the bags as a PKCS#12 file (RFC 7292), with an HMAC-SHA256 integrity check. Java 8u301, 11.0.12, 17
 * and later and OpenSSL 1.1 and later (3 without -legacy) can read it.
 */
export function writePkcs12(options: {
  readonly bags: readonly Der[]
  readonly password: Secret
  readonly random: Random
}): Buffer {
  const { random } = options
  const safe = encode(sequence(data(encode(sequence(...options.bags)))))
  const salt = random(16)
  const key = pkcs12Key({
    digest: 'sha256',
    password: options.password.reveal(),
    salt,
    purpose: 'mac',
    iterations,
    length: 32,
  })
  const mac = createHmac('sha256', key).update(safe).digest()
  const digestInfo = sequence(sequence(oid(oids.sha256), nothing()), octets(mac))
  return encode(sequence(integer(3), data(safe), sequence(digestInfo, octets(salt), integer(iterations))))
}

const data = (content: Buffer): Der => sequence(oid(oids.data), context(0, octets(content)))
