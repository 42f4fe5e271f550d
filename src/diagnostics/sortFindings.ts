import type { Diagnostic } from './diagnostic.ts'

const identity = ({ code, message, span }: Diagnostic): string =>
  JSON.stringify([code, message, span.file, span.line, span.column])

/** Sorts findings by file (in the order of `files`), line and column; removes duplicates. */
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
      a.code.localeCompare(b.code, 'en'),
  )
}
