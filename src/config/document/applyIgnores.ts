import { isCode, severities } from '../../diagnostics/codes.ts'
import { diagnose } from '../../diagnostics/diagnose.ts'
import type { Diagnostic, Span } from '../../diagnostics/diagnostic.ts'
import { nearest } from '../../diagnostics/nearest.ts'
import { sortFindings } from '../../diagnostics/sortFindings.ts'
import type { Ignore } from './readIgnores.ts'

/** A finding that a comment of its file silences, with the comment's reason. */
export type Silenced = { readonly finding: Diagnostic; readonly reason: string }

/** One code of a comment that silences findings. */
type IgnoredCode = { readonly code: string; readonly span: Span; readonly ignore: Ignore }

/** Limit of lookups for the nearest code, so that a file full of comments does not take minutes. */
const maxSuggestions = 1000

const looksLikeCode = (word: string): boolean => /^[A-Za-z][\w-]{0,59}$/.test(word)

const keyOf = (code: string, place: { readonly file: string; readonly line: number | undefined }): string =>
  `${code} ${place.line} ${place.file}`

const ignoredKey = ({ code, ignore }: IgnoredCode): string =>
  keyOf(code, { file: ignore.span.file, line: ignore.line })

const findingKey = ({ code, span }: Diagnostic): string => keyOf(code, span)

function withoutReason({ codes, span }: Ignore): Diagnostic {
  const code = codes.map((written) => written.code).find(isCode)
  return diagnose('ignore-without-reason', { code }, { span })
}

/** Finds the nearest code for each unknown one. */
function suggestions(ignoredCodes: readonly IgnoredCode[]): ReadonlyMap<string, string | undefined> {
  const words = new Set(ignoredCodes.map(({ code }) => code).filter((code) => !isCode(code)))
  const codes = Object.keys(severities)
  return new Map([...words].slice(0, maxSuggestions).map((word) => [word, nearest(word, codes)]))
}

type IgnoreResult = {
  readonly isUnused: (ignored: IgnoredCode) => boolean
  readonly nearest: ReadonlyMap<string, string | undefined>
}

function checkIgnored(ignored: IgnoredCode, { isUnused, nearest }: IgnoreResult): readonly Diagnostic[] {
  const { code, span, ignore } = ignored
  if (!isCode(code)) {
    const shown = looksLikeCode(code) ? code : undefined
    return [diagnose('ignore-unknown-code', { code: shown, nearest: nearest.get(code) }, { span })]
  }
  if (severities[code] === 'error') return [diagnose('ignore-error', { code }, { span })]
  if (ignore.reason === '' || !isUnused(ignored)) return []
  return [diagnose('ignore-unused', { code, line: ignore.line }, { span })]
}

/**
 * Removes the warnings and notes, never errors, that comments of their files silence. Returns the others in
 * the order of `files`, with findings about the comments themselves. A comment counts as unused only without
 * any error, since errors prevent other checks, and if `isChecked` returns true for its code, since no
 * command runs every check.
 */
export function applyIgnores(given: {
  readonly findings: readonly Diagnostic[]
  readonly ignores: readonly Ignore[]
  readonly files: readonly string[]
  readonly isChecked: (code: string) => boolean
}): { readonly findings: readonly Diagnostic[]; readonly silenced: readonly Silenced[] } {
  const { ignores, files, isChecked } = given
  const all = sortFindings(given.findings, files)
  const ignoredCodes = ignores.flatMap((ignore) =>
    ignore.codes.map((code): IgnoredCode => ({ ...code, ignore })),
  )
  const withReasons = ignoredCodes.filter(({ ignore }) => ignore.reason !== '')
  const reasons = new Map(withReasons.map((ignored) => [ignoredKey(ignored), ignored.ignore.reason]))
  const reasonFor = (finding: Diagnostic): string =>
    finding.severity === 'error' ? '' : (reasons.get(findingKey(finding)) ?? '')

  const found = new Set(all.map(findingKey))
  const hasNoError = all.every(({ severity }) => severity !== 'error')
  const isUnused = (ignored: IgnoredCode): boolean =>
    hasNoError && isChecked(ignored.code) && !found.has(ignoredKey(ignored))
  const result = { isUnused, nearest: suggestions(ignoredCodes) }
  const aboutComments = [
    ...ignores.filter(({ reason }) => reason === '').map(withoutReason),
    ...ignoredCodes.flatMap((ignored) => checkIgnored(ignored, result)),
  ]
  return {
    findings: sortFindings([...all.filter((finding) => reasonFor(finding) === ''), ...aboutComments], files),
    silenced: all
      .map((finding) => ({ finding, reason: reasonFor(finding) }))
      .filter(({ reason }) => reason !== ''),
  }
}
