import { createPrivateKey, type X509Certificate } from 'node:crypto'
import type { Secret } from '../secrets/secret.ts'
import { chainOf } from './chainOf.ts'
import { nameProblem, timeProblem } from './leafProblems.ts'
import { certificatePem, certificatesOf } from './pem.ts'
import { type StoreProblem, unreadable } from './storeProblem.ts'
import { readStore } from './stores/readStore.ts'
import type { Store, StoreKey } from './stores/store.ts'
import { trustProblem } from './trustProblem.ts'

export type OpenedStores =
  | {
      readonly ok: true
      /** PKCS#8 PEM. */
      readonly key: Secret
      /** The leaf, then its issuers as far as the keystore has them; PEM. */
      readonly chain: string
      /** PEM of what clients must trust: the truststore's certificates, without one the chain's last. */
      readonly authorities: readonly string[]
      readonly warnings: readonly StoreProblem[]
    }
  /** All findings, the warnings too. */
  | { readonly ok: false; readonly problems: readonly StoreProblem[] }

/**
 * Opens an operator's own stores (PKCS#12 or JKS) and judges them for one host; all findings at once.
 * `names` are the host's names and addresses without localhost: one must be covered, the others are warnings.
 */
export function openStores(options: {
  readonly keystore: Buffer
  readonly keystorePassword: Secret
  readonly truststore?: Buffer
  /** Absent: the keystore's. */
  readonly truststorePassword?: Secret
  readonly alias: string
  readonly names: readonly string[]
  readonly now: Date
  readonly warningDays: number
}): OpenedStores {
  const entry = keyEntry(options)
  const truststore = trustStore(options)
  const chain = 'key' in entry ? entry.chain : undefined
  const found = [
    'code' in entry ? entry : undefined,
    chain && timeProblem({ ...options, leaf: chain[0] }),
    chain && nameProblem(chain[0], options.names),
    truststore !== undefined && 'code' in truststore ? truststore : undefined,
    chain && truststore !== undefined && 'store' in truststore
      ? trustProblem({ truststore: truststore.store, chain, now: options.now })
      : undefined,
  ].filter((problem) => problem !== undefined)
  if (!('key' in entry) || !found.every(isWarning)) return { ok: false, problems: found }
  const trusted = truststore !== undefined && 'store' in truststore ? truststore.store.trusted : []
  const last = entry.chain.at(-1) ?? entry.chain[0]
  return {
    ok: true,
    key: entry.key,
    chain: entry.chain.map((one) => certificatePem(one.raw)).join(''),
    authorities: trusted.length > 0 ? trusted.map((one) => one.certificate) : [certificatePem(last.raw)],
    warnings: found,
  }
}

/** Whether a finding leaves the stores usable. */
export const isWarning = (problem: StoreProblem): boolean =>
  problem.code === 'keystore-expires-soon' || problem.code === 'keystore-names-partly-cover'

type KeyEntry = { readonly key: Secret; readonly chain: readonly [X509Certificate, ...X509Certificate[]] }

function keyEntry(options: {
  keystore: Buffer
  keystorePassword: Secret
  alias: string
}): KeyEntry | StoreProblem {
  const read = readStore(options.keystore, options.keystorePassword)
  if (!read.ok) return unreadable('keystore', read.reason, read.detail)
  const entry = entryNamed(read.store, options.alias)
  if ('code' in entry) return entry
  const [leaf, ...issuers] = entry.chain.flatMap((pem) => certificatesOf(pem) ?? [])
  if (leaf === undefined) {
    return {
      code: 'keystore-no-certificate',
      message: `entry \`${entry.alias}\` of the keystore has a private key but no certificate`,
      why: 'a server needs the certificate that belongs to its key',
      fix: 'put both in: `openssl pkcs12 -export -in chain.pem -inkey key.pem -name tls -out keystore.p12`',
    }
  }
  if (!leaf.checkPrivateKey(createPrivateKey(entry.key.reveal()))) {
    return {
      code: 'keystore-key-mismatch',
      message: `the private key of entry \`${entry.alias}\` does not belong to its certificate`,
      why: 'no TLS handshake can succeed with a key and a certificate of two different pairs',
      fix: 'make the keystore again from the key that the certificate was requested with',
    }
  }
  // A JKS store keeps any list in any order.
  return { key: entry.key, chain: [leaf, ...chainOf(leaf, issuers).slice(1)] }
}

function entryNamed(store: Store, alias: string): StoreKey | StoreProblem {
  if (store.keys.length === 0) {
    return {
      code: 'keystore-no-private-key',
      message: 'the keystore has certificates but no private key',
      why: 'a server proves who it is with the private key; a truststore has none',
      fix: 'give the keystore in java-tls-keystore-path and the truststore in java-truststore-path',
    }
  }
  const found = store.keys.find((key) => key.alias.toLowerCase() === alias.toLowerCase())
  if (found !== undefined) return found
  const names = store.keys.map((key) => `\`${key.alias}\``).join(', ')
  return {
    code: 'keystore-alias-absent',
    message: `the keystore has no private key named \`${alias}\`; it has ${names}`,
    why: 'the option java-tls-alias says which key the servers use',
    fix: `set java-tls-alias: ${store.keys[0]?.alias ?? ''}`,
  }
}

function trustStore(options: {
  keystorePassword: Secret
  truststore?: Buffer
  truststorePassword?: Secret
}): { readonly store: Store } | StoreProblem | undefined {
  if (options.truststore === undefined) return undefined
  const read = readStore(options.truststore, options.truststorePassword ?? options.keystorePassword)
  return read.ok ? { store: read.store } : unreadable('truststore', read.reason, read.detail)
}
