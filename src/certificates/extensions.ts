import { createHash } from 'node:crypto'
import type { KeyType } from './keyPair.ts'
import type { AlternativeNames } from './profile.ts'
import {
  bits,
  boolean,
  children,
  content,
  contextOctets,
  type Der,
  decode,
  encode,
  integer,
  octets,
  oid,
  sequence,
} from './stores/der.ts'

/** X.509 extensions (RFC 5280, section 4.2.1), each as the node that goes into the certificate. */
function extension(id: string, value: Der, critical = false): Der {
  const flag = critical ? [boolean(true)] : []
  return sequence(oid(id), ...flag, octets(encode(value)))
}

/** An authority that may sign leaves and nothing below them. */
export const authorityConstraints = (): Der =>
  extension('2.5.29.19', sequence(boolean(true), integer(0)), true)

export const leafConstraints = (): Der => extension('2.5.29.19', sequence(), true)

/** keyCertSign and cRLSign. */
export const authorityUsage = (): Der => extension('2.5.29.15', bits(Buffer.of(0b0000_0110), 1), true)

/** digitalSignature: all that an elliptic-curve key does in TLS; an RSA key may take part in key exchange, too. */
export const leafUsage = (type: KeyType = 'ec'): Der =>
  type === 'ec'
    ? extension('2.5.29.15', bits(Buffer.of(0b1000_0000), 7), true)
    : extension('2.5.29.15', bits(Buffer.of(0b1010_0000), 5), true)

/** serverAuth and clientAuth: components of Java call each other with the same keystore. */
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
