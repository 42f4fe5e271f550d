import { shortListOf } from '../base/words.ts'
import { type Code, severities } from '../diagnostics/codes.ts'
import type { Diagnostic } from '../diagnostics/diagnostic.ts'
import type { FindingText } from '../diagnostics/finding.ts'

/** A finding about a store; its text is made later, when all hosts with it are known. */
export type StoreProblem = {
  /** Its first word is `keystore` or `truststore`. */
  readonly code: Code
  /** Facts of its text; `missing`: names that the certificate lacks. */
  readonly facts: { readonly missing?: readonly string[] }
  readonly text: (hosts: readonly string[], missing: readonly string[] | undefined) => FindingText
}

/** Defines a finding about a store, once for each code; `text` gets the list of the hosts. */
export const storeFinding =
  <Facts extends object>(code: Code, text: (hosts: string, facts: Facts) => FindingText) =>
  (facts: Facts): StoreProblem => ({
    code,
    facts,
    text: (hosts, missing) => text(shortListOf(hosts), { ...facts, ...(missing && { missing }) }),
  })

export const isWarning = ({ code }: StoreProblem): boolean => severities[code] !== 'error'

/** Writes the finding for these hosts, with all names that their certificates lack; the caller adds the span. */
export function reportStoreProblem(
  { code, text }: StoreProblem,
  hosts: readonly string[],
  missing?: readonly string[],
): Omit<Diagnostic, 'span' | 'code'> & { readonly code: Code } {
  return { code, severity: severities[code], ...text(hosts, missing) }
}
