import type { Secret } from '../secrets/secret.ts'
import type { Authority } from './authority.ts'
import type { KeyType } from './keyPair.ts'
import { createKeystore } from './keystore.ts'
import { issueLeaf, type Leaf } from './leaf.ts'
import type { HostNames } from './profile.ts'
import { createTruststore } from './truststore.ts'

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
export type StoreLocks = {
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
