const mark = '[redacted]'

/** Shorter values are no secrets, and would match parts of ordinary words. */
const minimumLength = 3

/** Replaces each of the values, and each line of them, by `[redacted]`. */
export function redactSecrets(text: string, values: readonly string[]): string {
  const pieces = values.flatMap((value) => [value, ...value.split(/\r?\n/)].map((piece) => piece.trim()))
  return [...new Set(pieces)]
    .filter((piece) => piece.length >= minimumLength)
    .sort((a, b) => b.length - a.length)
    .reduce((shown, piece) => shown.replaceAll(piece, mark), text)
}
