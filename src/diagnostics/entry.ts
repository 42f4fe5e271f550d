import type { Severity } from './diagnostic.ts'

/** The words of a finding: what is wrong, why it matters and the fix. */
export type Words = { readonly message: string; readonly why: string; readonly fix: string }

/** One line of the catalogue: how bad a finding is and how its facts become words. */
export type Entry<Facts> = { readonly severity: Severity; readonly words: (facts: Facts) => Words }

/** An entry that makes a configuration unusable. */
export const error = <Facts>(words: (facts: Facts) => Words): Entry<Facts> => ({ severity: 'error', words })

/** An entry that a configuration may live with. */
export const warning = <Facts>(words: (facts: Facts) => Words): Entry<Facts> => ({
  severity: 'warning',
  words,
})

/** An entry that only says what could not be judged. */
export const note = <Facts>(words: (facts: Facts) => Words): Entry<Facts> => ({ severity: 'note', words })
