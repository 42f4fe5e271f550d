import { stripVTControlCharacters } from 'node:util'

const wide =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303e\u30fc\uff01-\uff60]/u

/** Half-width forms of wide letters. */
const narrow = /[\uff61-\uffdc]/u

/**
 * Returns the columns of a text on a terminal, approximately: two for each East Asian letter and emoji (UAX
 * #11), none for combining marks.
 */
export const columnsOf = (text: string): number =>
  [...text.replaceAll(/\p{M}/gu, '')].reduce(
    (columns, letter) => columns + (wide.test(letter) && !narrow.test(letter) ? 2 : 1),
    0,
  )

/**
 * Breaks text between words into lines of at most `width` columns; `first` starts line one, `rest` the
 * others.
 */
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

/** An escape sequence other than a colour (ECMA-48, 5.4): such text draws on the screen by itself. */
const cursorSequence = new RegExp(`${String.fromCharCode(0x1b)}(?!\\[[0-9;]*m)`)

/** Indent and label before the words of a line: `  fix: `. */
const fixLabel = /^\s*(?:fix: )?/

/**
 * Breaks lines that are wider than the terminal between words. Continuation lines are indented by two more
 * columns, or aligned under the words of a fix. A longer word, such as a path, stays whole on its own line.
 * Text that moves the cursor, JSON and lines of a command that end with a backslash stay as they are.
 */
export function foldLines(text: string, columns: number | undefined): string {
  if (columns === undefined || columns < 20 || cursorSequence.test(text)) return text
  return text
    .split('\n')
    .map((line) => {
      const plain = stripVTControlCharacters(line)
      // Wrapped JSON would be invalid.
      if (columnsOf(plain) <= columns || /^\s*["{[]/.test(plain)) return line
      // A backslash on a line of its own would end the command before it.
      if (plain.endsWith(' \\')) return line
      const first = fixLabel.exec(plain)?.[0] ?? ''
      const indent = first.trim() === '' ? first.length + 2 : first.length
      const rest = ' '.repeat(Math.min(indent, Math.floor(columns / 2)))
      return wrap(line, { width: columns, first: '', rest })
        .map((part) => part.trimEnd())
        .join('\n')
    })
    .join('\n')
}
