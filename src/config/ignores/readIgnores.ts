import type { Lines } from '../document/lines.ts'
import type { RawComment } from './comments.ts'
import { type Ignore, ignoreWord } from './ignore.ts'

const start = new RegExp(`^#+[ \\t]*${ignoreWord}(?:[ \\t]*:|(?=[ \\t]|$))`)
const firstCode = /^[ \t]*([^\s,]+)/
const nextCode = /^[ \t]*,[ \t]*([^\s,]+)/
const hasWord = /[\p{L}\p{N}]/u

type Parts = {
  readonly codes: readonly { readonly code: string; readonly at: number }[]
  readonly reason: string
}

/** Codes with their offsets and the reason; undefined when the comment is about something else. */
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

/** The comments of one text that silence findings, and the line that each of them is about. */
export function readIgnores(
  comments: readonly RawComment[],
  file: { readonly text: string; readonly lines: Lines },
): readonly Ignore[] {
  const { text, lines } = file
  const rows = text.split('\n')
  const placed = comments.map((comment) => {
    const span = lines.span(comment.from, comment.to)
    const alone = (rows[span.line - 1] ?? '').slice(0, span.column - 1).trim() === ''
    return { comment, span, alone }
  })
  const aloneOn = new Set(placed.filter(({ alone }) => alone).map(({ span }) => span.line))
  // Backwards, so that a file full of comments is still looked at once.
  const meant: (number | undefined)[] = []
  for (let line = rows.length; line > 0; line--) {
    const skipped = aloneOn.has(line) || rows[line - 1]?.trim() === ''
    meant[line] = skipped ? meant[line + 1] : line
  }

  return placed.flatMap(({ comment, span, alone }) => {
    const parts = partsOf(comment.text)
    if (parts === undefined) return []
    const line = alone ? meant[span.line] : span.line
    const codes = parts.codes.map(({ code, at }) => ({
      code,
      span: lines.span(comment.from + at, comment.from + at + code.length),
    }))
    return [{ codes, reason: parts.reason, span, ...(line === undefined ? {} : { line }) }]
  })
}
