import {
  authorityUsage,
  leafPurposes,
  nameOf,
  signCertificate,
} from '../../src/certificates/signCertificate.ts'
import type { Secret } from '../../src/secrets/secret.ts'
import { certifiedNames, isAuthority, makeKeyPair } from './serverCertificate.ts'

const day = 86_400_000

export type TestAuthority = {
  readonly certificate: string
  readonly commonName: string
  readonly key: Secret
}

export type TestLeaf = { readonly key: string; readonly cert: string }

/** A certificate authority for one test file, valid for a day; its own root unless a parent signs it. */
export function makeAuthority(commonName = 'test authority', parent?: TestAuthority): TestAuthority {
  const { key, publicKey } = makeKeyPair()
  const certificate = signCertificate({
    subject: nameOf(commonName),
    publicKey,
    issuer: nameOf(parent?.commonName ?? commonName),
    issuerKey: parent?.key ?? key,
    validity: { notBefore: new Date(Date.now() - day), notAfter: new Date(Date.now() + day) },
    extensions: [isAuthority(), authorityUsage()],
  })
  return { certificate, commonName, key }
}

/** A server certificate for names and IP addresses; valid for a day from `from` unless told. */
export function makeLeaf(
  authority: TestAuthority,
  leaf: { readonly names: readonly string[]; readonly from?: number; readonly to?: number },
): TestLeaf {
  const { key, publicKey } = makeKeyPair()
  const cert = signCertificate({
    subject: nameOf('test leaf'),
    publicKey,
    issuer: nameOf(authority.commonName),
    issuerKey: authority.key,
    validity: {
      notBefore: new Date(leaf.from ?? Date.now() - day),
      notAfter: new Date(leaf.to ?? Date.now() + day),
    },
    extensions: [leafPurposes(), certifiedNames(leaf.names)],
  })
  return { key: key.reveal(), cert }
}
