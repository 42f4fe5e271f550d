import { diagnose } from './diagnose.ts'
import type { Diagnostic } from './diagnostic.ts'

/** How many findings are told: whoever has more has one cause for most of them. */
export const mostFindings = 1000

/** The first thousand findings, and an error that counts the rest; called last, on findings in their order. */
export function shorten(findings: readonly Diagnostic[]): readonly Diagnostic[] {
  const next = findings[mostFindings]
  if (next === undefined) return findings
  const facts = { more: findings.length - mostFindings }
  return [...findings.slice(0, mostFindings), diagnose('too-many-findings', facts, { span: next.span })]
}
