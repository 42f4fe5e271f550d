import type { Secret } from '../../secrets/secret.ts'

/** Why a store could not be read. */
export type StoreReadReason = 'wrong-password' | 'key-password' | 'not-a-store' | 'unsupported'

/** Thrown inside this folder and turned into a finding by `readStore`; `detail` is a part of a sentence. */
export class StoreReadError extends Error {
  readonly reason: StoreReadReason

  constructor(reason: StoreReadReason, detail: string) {
    super(detail)
    this.name = 'StoreReadError'
    this.reason = reason
  }
}

/** A private key of a store with its certificates, as PEM. */
export type StoreKey = {
  /** As the store has it; Java compares aliases without regard to case. */
  readonly alias: string
  /** PKCS#8 PEM. */
  readonly key: Secret
  /** The key's own certificate first, then those that issued it, as far as the store has them. */
  readonly chain: readonly string[]
}

/** What Java sees in a store: entries with a key, and certificates marked as trusted. */
export type Store = {
  readonly format: 'pkcs12' | 'jks'
  readonly keys: readonly StoreKey[]
  readonly trusted: readonly { readonly alias: string; readonly certificate: string }[]
  /** Certificates that belong to no entry: Java ignores them. */
  readonly unused: readonly string[]
}
