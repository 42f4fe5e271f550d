import { catalogue, isCode } from '../../diagnostics/catalogue.ts'
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
const mostSuggestions = 1000

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
function suggestions(wishes: readonly IgnoredCode[]): ReadonlyMap<string, string | undefined> {
  const words = new Set(wishes.map(({ code }) => code).filter((code) => !isCode(code)))
  const codes = Object.keys(catalogue)
  return new Map([...words].slice(0, mostSuggestions).map((word) => [word, nearest(word, codes)]))
}

type IgnoreResult = {
  readonly isUnused: (wish: IgnoredCode) => boolean
  readonly nearest: ReadonlyMap<string, string | undefined>
}

function checkIgnored(wish: IgnoredCode, { isUnused, nearest }: IgnoreResult): readonly Diagnostic[] {
  const { code, span, ignore } = wish
  if (!isCode(code)) {
    const shown = looksLikeCode(code) ? code : undefined
    return [diagnose('ignore-unknown-code', { code: shown, nearest: nearest.get(code) }, { span })]
  }
  if (catalogue[code].severity === 'error') return [diagnose('ignore-error', { code }, { span })]
  if (ignore.reason === '' || !isUnused(wish)) return []
  return [diagnose('ignore-unused', { code, line: ignore.line }, { span })]
}

/**
 * Removes the warnings and notes, never errors, that comments of their files silence. Returns the others in
 * the order of `files`, with findings about the comments themselves. A comment counts as unused only without
 * any error, since errors prevent other checks, and if `isJudged` says that this command checks for the code
 * at all.
 */
export function applyIgnores(given: {
  readonly findings: readonly Diagnostic[]
  readonly ignores: readonly Ignore[]
  readonly files: readonly string[]
  readonly isChecked: (code: string) => boolean
}): { readonly findings: readonly Diagnostic[]; readonly silenced: readonly Silenced[] } {
  const { ignores, files, isChecked: isJudged } = given
  const all = sortFindings(given.findings, files)
  const wishes = ignores.flatMap((ignore) => ignore.codes.map((code): IgnoredCode => ({ ...code, ignore })))
  const granted = wishes.filter(({ ignore }) => ignore.reason !== '')
  const reasons = new Map(granted.map((wish) => [ignoredKey(wish), wish.ignore.reason]))
  const reasonFor = (finding: Diagnostic): string =>
    finding.severity === 'error' ? '' : (reasons.get(findingKey(finding)) ?? '')

  const found = new Set(all.map(findingKey))
  const sound = all.every(({ severity }) => severity !== 'error')
  const isUnused = (wish: IgnoredCode): boolean =>
    sound && isJudged(wish.code) && !found.has(ignoredKey(wish))
  const judgement = { isUnused, nearest: suggestions(wishes) }
  const own = [
    ...ignores.filter(({ reason }) => reason === '').map(withoutReason),
    ...wishes.flatMap((wish) => checkIgnored(wish, judgement)),
  ]
  return {
    findings: sortFindings([...all.filter((finding) => reasonFor(finding) === ''), ...own], files),
    silenced: all
      .map((finding) => ({ finding, reason: reasonFor(finding) }))
      .filter(({ reason }) => reason !== ''),
  }
}
