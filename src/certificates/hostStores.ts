import { createHash, createPrivateKey, randomBytes } from 'node:crypto'
import type { Secret } from '../secrets/secret.ts'
import type { Authority } from './authority.ts'
import type { KeyType } from './keyPair.ts'
import { issueLeaf, type Leaf } from './leaf.ts'
import { certificatesOf } from './pem.ts'
import type { HostNames } from './profile.ts'
import { writeJks } from './stores/jks.ts'
import {
  certificateBag,
  friendlyName,
  keyBag,
  localKeyId,
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

/** A PKCS#12 keystore of one key with its chain; keytool lists it as PrivateKeyEntry under the alias. */
export function createKeystore(options: {
  readonly leaf: Leaf
  readonly alias: string
  readonly password: Secret
  readonly random?: Random
}): Buffer {
  const { alias, password, random = randomBytes } = options
  const [leaf, ...issuers] = (certificatesOf(options.leaf.chain) ?? []).map((one) => one.raw)
  if (leaf === undefined) throw new Error('a leaf without a certificate')
  // OpenSSL's custom: the SHA-1 of the certificate ties it to its key.
  const attributes = [friendlyName(alias), localKeyId(createHash('sha1').update(leaf).digest())]
  const pkcs8 = createPrivateKey(options.leaf.key.reveal()).export({ format: 'der', type: 'pkcs8' })
  const bags = [
    keyBag({ pkcs8, password, attributes, random }),
    certificateBag(leaf, attributes),
    ...issuers.map((issuer) => certificateBag(issuer, [])),
  ]
  return writePkcs12({ bags, password, random })
}

/** Everything of one host's TLS: two stores for Java, and the same key and chain for our server. */
export type HostStores = {
  /** PKCS#12. */
  readonly keystore: Buffer
  /** PKCS#12. */
  readonly truststore: Buffer
  /** PKCS#8 PEM. */
  readonly key: Secret
  /** The leaf, then its authority; PEM. */
  readonly chain: string
  /** The outside authority (PEM) that signed the leaf; absent where ours did. It is never renewed then. */
  readonly outside?: string
}

/** How the two stores are locked, and whom the truststore trusts. */
type StoreLocks = {
  /** Authorities (PEM) of the truststore; the leaf's own alone unless given. */
  readonly trusted?: readonly string[]
  readonly alias: string
  readonly keystorePassword: Secret
  readonly truststorePassword: Secret
}

/** A new key and certificate for one host, packed. Throws `CertificateError`. */
export async function makeHostStores(
  options: HostNames &
    StoreLocks & {
      readonly authority: Authority
      readonly keyType?: KeyType
      readonly lifetimeDays: number
      readonly now: Date
    },
): Promise<HostStores> {
  return packHostStores({ ...options, leaf: await issueLeaf(options) })
}

/** Packs a key and certificate that exist, under another alias or password say. */
export function packHostStores(
  options: StoreLocks & { readonly leaf: Leaf; readonly authority: { readonly certificate: string } },
): HostStores {
  const { leaf, authority, alias } = options
  return {
    keystore: createKeystore({ leaf, alias, password: options.keystorePassword }),
    truststore: createTruststore({
      authorities: options.trusted ?? [authority.certificate],
      password: options.truststorePassword,
    }),
    key: leaf.key,
    chain: leaf.chain,
  }
}
