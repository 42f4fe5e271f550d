import { codesOf } from './codes.ts'
import type { Diagnostic } from './diagnostic.ts'

const identity = ({ code, message, span }: Diagnostic): string =>
  JSON.stringify([code, message, span.file, span.line, span.column])

/** Codes that come before others at the same place, since they explain them. */
const causes: readonly string[] = codesOf('Differences of installed hosts')

const causeRank = ({ code }: Diagnostic): number =>
  causes.includes(code) ? causes.indexOf(code) : causes.length

/**
 * Sorts findings by file (in the order of `files`), line and column, at one place causes first; removes duplicates.
 */
export function sortFindings(
  findings: readonly Diagnostic[],
  files: readonly string[],
): readonly Diagnostic[] {
  const once = new Map(findings.map((finding) => [identity(finding), finding]))
  const place = new Map(files.map((file, index) => [file, index]))
  const rank = (finding: Diagnostic): number => place.get(finding.span.file) ?? files.length
  return [...once.values()].sort(
    (a, b) =>
      rank(a) - rank(b) ||
      a.span.line - b.span.line ||
      a.span.column - b.span.column ||
      causeRank(a) - causeRank(b) ||
      a.code.localeCompare(b.code, 'en'),
  )
}
