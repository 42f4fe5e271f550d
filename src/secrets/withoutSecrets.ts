const mark = '[redacted]'

/** What is shorter is no secret, and would be found in half of all words. */
const shortest = 3

/** A text with every one of these values, and every line of them, replaced by `[redacted]`. */
export function withoutSecrets(text: string, values: readonly string[]): string {
  const pieces = values.flatMap((value) => [value, ...value.split(/\r?\n/)].map((piece) => piece.trim()))
  return [...new Set(pieces)]
    .filter((piece) => piece.length >= shortest)
    .sort((a, b) => b.length - a.length)
    .reduce((shown, piece) => shown.replaceAll(piece, mark), text)
}
