import { createPrivateKey, type KeyObject, randomBytes, sign } from 'node:crypto'
import type { Secret } from '../secrets/secret.ts'
import { certificatePem } from './pem.ts'
import {
  bits,
  children,
  context,
  type Der,
  decode,
  encode,
  integer,
  nothing,
  oid,
  sequence,
  set,
  time,
  utf8,
} from './stores/der.ts'

/** A Name (RFC 5280, section 4.1.2.4) of one common name. */
export const nameOf = (commonName: string): Der => sequence(set(sequence(oid('2.5.4.3'), utf8(commonName))))

/** The subject of a certificate, byte for byte: Java compares names so. */
export function subjectOf(certificate: Buffer): Der {
  const subject = children(children(decode(certificate))[0])[5]
  if (subject === undefined) throw new Error('a certificate without a subject')
  return subject
}

/** Makes an X.509 version 3 certificate (RFC 5280, section 4.1), as PEM. `random` gives its serial number. */
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

/** Something signed with SHA-256 by a key, as certificates and requests for one are (RFC 5280, section 4.1). */
export function signedBy(key: KeyObject, content: Der): Der {
  return sequence(content, signatureAlgorithm(key), bits(sign('sha256', encode(content), key)))
}

/** SHA-256 with the key's own algorithm: ECDSA, or RSA without PSS. */
const signatureAlgorithm = (key: KeyObject): Der =>
  key.asymmetricKeyType === 'ec'
    ? sequence(oid('1.2.840.10045.4.3.2'))
    : sequence(oid('1.2.840.113549.1.1.11'), nothing())
