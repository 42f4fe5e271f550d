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
