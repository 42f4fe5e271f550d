import { diagnose } from './diagnose.ts'
import type { Diagnostic } from './diagnostic.ts'

/** Limit of reported findings: more have mostly one cause. */
export const maxFindings = 1000

/**
 * Keeps the first thousand findings and adds an error that counts the rest; call it last, on sorted findings.
 */
export function limitFindings(findings: readonly Diagnostic[]): readonly Diagnostic[] {
  const next = findings[maxFindings]
  if (next === undefined) return findings
  const facts = { more: findings.length - maxFindings }
  return [...findings.slice(0, maxFindings), diagnose('too-many-findings', facts, { span: next.span })]
}
