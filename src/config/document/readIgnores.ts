import type { CST } from 'yaml'
import type { Span } from '../../diagnostics/diagnostic.ts'
import type { Lines } from './lines.ts'

/** A comment from its `#` to the end of its line; offsets in UTF-16 units. */
export type RawComment = { readonly from: number; readonly to: number; readonly text: string }

const isComment = (value: object): value is CST.SourceToken => 'type' in value && value.type === 'comment'

/**
 * Lists the comments of a text by position, as the lexer sees them: a `#` inside quotes or a block is none.
 */
export function commentsOf(tokens: readonly CST.Token[]): readonly RawComment[] {
  const comments: RawComment[] = []
  const pending: unknown[] = [...tokens]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (typeof next !== 'object' || next === null) continue
    if (isComment(next)) {
      const { offset, source } = next
      comments.push({ from: offset, to: offset + source.length, text: source })
      continue
    }
    for (const within of Object.values(next)) if (within !== undefined) pending.push(within)
  }
  return comments.sort((a, b) => a.from - b.from)
}

/** A comment `# muster-ignore: CODE[, CODE] reason`. */
export type Ignore = {
  /** As written; the codes may not exist. */
  readonly codes: readonly { readonly code: string; readonly span: Span }[]
  /** Empty without a reason. */
  readonly reason: string
  readonly span: Span
  /** The line whose findings it silences; absent if no line follows. */
  readonly line?: number
}

/** Start of such a comment. A file without this word has none. */
export const ignoreWord = 'muster-ignore'

const start = new RegExp(`^#+[ \\t]*${ignoreWord}(?:[ \\t]*:|(?=[ \\t]|$))`)
const firstCode = /^[ \t]*([^\s,]+)/
const nextCode = /^[ \t]*,[ \t]*([^\s,]+)/
const hasWord = /[\p{L}\p{N}]/u

type Parts = {
  readonly codes: readonly { readonly code: string; readonly at: number }[]
  readonly reason: string
}

/** Parses codes with their offsets, and the reason; undefined for other comments. */
function partsOf(comment: string): Parts | undefined {
  const word = start.exec(comment)?.[0]
  if (word === undefined) return undefined
  const codes: { code: string; at: number }[] = []
  let at = word.length
  for (let next = firstCode; ; next = nextCode) {
    const [all = '', written = ''] = next.exec(comment.slice(at)) ?? []
    if (all === '') break
    // "CODE: reason" is meant as "CODE reason".
    codes.push({ code: written.replace(/:$/, ''), at: at + all.length - written.length })
    at += all.length
  }
  const reason = comment
    .slice(at)
    .replace(/^[\s,:–—-]+/, '')
    .trimEnd()
  return { codes, reason: hasWord.test(reason) ? reason : '' }
}

/** Reads the comments of one text that silence findings, with the line of each. */
export function readIgnores(
  comments: readonly RawComment[],
  file: { readonly text: string; readonly lines: Lines },
): readonly Ignore[] {
  const { text, lines } = file
  const rows = text.split('\n')
  const located = comments.map((comment) => {
    const span = lines.span(comment.from, comment.to)
    const isAlone = (rows[span.line - 1] ?? '').slice(0, span.column - 1).trim() === ''
    return { comment, span, isAlone }
  })
  const commentLines = new Set(located.filter(({ isAlone }) => isAlone).map(({ span }) => span.line))
  // Backwards, so that a file full of comments is still looked at once.
  const targetLines: (number | undefined)[] = []
  for (let line = rows.length; line > 0; line--) {
    const skipped = commentLines.has(line) || rows[line - 1]?.trim() === ''
    targetLines[line] = skipped ? targetLines[line + 1] : line
  }

  return located.flatMap(({ comment, span, isAlone }) => {
    const parts = partsOf(comment.text)
    if (parts === undefined) return []
    const line = isAlone ? targetLines[span.line] : span.line
    const codes = parts.codes.map(({ code, at }) => ({
      code,
      span: lines.span(comment.from + at, comment.from + at + code.length),
    }))
    return [{ codes, reason: parts.reason, span, ...(line === undefined ? {} : { line }) }]
  })
}
