import { printableLine } from '../base/printable.ts'
import { counted } from '../base/words.ts'

/**
 * Characters of a comment at most: GitHub refuses more than 65,536, and room is left for a line of the caller.
 */
export const maxComment = 65_536 - 512

const maxLine = 500

/** Makes lines printable, and leaves as many as fit into `room` characters with their fence; counts the others. */
export function boundedLines(lines: readonly string[], room: number): readonly string[] {
  const shown = lines.flatMap((line) => line.split('\n')).map(shortLine)
  // A fence is longer than the longest run of backticks, which stands within a line: at most `maxLine` twice.
  const runs = 2 * Math.max(3, longestRun(shown) + 1)
  let left = room - runs - 'diff\n\n'.length - '… 1000000 more lines\n'.length
  const fits = shown.findIndex((line) => {
    left -= line.length + 1
    return left < 0
  })
  if (fits === -1) return shown
  return [...shown.slice(0, fits), `… ${counted(shown.length - fits, 'more line')}`]
}

const shortLine = (line: string): string => {
  const visible = printableLine(line.slice(0, maxLine))
  return line.length > maxLine ? `${visible}…` : visible
}

const longestRun = (lines: readonly string[]): number =>
  lines.reduce(
    (most, line) => [...line.matchAll(/`+/g)].reduce((longest, [run]) => Math.max(longest, run.length), most),
    0,
  )

/** Writes lines as a code block whose fence no line can close. */
export function fenced(language: 'diff' | 'text', lines: readonly string[]): string {
  const fence = '`'.repeat(Math.max(3, longestRun(lines) + 1))
  return [`${fence}${language}`, ...lines, fence].join('\n')
}

/** Writes a name as code, also in a table: a character that ends code or a cell is shown as its escape. */
export const codeSpan = (text: string): string =>
  `\`${shortLine(text).replaceAll('`', '\\x60').replaceAll('|', '\\x7c') || ' '}\``

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Escapes text for an element. A blank line would end the HTML, so the text is one line. */
export const htmlText = (text: string): string =>
  shortLine(text).replace(/[&<>"]/g, (character) => entities[character] ?? '')
