import { printable } from '../base/printable.ts'
import { columnsOf, wrap } from '../base/wrapping.ts'
import { paint } from './paint.ts'

export type Tint = 'red' | 'green' | 'yellow'

/** Text of a cell; a row may end early, for example for an unreachable host. */
export type Cell = string | { readonly text: string; readonly tint?: Tint }

export type Row = readonly Cell[]

/** Layout on a terminal. */
export type Layout = {
  readonly colour: boolean /** Columns; infinite by default. */
  readonly width: number
}

/**
 * Aligns rows in columns under titles. If a line is wider than the terminal, the last column breaks between words; where
 * it has no room for that, each row is a block below its first cell, which consecutive rows share.
 */
export function tableLines(
  table: Layout & {
    readonly titles: readonly string[]
    readonly rows: readonly Row[]
  },
): readonly string[] {
  const { titles, rows, colour, width } = table
  const style = paint(colour)
  const cells = rows.map((row) => row.map(plainCell))
  const widths = titles.map((title, column) =>
    Math.max(columnsOf(title), ...cells.map((row) => columnsOf(row[column]?.text ?? ''))),
  )
  const padded = (row: readonly { readonly text: string }[]): readonly string[] => {
    const last = row.findLastIndex(({ text }) => text !== '')
    return row
      .slice(0, last + 1)
      .map(({ text }, column) =>
        column === last ? text : text + ' '.repeat((widths[column] ?? 0) - columnsOf(text)),
      )
  }
  const header = padded(titles.map((text) => ({ text })))
  const lines = cells.map(padded)
  const fits = [header, ...lines].every((line) => columnsOf(line.join('  ')) <= width)
  const start = widths.slice(0, -1).reduce((sum, one) => sum + one + 2, 0)
  // A terminal without a known width reports 0.
  const tooWide = !fits && width >= minimumWidth && rows.length > 0
  if (tooWide && !canWrapLast(titles, lines, { start, width }))
    return rowsAsBlocks(titles, cells, { colour, width })
  const tinted = lines.flatMap((line, index) => {
    const texts = line.map((text, column) => tintedText(style, { ...cells[index]?.[column], text }))
    if (!tooWide || line.length < titles.length) return [texts.join('  ')]
    const first = `${texts.slice(0, -1).join('  ')}  `
    return wrap(texts.at(-1) ?? '', { width, first, rest: ' '.repeat(start) })
  })
  return [style.dim(header.join('  ')), ...tinted]
}

/** Minimum columns of a last column that breaks between words. */
const minimumLast = 24

/** Returns true if everything fits once the last column, which begins at `start`, breaks between words. */
function canWrapLast(
  titles: readonly string[],
  lines: readonly (readonly string[])[],
  { start, width }: { readonly start: number; readonly width: number },
): boolean {
  const room = width - start
  const whole = lines.filter((line) => line.length === titles.length)
  const words = [titles.at(-1) ?? '', ...whole.flatMap((line) => line.at(-1)?.split(' ') ?? [])]
  const short = lines.filter((line) => line.length < titles.length)
  return (
    room >= minimumLast &&
    words.every((word) => columnsOf(word) <= room) &&
    short.every((line) => columnsOf(line.join('  ')) <= width)
  )
}

/** Minimum columns of any layout. */
const minimumWidth = 20

type PlainCell = { readonly text: string; readonly tint?: Tint }

const plainCell = (cell: Cell): PlainCell =>
  typeof cell === 'string' ? { text: printable(cell) } : { ...cell, text: printable(cell.text) }

const tintedText = (style: ReturnType<typeof paint>, { text, tint }: PlainCell): string =>
  tint === undefined ? text : style[tint](text)

/** Writes rows as labelled values: `COMPONENT: manager  SERVICE: running` below the host. */
function rowsAsBlocks(
  titles: readonly string[],
  rows: readonly (readonly PlainCell[])[],
  { colour, width }: Layout,
): readonly string[] {
  const style = paint(colour)
  const lines = (text: string): readonly string[] => wrap(text, { width, first: '', rest: '  ' })
  return rows.flatMap((row, index) => {
    const [key = { text: '' }, ...rest] = row
    if (row.length < titles.length) {
      return lines(`${style.bold(key.text)}: ${rest.map((cell) => tintedText(style, cell)).join(' ')}`)
    }
    const heading = key.text === rows[index - 1]?.[0]?.text ? [] : lines(style.bold(key.text))
    const parts = rest.flatMap((cell, column) => {
      const title = titles[column + 1] ?? ''
      if (cell.text === '') return []
      const label = title === '' ? '' : `${title}: `
      return [{ columns: columnsOf(label + cell.text), text: style.dim(label) + tintedText(style, cell) }]
    })
    return [...heading, ...flowParts(parts, width)]
  })
}

/** Puts as many parts on a line as fit; a wider part breaks between words. */
function flowParts(
  parts: readonly { readonly columns: number; readonly text: string }[],
  width: number,
): readonly string[] {
  const lines: string[] = []
  let used = Number.POSITIVE_INFINITY
  for (const { columns, text } of parts) {
    const last = lines.pop()
    if (last !== undefined && used + 2 + columns <= width) {
      lines.push(`${last}  ${text}`)
      used += 2 + columns
      continue
    }
    if (last !== undefined) lines.push(last)
    const first = last === undefined ? '  ' : '    '
    lines.push(...wrap(text, { width, first, rest: '      ' }))
    used = first.length + columns
  }
  return lines
}
