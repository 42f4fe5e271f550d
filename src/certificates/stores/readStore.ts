import type { Secret } from '../../secrets/secret.ts'
import { MalformedError } from './der.ts'
import { jksMagic, jksStore } from './jksStore.ts'
import { pkcs12Store } from './pkcs12Store.ts'
import type { Store } from './store.ts'
import { StoreReadError, type StoreReadReason } from './storeReadError.ts'

export type ReadStore =
  | { readonly ok: true; readonly store: Store }
  | { readonly ok: false; readonly reason: StoreReadReason; readonly detail: string }

/** Opens a PKCS#12 or JKS store. What cannot be opened is a result with its reason, never a throw. */
export function readStore(bytes: Buffer, password: Secret): ReadStore {
  const known = otherFormat(bytes)
  if (known !== undefined) return { ok: false, ...known }
  try {
    const isJks = bytes.readUInt32BE() === jksMagic
    return { ok: true, store: isJks ? jksStore(bytes, password) : pkcs12Store(bytes, password) }
  } catch (error) {
    if (error instanceof StoreReadError) return { ok: false, reason: error.reason, detail: error.message }
    if (error instanceof MalformedError) return { ok: false, reason: 'not-a-store', detail: error.message }
    throw error
  }
}

/** Files that are often given instead of a store, told by their first bytes. */
function otherFormat(bytes: Buffer): { reason: StoreReadReason; detail: string } | undefined {
  if (bytes.length === 0) return { reason: 'not-a-store', detail: 'the file is empty' }
  if (bytes.length < 24) return { reason: 'not-a-store', detail: 'the file is too short' }
  if (bytes.toString('latin1').includes('-----BEGIN '))
    return { reason: 'not-a-store', detail: 'the file is PEM text' }
  if (bytes.readUInt32BE() === 0xcececece) return { reason: 'unsupported', detail: 'the format JCEKS' }
  return undefined
}
