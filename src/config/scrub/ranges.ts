import type { Span } from '../../diagnostics/diagnostic.ts'

/** A part of a text, as offsets; the end is exclusive. */
export type Range = { readonly from: number; readonly to: number }

/** Ranges in order, with those that touch made one. */
export function joined(ranges: readonly Range[]): readonly Range[] {
  const all: { from: number; to: number }[] = []
  for (const range of [...ranges].sort((a, b) => a.from - b.from)) {
    const last = all.at(-1)
    if (last !== undefined && range.from <= last.to) last.to = Math.max(last.to, range.to)
    else all.push({ ...range })
  }
  return all
}

/** What spans cover of a text; a span ends at its line's end at the latest. */
export function rangesOf(text: string, spans: readonly Span[]): readonly Range[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  const offset = (line: number, column: number): number => {
    const end = (starts[line] ?? text.length + 1) - 1
    return Math.min((starts[line - 1] ?? text.length) + column - 1, end)
  }
  const ranges = spans.map((span) => ({
    from: offset(span.line, span.column),
    to: offset(span.endLine, span.endColumn),
  }))
  return joined(ranges.filter(({ from, to }) => to > from))
}

/** The first of ordered ranges that ends behind an offset, by its index. */
export function firstBehind(ranges: readonly Range[], offset: number): number {
  let low = 0
  let high = ranges.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ranges[middle]?.to ?? 0) <= offset) low = middle + 1
    else high = middle
  }
  return low
}
