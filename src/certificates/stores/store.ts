import type { Secret } from '../../secrets/secret.ts'

/** Reason why a store could not be read. */
export type StoreReadReason = 'wrong-password' | 'key-password' | 'not-a-store' | 'unsupported'

/** Thrown inside this folder; `readStore` turns it into a result. `detail` is a part of a sentence. */
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
  /** Original spelling; Java compares aliases without regard to case. */
  readonly alias: string
  /** PKCS#8 PEM. */
  readonly key: Secret
  /** The key's own certificate first, then its issuers as far as the store has them. */
  readonly chain: readonly string[]
}

/** Entries that Java sees in a store: keys, and certificates marked as trusted. */
export type Store = {
  readonly format: 'pkcs12' | 'jks'
  readonly keys: readonly StoreKey[]
  readonly trusted: readonly { readonly alias: string; readonly certificate: string }[]
  /** Certificates without an entry, which Java ignores. */
  readonly unused: readonly string[]
}
