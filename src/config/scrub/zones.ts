import type { Span } from '../../diagnostics/diagnostic.ts'
import { isOdd } from './isOdd.ts'
import { firstBehind, type Range, rangesOf } from './ranges.ts'

/** A part of one line (offsets in the text) of which nothing may be shown. */
export type Zone = Range & { readonly kind: 'hidden' | 'comment' }

const matches = (text: string, pattern: RegExp): readonly Range[] =>
  [...text.matchAll(pattern)].map(({ index, 0: all }) => ({ from: index, to: index + all.length }))

const overlaps = (a: Range, b: Range): boolean => a.from < b.to && a.to > b.from

/** Without the colon and the spaces before it and the spaces behind it. */
function trimmed(line: string, { from, to }: Range): Range {
  const start = from + (/^[\s:]*/.exec(line.slice(from, to))?.[0].length ?? 0)
  return { from: start, to: start + line.slice(start, to).trimEnd().length }
}

/** The zones of one line, as offsets in it; `secret` are the parts that hold what must not be shown. */
function zonesOfLine(line: string, secret: readonly Range[]): readonly Zone[] {
  // What starts as a comment is one to its end, even where a secret is spoken of in it.
  const comment = matches(line, /(?<![^ \t])#/g).find(
    ({ from }) => !secret.some((part) => from > part.from && from < part.to),
  )
  const end = comment?.from ?? line.length
  const hidden = secret.filter(({ from }) => from < end).map((part) => trimmed(line, part))
  const odd = matches(line.slice(0, end), /\S+/g).filter(
    (word) => isOdd(line.slice(word.from, word.to)) && !hidden.some((part) => overlaps(part, word)),
  )
  const zones = [...hidden, ...odd, ...(comment === undefined ? [] : [{ from: end, to: line.length }])]
  return zones
    .filter(({ from, to }) => to > from)
    .map((part): Zone => {
      const isComment = line.charAt(part.from) === '#' && /^$|\s/.test(line.charAt(part.from - 1))
      return { ...part, kind: isComment ? 'comment' : 'hidden' }
    })
    .sort((a, b) => a.from - b.from)
}

/** The parts of ordered ranges that lie within a line, as offsets in it. */
function within(ranges: readonly Range[], line: Range): readonly Range[] {
  const parts: Range[] = []
  for (let index = firstBehind(ranges, line.from); ; index++) {
    const range = ranges[index]
    if (range === undefined || range.from >= line.to) return parts
    parts.push({
      from: Math.max(range.from, line.from) - line.from,
      to: Math.min(range.to, line.to) - line.from,
    })
  }
}

/**
 * The zones of a text that is not YAML, in order: hidden spans, comments (or what looks like one) and words of odd
 * signs outside of them.
 */
export function zonesOf(text: string, hidden: readonly Span[]): readonly Zone[] {
  const ranges = rangesOf(text, hidden)
  let start = 0
  return text.split('\n').flatMap((line) => {
    const from = start
    start += line.length + 1
    const isLast = start > text.length
    const shown = isLast ? line : line.replace(/\r$/, '')
    const zones = zonesOfLine(shown, within(ranges, { from, to: from + shown.length }))
    return zones.map((zone) => ({ ...zone, from: from + zone.from, to: from + zone.to }))
  })
}
