import { catalogue, type Facts, type TextCode } from './catalogue.ts'
import type { Diagnostic } from './diagnostic.ts'
import { finding, type Place } from './finding.ts'

/** Creates a finding of the catalogue; the compiler checks its facts against the entry. */
export function diagnose<C extends TextCode>(code: C, facts: Facts<C>, place: Place): Diagnostic {
  const entry = catalogue[code]
  // Code and facts belong together by the signature, which the compiler cannot follow through the index.
  return finding(code, entry.text as (facts: Facts<C>) => ReturnType<typeof entry.text>)(facts, place)
}
