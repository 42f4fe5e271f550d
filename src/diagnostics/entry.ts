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

/** Facts of a finding about a name, which is hidden if it may be a piece of a secret. */
type NameFacts = { readonly hidden?: true }

/** Explains why the name of a finding is hidden, after another sentence. */
export const whyHidden = ({ hidden }: NameFacts): string =>
  hidden === true ? ' The name is hidden, because it may be part of a secret that is not in quotes.' : ''

/** Returns the fix for a name that is hidden. */
export const fixHidden = ({ hidden }: NameFacts): string | undefined =>
  hidden === true
    ? "Put the secret in single quotes: '…' (and write a single quote inside it twice). Then the name is shown."
    : undefined
