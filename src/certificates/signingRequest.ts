import { createPrivateKey, createPublicKey } from 'node:crypto'
import type { Secret } from '../secrets/secret.ts'
import { subjectNames } from './extensions.ts'
import { pemOf } from './pem.ts'
import { alternativeNames, commonName, type HostNames } from './profile.ts'
import { nameOf, signedBy } from './signCertificate.ts'
import { context, decode, encode, integer, oid, sequence, set } from './stores/der.ts'

/** extensionRequest of PKCS#9 (RFC 2985, section 5.4.2). */
const extensionRequest = '1.2.840.113549.1.9.14'

/**
 * A request to an outside authority (PKCS#10, RFC 2986), as PEM: for a host's key and for all names that its
 * certificate must have. Throws `CertificateError` (`bad-name`).
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
