/**
 * What a reader does not see and a terminal or a page acts on: control characters but tab and line ends, marks
 * of writing direction, spaces of no width, and halves of a character.
 */
const unseen =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffc\ufffe\uffff\p{Surrogate}]|[\u{e0000}-\u{e0fff}]/gu

const escapeOf = (character: string): string =>
  character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')

/** Text with a visible `·` for each unseen character; tabs and line ends stay. */
export const withoutUnseen = (text: string): string => text.replace(unseen, '\u00b7')

/** JSON text with an escape for each unseen character: the values stay the same. */
export const escapeUnseen = (json: string): string => json.replace(unseen, escapeOf)
