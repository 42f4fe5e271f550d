import type { Span } from '../../diagnostics/diagnostic.ts'

/** Converts offsets of one text to spans. */
export type Lines = { readonly span: (from: number, to: number) => Span }

/** Splits lines at `\n` only, like the YAML parser; offsets past the end count as the end. */
export function linesOf(file: string, text: string): Lines {
  const starts = [0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1)

  const position = (offset: number): { line: number; column: number } => {
    const wanted = Math.max(0, Math.min(offset, text.length))
    let low = 0
    let high = starts.length - 1
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if ((starts[middle] ?? 0) <= wanted) low = middle
      else high = middle - 1
    }
    return { line: low + 1, column: wanted - (starts[low] ?? 0) + 1 }
  }

  return {
    span: (from, to) => {
      const start = position(from)
      const end = position(to)
      const empty = end.line < start.line || (end.line === start.line && end.column <= start.column)
      if (empty) return { file, ...start, endLine: start.line, endColumn: start.column + 1 }
      return { file, ...start, endLine: end.line, endColumn: end.column }
    },
  }
}
