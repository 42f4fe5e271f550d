import { type Code, catalogue } from '../../diagnostics/catalogue.ts'
import type { Severity } from '../../diagnostics/diagnostic.ts'
import type { Explanation } from '../../diagnostics/explanations/explanation.ts'
import { explanations } from '../../diagnostics/explanations/groups.ts'

/** All that is said about one code of the catalogue. */
export type ExplainedFinding = Explanation & { readonly code: Code; readonly severity: Severity }

export const explainedFinding = (code: Code): ExplainedFinding => ({
  code,
  severity: catalogue[code].severity,
  ...explanations[code],
})

/** What stands above the two examples. There is nothing wrong with what a note is about. */
export const exampleTitles = ({
  severity,
}: ExplainedFinding): { readonly bad: string; readonly good: string } =>
  severity === 'note' ? { bad: 'With this note', good: 'Without it' } : { bad: 'Wrong', good: 'Right' }
