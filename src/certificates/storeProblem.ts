import type { Facts } from '../diagnostics/catalogue.ts'
import type { Diagnostic } from '../diagnostics/diagnostic.ts'
import { openedStoreEntries } from '../diagnostics/entries/openedStores.ts'
import type { Words } from '../diagnostics/entry.ts'
import type { StoreReadReason } from './stores/store.ts'

/** Every finding about a store itself; the first word says which of the two. */
export type StoreProblemCode = keyof typeof openedStoreEntries

/** What the words of a finding need, beside whose store it is. */
export type StoreFacts<C extends StoreProblemCode> = Omit<Facts<C>, 'hosts'>

/** A finding about a store, whose words are made when it is known how many hosts have it. */
export type StoreProblem = {
  readonly [C in StoreProblemCode]: { readonly code: C; readonly facts: StoreFacts<C> }
}[StoreProblemCode]

/** A finding; the compiler holds the facts to what its words in the catalogue need. */
export function storeProblem<C extends StoreProblemCode>(code: C, facts: StoreFacts<C>): StoreProblem {
  // Code and facts belong together by the signature, which the compiler cannot follow into the union.
  return { code, facts } as StoreProblem
}

/** The finding for a store that cannot be opened; `detail` comes from `readStore`. */
export const unopened = (
  store: 'keystore' | 'truststore',
  read: { readonly reason: StoreReadReason; readonly detail: string },
): StoreProblem => storeProblem(`${store}-${read.reason}`, { detail: read.detail })

/** Whether a finding leaves the stores usable. */
export const isWarning = ({ code }: StoreProblem): boolean => openedStoreEntries[code].severity !== 'error'

/** The finding as it is told of these hosts; its place is for the caller to know. */
export function tellStoreProblem(problem: StoreProblem, hosts: readonly string[]): Omit<Diagnostic, 'span'> {
  const { code, facts } = problem
  const { severity, words } = openedStoreEntries[code]
  // As in `storeProblem`: the union keeps code and facts together.
  const told = (words as (facts: unknown) => Words)({ ...facts, hosts })
  return { code, severity, ...told }
}
