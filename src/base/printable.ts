/**
 * Characters that a reader cannot see, or that a terminal or a page acts on, other than line feed and tab:
 * control characters (C0, DEL, C1), marks of writing direction, zero-width characters, line separators,
 * unassigned and private ones, and lone surrogates (Unicode general categories, and
 * Default_Ignorable_Code_Point).
 */
const invisible = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{DI}\ufffc]/gu

const escapeOf = (character: string): string =>
  character < ' '
    ? `\\x${hex(character, 2)}`
    : character
        .split('')
        .map((unit) => `\\u${hex(unit, 4)}`)
        .join('')

const hex = (unit: string, digits: number): string => unit.charCodeAt(0).toString(16).padStart(digits, '0')

/**
 * Replaces each invisible character by a visible escape, such as `\x1b` or `\u202e`; line feeds and tabs
 * stay. The output of `JSON.stringify` keeps its value.
 */
export const printable = (text: string): string => text.replace(invisible, escapeOf)

/** Escapes like `printable`, and line feeds as `\x0a`, so that the text is one line. */
export const printableLine = (text: string): string => printable(text).replaceAll('\n', '\\x0a')

/** The ECMA-48 sequences of our own colours: none hides text, moves the cursor or queries the terminal. */
const ownColours = new RegExp(`(${String.fromCharCode(0x1b)}\\[(?:[1-4]|2[2-4]|3[1-6]|39)m)`)

/**
 * Escapes all terminal control sequences but our own colours: the last step before text goes to a terminal, a
 * log or a pipe.
 */
export const printableInColour = (text: string): string =>
  text
    .split(ownColours)
    .map((piece, index) => (index % 2 === 1 ? piece : printable(piece)))
    .join('')

/** Replaces each invisible character by one `·`, where columns count. */
export const maskInvisible = (text: string): string => text.replace(invisible, '\u00b7')

/** Limits of foreign text that a message quotes. */
const quoteLimits = { lines: 5, characters: 1000 }

/**
 * Returns the end of foreign text, printable and on one line, for quoting in a message: a line break in it
 * cannot fake a line of ours. Empty for blank text.
 */
export function lastLines(text: string): string {
  // Long text is not split whole: a host can send millions of lines.
  const lines = text
    .slice(-4 * quoteLimits.characters)
    .split(/\r\n|[\n\r]/)
    .map((line) => printable(line.trim()))
    .filter((line) => line !== '')
  const said = lines.slice(-quoteLimits.lines).join(' / ')
  return said.length > quoteLimits.characters ? `…${said.slice(-quoteLimits.characters)}` : said
}

/** Limits of a message. */
const messageLimits = { lines: 40, characters: 8000 }

/** Returns the beginning of a text; a pair of surrogates is not cut in two. */
const beginning = (text: string, length: number): string =>
  text.length > length ? text.slice(0, length).replace(/[\ud800-\udbff]$/, '') : text

/**
 * Makes a message of several lines printable and cuts it: the last step for messages that may quote foreign
 * text.
 */
export function boundedMessage(text: string): string {
  const { characters } = messageLimits
  const shown = printable(beginning(text, characters))
  // An escape is longer than its character.
  const lines = beginning(shown, characters).split('\n', messageLimits.lines + 1)
  const isCut = lines.length > messageLimits.lines || Math.max(text.length, shown.length) > characters
  return isCut ? `${lines.slice(0, messageLimits.lines).join('\n')} …` : lines.join('\n')
}
