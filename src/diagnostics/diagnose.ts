import { type Code, catalogue, type Facts } from './catalogue.ts'
import type { Diagnostic, Span } from './diagnostic.ts'

/** Location of a finding, its host, and related locations. */
export type Place = {
  readonly span: Span
  readonly host?: string
  readonly related?: NonNullable<Diagnostic['related']>
}

/** Creates a finding of the catalogue; the compiler checks its facts against the entry. */
export function diagnose<C extends Code>(code: C, facts: Facts<C>, place: Place): Diagnostic {
  const entry = catalogue[code]
  // Code and facts belong together by the signature, which the compiler cannot follow through the index.
  const text = (entry.text as (facts: Facts<C>) => ReturnType<typeof entry.text>)(facts)
  const { span, host, related } = place
  const finding = { code, severity: entry.severity, ...text, span }
  return { ...finding, ...(host !== undefined && { host }), ...(related !== undefined && { related }) }
}
