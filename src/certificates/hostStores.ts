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
 * Creates a PKCS#12 truststore; keytool lists each authority as trustedCertEntry: `authority`, `authority-2`
 * and so on.
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

/** Creates a JKS truststore, for programs that cannot read PKCS#12; `now` is the date of its entries. */
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

/**
 * Creates a PKCS#12 keystore of one key with its chain; keytool lists it as PrivateKeyEntry under the alias.
 */
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

/** TLS files of one host: two stores for Java, and the same key and chain for muster-api. */
export type HostStores = {
  /** PKCS#12. */
  readonly keystore: Buffer
  /** PKCS#12. */
  readonly truststore: Buffer
  /** PKCS#8 PEM. */
  readonly key: Secret
  /** The leaf, then its authority; PEM. */
  readonly chain: string
  /** The outside authority (PEM) that signed the leaf, which is then never renewed; absent for our own. */
  readonly outside?: string
}

/** Passwords and alias of the stores, and the trusted authorities. */
type StoreOptions = {
  /** Authorities (PEM) of the truststore; default: the leaf's own. */
  readonly trusted?: readonly string[]
  readonly alias: string
  readonly keystorePassword: Secret
  readonly truststorePassword: Secret
}

/** Creates the key, certificate and stores of one host. Throws `CertificateError`. */
export async function createHostStores(
  options: HostNames &
    StoreOptions & {
      readonly authority: Authority
      readonly keyType?: KeyType
      readonly lifetimeDays: number
      readonly now: Date
    },
): Promise<HostStores> {
  return packHostStores({ ...options, leaf: await issueLeaf(options) })
}

/** Packs an existing key and certificate into stores, for example under another alias or password. */
export function packHostStores(
  options: StoreOptions & { readonly leaf: Leaf; readonly authority: { readonly certificate: string } },
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
