/** Breaks text into lines of at most `width` characters between words; `first` starts line one, `rest` the others. */
export function wrap(
  text: string,
  layout: { readonly width: number; readonly first: string; readonly rest: string },
): readonly string[] {
  const lines: string[] = []
  let line = layout.first
  let empty = true
  for (const word of text.split(' ')) {
    if (!empty && [...line].length + 1 + [...word].length > layout.width) {
      lines.push(line)
      line = layout.rest
      empty = true
    }
    line += empty ? word : ` ${word}`
    empty = false
  }
  return [...lines, line]
}
