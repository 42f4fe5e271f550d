import type { Facts } from '../diagnostics/catalogue.ts'
import type { Diagnostic } from '../diagnostics/diagnostic.ts'
import { storeContentEntries } from '../diagnostics/entries/storeContents.ts'
import type { FindingText } from '../diagnostics/entry.ts'
import type { StoreReadReason } from './stores/store.ts'

/** Codes of findings about a store; the first word is `keystore` or `truststore`. */
export type StoreProblemCode = keyof typeof storeContentEntries

/** Facts for the text of a finding, without the hosts. */
export type StoreFacts<C extends StoreProblemCode> = Omit<Facts<C>, 'hosts'>

/** A finding about a store; its text is made later, when all hosts with it are known. */
export type StoreProblem = {
  readonly [C in StoreProblemCode]: { readonly code: C; readonly facts: StoreFacts<C> }
}[StoreProblemCode]

/** Creates a finding; the compiler checks its facts against the catalogue. */
export function storeProblem<C extends StoreProblemCode>(code: C, facts: StoreFacts<C>): StoreProblem {
  // Code and facts belong together by the signature, which the compiler cannot follow into the union.
  return { code, facts } as StoreProblem
}

/** Returns the finding for a store that cannot be opened; `detail` comes from `readStore`. */
export const unreadableStore = (
  store: 'keystore' | 'truststore',
  read: { readonly reason: StoreReadReason; readonly detail: string },
): StoreProblem => storeProblem(`${store}-${read.reason}`, { detail: read.detail })

export const isWarning = ({ code }: StoreProblem): boolean => storeContentEntries[code].severity !== 'error'

/** Writes the finding for these hosts; the caller adds the span. */
export function reportStoreProblem(
  problem: StoreProblem,
  hosts: readonly string[],
): Omit<Diagnostic, 'span' | 'code'> & { readonly code: StoreProblemCode } {
  const { code, facts } = problem
  const { severity, text } = storeContentEntries[code]
  // As in `storeProblem`: the union keeps code and facts together.
  const finding = (text as (facts: unknown) => FindingText)({ ...facts, hosts })
  return { code, severity, ...finding }
}
