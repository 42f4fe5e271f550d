import { randomBytes } from 'node:crypto'
import type { Secret } from '../secrets/secret.ts'
import { certificatesOf } from './pem.ts'
import {
  certificateBag,
  friendlyName,
  type Random,
  trustedForAll,
  writePkcs12,
} from './stores/writePkcs12.ts'

/**
 * A PKCS#12 truststore of authorities; keytool lists each as trustedCertEntry, `authority` the first,
 * then `authority-2` and so on.
 */
export function createTruststore(options: {
  /** PEM. */
  readonly authorities: readonly string[]
  readonly password: Secret
  readonly random?: Random
}): Buffer {
  const { password, random = randomBytes } = options
  const certificates = options.authorities.flatMap((pem) => certificatesOf(pem) ?? [])
  const bags = certificates.map((certificate, index) => {
    const alias = index === 0 ? 'authority' : `authority-${index + 1}`
    return certificateBag(certificate.raw, [friendlyName(alias), trustedForAll()])
  })
  return writePkcs12({ bags, password, random })
}
