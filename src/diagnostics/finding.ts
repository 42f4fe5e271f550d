import { type Code, severities } from './codes.ts'
import type { Diagnostic, Span } from './diagnostic.ts'

/** Location of a finding, its host, and related locations. */
export type Place = {
  readonly span: Span
  readonly host?: string
  readonly related?: NonNullable<Diagnostic['related']>
}

/** Text of a finding: problem, reason and fix. */
export type FindingText = Pick<Diagnostic, 'message' | 'why' | 'fix'>

/** Creates a finding of one code from its facts. */
export type Finding<Facts> = (facts: Facts, place: Place) => Diagnostic

/** Defines the text of a finding, once for each code; its page in docs/findings says the severity. */
export const finding =
  <Facts>(code: Code, text: (facts: Facts) => FindingText): Finding<Facts> =>
  (facts, { span, host, related }) => ({
    code,
    severity: severities[code],
    ...text(facts),
    span,
    ...(host !== undefined && { host }),
    ...(related !== undefined && { related }),
  })
