import type { Diagnostic } from './diagnostic.ts'
import { finding } from './finding.ts'

/** Limit of reported findings: more have mostly one cause. */
export const maxFindings = 1000

const tooManyFindings = finding('too-many-findings', (facts: { more: number }) => ({
  message: `${facts.more} more findings are not listed.`,
  why: 'So many findings usually have one cause: the wrong file, or a mistake near the top.',
  fix: 'Fix the first ones, then validate again.',
}))

/**
 * Keeps the first thousand findings and adds an error that counts the rest; call it last, on sorted findings.
 */
export function limitFindings(findings: readonly Diagnostic[]): readonly Diagnostic[] {
  const next = findings[maxFindings]
  if (next === undefined) return findings
  const facts = { more: findings.length - maxFindings }
  return [...findings.slice(0, maxFindings), tooManyFindings(facts, { span: next.span })]
}
