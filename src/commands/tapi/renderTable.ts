import { printable } from '../../untrusted/printable.ts'
import { renderFields } from './renderPayload.ts'

/**
 * Rows under a headline, in aligned columns; ends with a newline. Where a line is wider than the terminal, each
 * row becomes a block of names and values instead.
 */
export function renderTable(
  headline: readonly string[],
  rows: readonly (readonly string[])[],
  columns = Number.POSITIVE_INFINITY,
): string {
  const lines = [headline, ...rows].map((row) => row.map((cell) => printable(cell)))
  const widths = headline.map((_title, column) => Math.max(...lines.map((row) => row[column]?.length ?? 0)))
  const text = lines.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  if (rows.length === 0 || text.every((line) => line.length <= columns)) return `${text.join('\n')}\n`
  const blocks = rows.map((row) => renderFields(headline.map((title, column) => [title, row[column] ?? ''])))
  return blocks.join('\n')
}
