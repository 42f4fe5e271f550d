import type { Severity } from './diagnostic.ts'

/** Text of a finding: problem, reason and fix. */
export type FindingText = { readonly message: string; readonly why: string; readonly fix: string }

/** One entry of the catalogue: severity and text. */
export type Entry<Facts> = { readonly severity: Severity; readonly text: (facts: Facts) => FindingText }

/** Defines a finding that makes the configuration unusable. */
export const error = <Facts>(text: (facts: Facts) => FindingText): Entry<Facts> => ({
  severity: 'error',
  text,
})

/** Defines a finding that does not prevent an installation. */
export const warning = <Facts>(text: (facts: Facts) => FindingText): Entry<Facts> => ({
  severity: 'warning',
  text,
})

/** Defines a finding about something that could not be checked. */
export const note = <Facts>(text: (facts: Facts) => FindingText): Entry<Facts> => ({
  severity: 'note',
  text,
})
