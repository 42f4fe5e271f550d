import { createPrivateKey, type X509Certificate } from 'node:crypto'
import type { Secret } from '../secrets/secret.ts'
import { chainOf } from './chainOf.ts'
import { nameProblem, timeProblem } from './leafProblems.ts'
import { certificatesOf } from './pem.ts'
import { type StoreProblem, storeProblem, unopened } from './storeProblem.ts'
import { readStore } from './stores/readStore.ts'
import type { Store, StoreKey } from './stores/store.ts'
import { emptyProblem, trustProblem } from './trustProblem.ts'

/** A store as it lies on disk and what opens it. */
export type LockedStore = { readonly bytes: Buffer; readonly password: Secret }

/** The key that servers use, with its certificate and those that issued it. */
export type KeyEntry = {
  readonly key: Secret
  readonly chain: readonly [X509Certificate, ...X509Certificate[]]
}

export type JudgedStores = {
  readonly entry?: KeyEntry
  readonly truststore?: Store
  /** Of both stores, warnings too. */
  readonly problems: readonly StoreProblem[]
}

/**
 * Opens the stores of one host (PKCS#12 or JKS) and judges what is in them, each as far as it is given; all
 * findings at once. Of `names` one must be covered, the others are warnings.
 */
export function judgeStores(options: {
  readonly keystore?: LockedStore | undefined
  readonly truststore?: LockedStore | undefined
  readonly alias: string
  readonly names: readonly string[]
  readonly now: Date
  readonly warningDays: number
  /** For a caller that meets a store more than once. */
  readonly read?: typeof readStore
}): JudgedStores {
  const { keystore, truststore, now, read = readStore } = options
  const problems: StoreProblem[] = []
  const kept = <T extends object>(found: T | StoreProblem | undefined): T | undefined => {
    if (found === undefined || !isProblem(found)) return found
    problems.push(found)
    return undefined
  }
  const entry = kept(keystore && keyEntry(read(keystore.bytes, keystore.password), options.alias))
  if (entry !== undefined) {
    kept(timeProblem({ ...options, leaf: entry.chain[0] }))
    kept(nameProblem(entry.chain[0], options.names))
  }
  const trusted = kept(truststore && trustStore(read(truststore.bytes, truststore.password)))
  if (trusted !== undefined && entry !== undefined) {
    kept(trustProblem({ truststore: trusted, chain: entry.chain, now }))
  }
  return { ...(entry && { entry }), ...(trusted && { truststore: trusted }), problems }
}

const isProblem = (found: object): found is StoreProblem => 'code' in found

function keyEntry(read: ReturnType<typeof readStore>, alias: string): KeyEntry | StoreProblem {
  if (!read.ok) return unopened('keystore', read)
  const entry = entryNamed(read.store, alias)
  if (isProblem(entry)) return entry
  const [leaf, ...issuers] = entry.chain.flatMap((pem) => certificatesOf(pem) ?? [])
  if (leaf === undefined) return storeProblem('keystore-no-certificate', { alias: entry.alias })
  if (!leaf.checkPrivateKey(createPrivateKey(entry.key.reveal()))) {
    return storeProblem('keystore-key-mismatch', { alias: entry.alias })
  }
  // A JKS store keeps any list in any order.
  return { key: entry.key, chain: [leaf, ...chainOf(leaf, issuers).slice(1)] }
}

function entryNamed(store: Store, alias: string): StoreKey | StoreProblem {
  const [first, ...others] = store.keys
  if (first === undefined) return storeProblem('keystore-no-private-key', {})
  const found = store.keys.find((key) => key.alias.toLowerCase() === alias.toLowerCase())
  if (found !== undefined) return found
  const has = [first.alias, ...others.map((key) => key.alias)] as const
  return storeProblem('keystore-alias-absent', { alias, has })
}

function trustStore(read: ReturnType<typeof readStore>): Store | StoreProblem {
  if (!read.ok) return unopened('truststore', read)
  return emptyProblem(read.store) ?? read.store
}
