import { isCode, severities } from '../../diagnostics/codes.ts'
import type { Diagnostic, Span } from '../../diagnostics/diagnostic.ts'
import { finding } from '../../diagnostics/finding.ts'
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

const ignoreWithoutReason = finding('ignore-without-reason', (facts: { code: string | undefined }) => ({
  message:
    facts.code === undefined
      ? 'This comment names neither a finding nor a reason, so it silences nothing.'
      : 'This comment gives no reason, so it silences nothing.',
  why: 'Later readers of the file must be able to decide whether the finding may still be ignored.',
  fix: `Add the reason after the code: # muster-ignore: ${facts.code ?? 'CODE'} REASON`,
}))

function withoutReason({ codes, span }: Ignore): Diagnostic {
  const code = codes.map((written) => written.code).find(isCode)
  return ignoreWithoutReason({ code }, { span })
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

const ignoreUnknownCode = finding(
  'ignore-unknown-code',
  (facts: { code: string | undefined; nearest: string | undefined }) => ({
    message: `${facts.code ?? 'This'} is not the code of a finding.`,
    why: 'The comment silences nothing, and the finding you meant is still reported.',
    fix:
      facts.nearest === undefined
        ? 'Copy the code from the finding, and put the reason after it.'
        : `Did you mean ${facts.nearest}?`,
  }),
)

const ignoreUnused = finding('ignore-unused', (facts: { code: string; line: number | undefined }) => ({
  message:
    facts.line === undefined
      ? `No line follows this comment, so it cannot silence ${facts.code}.`
      : `Line ${facts.line} has no finding ${facts.code}, so this comment silences nothing.`,
  why: 'It misleads readers, and would hide a later finding that has not been reviewed.',
  fix: 'Remove it, or move it: after a value it applies to that line, alone on its line to the next line.',
}))

const ignoreError = finding('ignore-error', (facts: { code: string }) => ({
  message: `${facts.code} is an error, and errors cannot be silenced.`,
  why: 'A file with an error cannot be used.',
  fix: 'Fix the error, and remove the code from this comment.',
}))

function checkIgnored(ignored: IgnoredCode, { isUnused, nearest }: IgnoreResult): readonly Diagnostic[] {
  const { code, span, ignore } = ignored
  if (!isCode(code)) {
    const shown = looksLikeCode(code) ? code : undefined
    return [ignoreUnknownCode({ code: shown, nearest: nearest.get(code) }, { span })]
  }
  if (severities[code] === 'error') return [ignoreError({ code }, { span })]
  if (ignore.reason === '' || !isUnused(ignored)) return []
  return [ignoreUnused({ code, line: ignore.line }, { span })]
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
