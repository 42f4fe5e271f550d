import { createHash, createPrivateKey, createPublicKey, type KeyObject, randomBytes, sign } from 'node:crypto'
import type { Secret } from '../secrets/secret.ts'
import type { KeyType } from './keyPair.ts'
import { certificatePem, pemOf } from './pem.ts'
import { type AlternativeNames, alternativeNames, commonName, type HostNames } from './profile.ts'
import {
  bits,
  boolean,
  children,
  content,
  context,
  contextOctets,
  type Der,
  decode,
  encode,
  integer,
  nothing,
  octets,
  oid,
  sequence,
  set,
  time,
  utf8,
} from './stores/der.ts'

/** Builds an X.509 extension (RFC 5280, section 4.2.1). */
function extension(id: string, value: Der, critical = false): Der {
  const flag = critical ? [boolean(true)] : []
  return sequence(oid(id), ...flag, octets(encode(value)))
}

/** An authority that signs leaves, but no other authorities. */
export const authorityConstraints = (): Der =>
  extension('2.5.29.19', sequence(boolean(true), integer(0)), true)

export const leafConstraints = (): Der => extension('2.5.29.19', sequence(), true)

/** keyCertSign and cRLSign. */
export const authorityUsage = (): Der => extension('2.5.29.15', bits(Buffer.of(0b0000_0110), 1), true)

/** digitalSignature: enough for an elliptic-curve key in TLS; an RSA key also needs key encipherment. */
export const leafUsage = (type: KeyType = 'ec'): Der =>
  type === 'ec'
    ? extension('2.5.29.15', bits(Buffer.of(0b1000_0000), 7), true)
    : extension('2.5.29.15', bits(Buffer.of(0b1010_0000), 5), true)

/** serverAuth and clientAuth: Java components use one keystore for both. */
export const leafPurposes = (): Der =>
  extension('2.5.29.37', sequence(oid('1.3.6.1.5.5.7.3.1'), oid('1.3.6.1.5.5.7.3.2')))

/** Names as dNSName [2], addresses as iPAddress [7]. */
export const subjectNames = (names: AlternativeNames): Der =>
  extension(
    '2.5.29.17',
    sequence(
      ...names.dns.map((name) => contextOctets(2, Buffer.from(name, 'ascii'))),
      ...names.addresses.map((address) => contextOctets(7, address)),
    ),
  )

export const subjectKey = (publicKey: Buffer): Der => extension('2.5.29.14', octets(keyIdentifier(publicKey)))

export const authorityKey = (publicKey: Buffer): Der =>
  extension('2.5.29.35', sequence(contextOctets(0, keyIdentifier(publicKey))))

/** SHA-1 of the public key's bits (RFC 5280, section 4.2.1.2, method 1); `publicKey` is its DER. */
function keyIdentifier(publicKey: Buffer): Buffer {
  const keyBits = content(children(decode(publicKey))[1]).subarray(1)
  return createHash('sha1').update(keyBits).digest()
}

/** A Name (RFC 5280, section 4.1.2.4) with a common name only. */
export const nameOf = (commonName: string): Der => sequence(set(sequence(oid('2.5.4.3'), utf8(commonName))))

/** Returns the subject of a certificate unchanged, since Java compares names byte for byte. */
export function subjectOf(certificate: Buffer): Der {
  const subject = children(children(decode(certificate))[0])[5]
  if (subject === undefined) throw new Error('a certificate without a subject')
  return subject
}

/**
 * Makes an X.509 version 3 certificate (RFC 5280, section 4.1), as PEM. `random` is for the serial number.
 */
export function signCertificate(options: {
  readonly subject: Der
  /** SubjectPublicKeyInfo, DER. */
  readonly publicKey: Buffer
  readonly issuer: Der
  readonly issuerKey: Secret
  readonly validity: { readonly notBefore: Date; readonly notAfter: Date }
  readonly extensions: readonly Der[]
  readonly random?: (size: number) => Buffer
}): string {
  const key = createPrivateKey(options.issuerKey.reveal())
  const content = sequence(
    context(0, integer(2)),
    integer(serialNumber(options.random ?? randomBytes)),
    signatureAlgorithm(key),
    options.issuer,
    sequence(time(options.validity.notBefore), time(options.validity.notAfter)),
    options.subject,
    decode(options.publicKey),
    context(3, sequence(...options.extensions)),
  )
  return certificatePem(encode(signedBy(key, content)))
}

/** Positive and 16 bytes long: a first byte of 0x40 to 0x7f. */
function serialNumber(random: (size: number) => Buffer): Buffer {
  const bytes = random(16)
  return Buffer.concat([Buffer.of(((bytes[0] ?? 0) & 0x3f) | 0x40), bytes.subarray(1)])
}

/** Signs content with SHA-256, as in certificates and requests (RFC 5280, section 4.1). */
function signedBy(key: KeyObject, content: Der): Der {
  return sequence(content, signatureAlgorithm(key), bits(sign('sha256', encode(content), key)))
}

/** SHA-256 with the key's own algorithm: ECDSA, or RSA without PSS. */
const signatureAlgorithm = (key: KeyObject): Der =>
  key.asymmetricKeyType === 'ec'
    ? sequence(oid('1.2.840.10045.4.3.2'))
    : sequence(oid('1.2.840.113549.1.1.11'), nothing())

/** extensionRequest of PKCS#9 (RFC 2985, section 5.4.2). */
const extensionRequest = '1.2.840.113549.1.9.14'

/**
 * Creates a certificate request (PKCS#10, RFC 2986), as PEM, with a host's key and all names of its
 * certificate. Throws `CertificateError` (`bad-name`).
 */
export function signingRequest(options: HostNames & { readonly key: Secret }): string {
  const key = createPrivateKey(options.key.reveal())
  const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' })
  const names = subjectNames(alternativeNames(options))
  const content = sequence(
    integer(0),
    nameOf(commonName(options.names[0] ?? options.addresses[0] ?? 'localhost')),
    decode(publicKey),
    context(0, sequence(oid(extensionRequest), set(sequence(names)))),
  )
  return pemOf('CERTIFICATE REQUEST', encode(signedBy(key, content)))
}
