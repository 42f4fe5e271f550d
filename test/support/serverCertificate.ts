import { generateKeyPairSync } from 'node:crypto'
import { addressBytes } from '../../src/base/address.ts'
import type { KeyPair } from '../../src/certificates/keyPair.ts'
import { nameOf, signCertificate, subjectNames } from '../../src/certificates/signCertificate.ts'
import { boolean, type Der, encode, octets, oid, sequence } from '../../src/certificates/stores/der.ts'
import { Secret } from '../../src/secrets/secret.ts'

/** A self-signed certificate for loopback, in PEM: what a test's server shows and its client trusts. */
export type ServerCertificate = { readonly key: string; readonly chain: string }

/** Makes a key: one of an elliptic curve in a millisecond, one of RSA in a hundred. */
export function makeKeyPair(type: 'ec' | 'rsa' = 'ec'): KeyPair {
  const publicKeyEncoding = { type: 'spki', format: 'der' } as const
  const privateKeyEncoding = { type: 'pkcs8', format: 'pem' } as const
  const made =
    type === 'ec'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256', publicKeyEncoding, privateKeyEncoding })
      : generateKeyPairSync('rsa', { modulusLength: 2048, publicKeyEncoding, privateKeyEncoding })
  return { key: new Secret(made.privateKey), publicKey: made.publicKey }
}

/** The extension that makes an authority of a certificate; it may sign other authorities, too. */
export const isAuthority = (): Der =>
  sequence(oid('2.5.29.19'), boolean(true), octets(encode(sequence(boolean(true)))))

/** The extension with names and addresses that a certificate is for. */
export const certifiedNames = (names: readonly string[]): Der =>
  subjectNames({
    dns: names.filter((name) => addressBytes(name) === undefined),
    addresses: names.map(addressBytes).filter((it) => it !== undefined),
  })

/** Makes one; it is valid from two days ago until `notAfter`, tomorrow unless told. */
export function createServerCertificate(notAfter?: Date, type?: 'ec' | 'rsa'): ServerCertificate {
  const day = 24 * 60 * 60 * 1000
  const { key, publicKey } = makeKeyPair(type)
  const name = nameOf('localhost')
  const chain = signCertificate({
    subject: name,
    publicKey,
    issuer: name,
    issuerKey: key,
    validity: {
      notBefore: new Date(Date.now() - 2 * day),
      notAfter: notAfter ?? new Date(Date.now() + day),
    },
    extensions: [isAuthority(), certifiedNames(['localhost', '127.0.0.1'])],
  })
  return { key: key.reveal(), chain }
}
