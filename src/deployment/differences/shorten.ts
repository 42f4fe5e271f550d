/** Lines of one file's difference that a plan shows at most. */
const mostLines = 20
/** Characters of one line. */
const longest = 160

/** What moves a terminal's cursor or cannot be seen on it. */
const unseen = /[\p{Cc}\p{Cf}]/gu

/** What is shown of a difference: its first lines, none too long, and how many more there are. */
export function shortened(lines: readonly string[]): readonly string[] {
  const shown = lines
    .slice(0, mostLines)
    .map((line) => line.replaceAll(unseen, '\ufffd'))
    .map((line) => (line.length > longest ? `${line.slice(0, longest - 1)}…` : line))
  const more = lines.length - shown.length
  return more === 0 ? shown : [...shown, `and ${more} more ${more === 1 ? 'line' : 'lines'}`]
}
