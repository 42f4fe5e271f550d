import { stripVTControlCharacters } from 'node:util'

const wide =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303e\u30fc\uff01-\uff60]/u

/** Half-width forms of wide letters. */
const narrow = /[\uff61-\uffdc]/u

/**
 * Columns that a text takes on a terminal, nearly: two for each East Asian letter and emoji (UAX #11), none for marks
 * that stand on the letter before them.
 */
export const columnsOf = (text: string): number =>
  [...text.replaceAll(/\p{M}/gu, '')].reduce(
    (columns, letter) => columns + (wide.test(letter) && !narrow.test(letter) ? 2 : 1),
    0,
  )

/** Breaks text into lines of at most `width` columns between words; `first` starts line one, `rest` the others. */
export function wrap(
  text: string,
  layout: { readonly width: number; readonly first: string; readonly rest: string },
): readonly string[] {
  const lines: string[] = []
  let line = layout.first
  let empty = true
  for (const word of text.split(' ')) {
    if (!empty && widthOf(line) + 1 + widthOf(word) > layout.width) {
      lines.push(line)
      line = layout.rest
      empty = true
    }
    line += empty ? word : ` ${word}`
    empty = false
  }
  return [...lines, line]
}

const widthOf = (text: string): number => columnsOf(stripVTControlCharacters(text))

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
