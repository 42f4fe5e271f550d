import { diagnose } from './diagnose.ts'
import type { Diagnostic } from './diagnostic.ts'

/** Limit of reported findings: more have mostly one cause. */
export const mostFindings = 1000

/**
 * Keeps the first thousand findings and adds an error that counts the rest; call it last, on sorted findings.
 */
export function shorten(findings: readonly Diagnostic[]): readonly Diagnostic[] {
  const next = findings[mostFindings]
  if (next === undefined) return findings
  const facts = { more: findings.length - mostFindings }
  return [...findings.slice(0, mostFindings), diagnose('too-many-findings', facts, { span: next.span })]
}
