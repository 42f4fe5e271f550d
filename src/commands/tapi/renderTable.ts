import { printable } from './printable.ts'

/** Rows under a headline, in aligned columns; ends with a newline. */
export function renderTable(headline: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headline, ...rows].map((row) => row.map((cell) => printable(cell)))
  const widths = headline.map((_title, column) => Math.max(...lines.map((row) => row[column]?.length ?? 0)))
  return lines
    .map((row) => `${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd())
    .map((line) => `${line}\n`)
    .join('')
}
