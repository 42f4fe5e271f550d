import { storeContentEntries } from './entries/storeContents.ts'
import type { Entry } from './entry.ts'

/** Texts of findings that do not yet stand with their rule, by code. */
export const catalogue = {
  ...storeContentEntries,
} as const

export type TextCode = keyof typeof catalogue

/** Facts for the text of a finding. */
export type Facts<C extends TextCode> = (typeof catalogue)[C] extends Entry<infer F> ? F : never
