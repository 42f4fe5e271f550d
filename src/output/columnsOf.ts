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
