import type { Layout } from './layout.ts'

/** Lines of `text` that `other` does not have as often. */
function changedLines(text: readonly string[], other: readonly string[]): ReadonlySet<number> {
  const left = [...other]
  const changed = text.map((line, index) => {
    const at = left.indexOf(line)
    if (at === -1) return index
    left.splice(at, 1)
    return undefined
  })
  return new Set(changed.filter((index) => index !== undefined))
}

/** An example of a file, with a mark before each line that its counterpart does not have. */
export function exampleLines(
  example: { readonly text: string; readonly other: string; readonly colour: 'red' | 'green' },
  { paint }: Layout,
): readonly string[] {
  const lines = example.text.split('\n')
  const changed = changedLines(lines, example.other.split('\n'))
  return lines.map((line, index) => {
    // On a terminal a tab looks like blanks, and it may be the very mistake.
    const shown = line.replaceAll('\t', '\u2192')
    return changed.has(index) ? `  ${paint(example.colour, `> ${shown}`)}` : `    ${shown}`
  })
}
