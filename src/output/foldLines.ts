import { stripVTControlCharacters } from 'node:util'
import { columnsOf } from './columnsOf.ts'
import { wrap } from './diagnostics/wrap.ts'

/** An escape sequence that is no colour (ECMA-48, 5.4): such text draws on the screen by itself. */
const draws = new RegExp(`${String.fromCharCode(0x1b)}(?!\\[[0-9;]*m)`)

/** Where the words of a line begin that stand behind a label: `  fix: `. */
const label = /^\s*(?:fix: )?/

/**
 * Breaks the lines of a text that are longer than a terminal is wide, between words: what follows stands two columns
 * further in, or under the words of a fix. A word that is longer than a line, such as a path, stays whole on one of its
 * own. Text that moves the cursor stays as it is, and so does JSON.
 */
export function foldLines(text: string, columns: number | undefined): string {
  if (columns === undefined || columns < 20 || draws.test(text)) return text
  return text
    .split('\n')
    .map((line) => {
      const plain = stripVTControlCharacters(line)
      // JSON would be no JSON any more.
      if (columnsOf(plain) <= columns || /^\s*["{[]/.test(plain)) return line
      const first = label.exec(plain)?.[0] ?? ''
      const indent = first.trim() === '' ? first.length + 2 : first.length
      const rest = ' '.repeat(Math.min(indent, Math.floor(columns / 2)))
      return wrap(line, { width: columns, first: '', rest })
        .map((part) => part.trimEnd())
        .join('\n')
    })
    .join('\n')
}
