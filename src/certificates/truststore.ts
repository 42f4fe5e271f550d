import { randomBytes } from 'node:crypto'
import type { Secret } from '../secrets/secret.ts'
import { certificatesOf } from './pem.ts'
import { writeJks } from './stores/writeJks.ts'
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
  const bags = named(options.authorities).map(({ alias, der }) =>
    certificateBag(der, [friendlyName(alias), trustedForAll()]),
  )
  return writePkcs12({ bags, password, random })
}

/** The same as JKS, for programs that read nothing newer; `now` is the time of its entries. */
export const createJksTruststore = (options: {
  /** PEM. */
  readonly authorities: readonly string[]
  readonly password: Secret
  readonly now: Date
}): Buffer => writeJks({ ...options, trusted: named(options.authorities) })

const named = (authorities: readonly string[]): readonly { readonly alias: string; readonly der: Buffer }[] =>
  authorities
    .flatMap((pem) => certificatesOf(pem) ?? [])
    .map(({ raw }, index) => ({ alias: index === 0 ? 'authority' : `authority-${index + 1}`, der: raw }))
