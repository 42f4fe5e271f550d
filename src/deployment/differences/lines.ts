import { withoutSecrets } from './hideSecrets.ts'
import { shortened } from './shorten.ts'

/** Lines above which two texts are not compared: what we write has a tenth. */
const most = 1000

/**
 * How a text of a host becomes another, as `- line` and `+ line` in the order of the texts: the fewest that
 * there can be, and of them the first. Empty where no line differs, or where a text is too long to compare.
 */
export function lineDifference(before: string, after: string): readonly string[] {
  const [was, is] = [linesOf(before), linesOf(after)]
  if (was.length > most || is.length > most) return []
  return shortened(differing(was, is))
}

const linesOf = (text: string): readonly string[] => text.replace(/\n$/, '').split('\n')

function differing(was: readonly string[], is: readonly string[]): readonly string[] {
  const common = commonLengths(was, is)
  const lines: string[] = []
  let [at, to] = [0, 0]
  while (at < was.length || to < is.length) {
    const [gone, come] = [was[at], is[to]]
    if (gone !== undefined && gone === come) {
      at++
      to++
    } else if (
      come === undefined ||
      (gone !== undefined && lengthAt(common, at + 1, to) >= lengthAt(common, at, to + 1))
    ) {
      // What the host has need not be ours.
      lines.push(`- ${withoutSecrets(gone ?? '')}`)
      at++
    } else {
      lines.push(`+ ${come}`)
      to++
    }
  }
  return lines
}

const lengthAt = (common: readonly (readonly number[])[], at: number, to: number): number =>
  common[at]?.[to] ?? 0

/** Of each pair of places, how long the longest sequence is that both texts have behind them. */
function commonLengths(was: readonly string[], is: readonly string[]): readonly (readonly number[])[] {
  const common: number[][] = Array.from({ length: was.length + 1 }, () => [])
  for (let at = was.length - 1; at >= 0; at--) {
    const row = common[at] ?? []
    for (let to = is.length - 1; to >= 0; to--) {
      row[to] =
        was[at] === is[to]
          ? lengthAt(common, at + 1, to + 1) + 1
          : Math.max(lengthAt(common, at + 1, to), lengthAt(common, at, to + 1))
    }
  }
  return common
}
