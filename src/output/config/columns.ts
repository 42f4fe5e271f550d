/** A line and what is remarked on it. */
export type Remarked = { readonly text: string; readonly remark?: string }

const gap = 2

const lengthOf = (text: string): number => [...text].length

const indentOf = (text: string): string => /^ */.exec(text)?.[0] ?? ''

/** A longer line does not push the remarks of all others aside. */
const longest = 46

/**
 * Puts remarks as comments in one column behind the lines. A remark that would reach beyond `width` goes on a line
 * of its own above.
 */
export function inColumns(
  lines: readonly Remarked[],
  options: { readonly width: number; readonly paint: (comment: string) => string },
): readonly string[] {
  const { width, paint } = options
  const lengths = lines
    .filter(({ remark }) => remark !== undefined)
    .map(({ text }) => lengthOf(text))
    .filter((length) => length <= longest)
  const column = Math.max(0, ...lengths) + gap
  return lines.flatMap(({ text, remark }) => {
    if (remark === undefined) return [text]
    const space = ' '.repeat(Math.max(gap, column - lengthOf(text)))
    const fits = lengthOf(text) + space.length + 2 + lengthOf(remark) <= width
    const comment = paint(`# ${remark}`)
    return fits ? [`${text}${space}${comment}`] : [`${indentOf(text)}${comment}`, text]
  })
}
