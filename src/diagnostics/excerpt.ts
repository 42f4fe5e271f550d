import { maskInvisible } from '../base/printable.ts'
import type { Span } from './diagnostic.ts'
import { redacted, type SourceText } from './source.ts'

/** The line of a finding and the caret line under it, both safe to print. */
type Excerpt = { readonly line: number; readonly text: string; readonly caret: string }

type Piece = { readonly from: number; readonly to: number; readonly shown: string }

const maxLineLength = 4000

/** Replaces characters that a terminal acts on, each by one visible character. */
const printable = (text: string): string => maskInvisible(text).replaceAll('\t', ' ')

/** Returns the part of a line (0-based, end exclusive) that a span covers, or undefined. */
function partOf(span: Span, line: number, length: number): { from: number; to: number } | undefined {
  if (line < span.line || line > span.endLine) return undefined
  const from = line === span.line ? Math.min(span.column - 1, length) : 0
  const to = line === span.endLine ? Math.min(span.endColumn - 1, length) : length
  return to > from ? { from, to } : undefined
}

/** A text split into lines; a hidden span of several lines is listed at each. */
type ByLine = { readonly lines: readonly string[]; readonly hidden: ReadonlyMap<number, readonly Span[]> }

const lineCache = new WeakMap<SourceText, ByLine>()

/** Splits a text once for all its findings: there may be one per line. */
function byLine(source: SourceText): ByLine {
  const earlier = lineCache.get(source)
  if (earlier !== undefined) return earlier
  const lines = source.text.split('\n')
  const hidden = new Map<number, Span[]>()
  for (const span of source.hidden) {
    for (let line = span.line; line <= Math.min(span.endLine, lines.length); line++) {
      const there = hidden.get(line)
      if (there === undefined) hidden.set(line, [span])
      else there.push(span)
    }
  }
  const result = { lines, hidden }
  lineCache.set(source, result)
  return result
}

function hiddenParts(source: SourceText, line: number, text: string): { from: number; to: number }[] {
  const parts = (byLine(source).hidden.get(line) ?? [])
    .map((span) => partOf(span, line, text.length))
    .filter((part) => part !== undefined)
    .map((part) => {
      const lead = /^[\s:]*/.exec(text.slice(part.from, part.to))?.[0].length ?? 0
      return { from: part.from + lead, to: part.to }
    })
    .filter((part) => part.to > part.from)
    .sort((a, b) => a.from - b.from)
  const joined: { from: number; to: number }[] = []
  for (const part of parts) {
    const last = joined.at(-1)
    if (last !== undefined && part.from <= last.to) last.to = Math.max(last.to, part.to)
    else joined.push({ ...part })
  }
  return joined
}

function piecesOf(text: string, hidden: readonly { from: number; to: number }[]): Piece[] {
  const pieces: Piece[] = []
  let at = 0
  for (const { from, to } of hidden) {
    if (from > at) pieces.push({ from: at, to: from, shown: printable(text.slice(at, from)) })
    pieces.push({ from, to, shown: redacted })
    at = to
  }
  if (at < text.length) pieces.push({ from: at, to: text.length, shown: printable(text.slice(at)) })
  return pieces
}

const widthOf = (text: string): number => [...text].length

/**
 * Returns the column of an offset after redaction; inside a redacted piece its start, or its end with
 * `after`.
 */
function columnAfterRedaction(pieces: readonly Piece[], offset: number, after: boolean): number {
  let width = 0
  for (const { from, to, shown } of pieces) {
    if (offset >= to) width += widthOf(shown)
    else if (offset > from && shown === redacted) return width + (after ? widthOf(shown) : 0)
    else return width + widthOf(shown.slice(0, Math.max(0, offset - from)))
  }
  return width
}

/** Cuts a long line around the caret to fit `width`, with `…` at each cut. */
function cutToWidth(text: string, caret: { from: number; to: number }, width: number): Omit<Excerpt, 'line'> {
  const characters = [...text]
  const start =
    characters.length <= width ? 0 : Math.max(0, Math.min(caret.from - 10, characters.length - width))
  const end = Math.min(characters.length, start + width)
  const cut = characters.slice(start, end)
  if (start > 0) cut[0] = '…'
  if (end < characters.length) cut[cut.length - 1] = '…'
  const from = caret.from - start
  const length = Math.max(1, Math.min(caret.to, end) - caret.from)
  return { text: cut.join('').trimEnd(), caret: `${' '.repeat(from)}${'^'.repeat(length)}` }
}

/** Returns the line with a caret under the span; undefined if the span lies outside the text. */
export function excerpt(
  source: SourceText,
  options: { readonly span: Span; readonly width: number },
): Excerpt | undefined {
  const { span } = options
  const line = byLine(source).lines[span.line - 1]?.replace(/\r$/, '').slice(0, maxLineLength)
  if (line === undefined || line.trim() === '') return undefined
  const pieces = piecesOf(line, hiddenParts(source, span.line, line))
  const part = partOf(span, span.line, line.length) ?? { from: span.column - 1, to: span.column }
  const from = columnAfterRedaction(pieces, part.from, false)
  const to = columnAfterRedaction(pieces, part.to, true)
  const shown = pieces.map((piece) => piece.shown).join('')
  return { line: span.line, ...cutToWidth(shown, { from, to }, Math.max(20, options.width)) }
}
