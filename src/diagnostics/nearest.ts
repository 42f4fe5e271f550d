/** Counts the edits (insert, delete, replace, swap of neighbours) between two words. */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1]
      let best = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
      )
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      if (row > 1 && column > 1 && swapped) best = Math.min(best, (beforeLast[column - 2] ?? 0) + 1)
      current.push(best)
    }
    beforeLast = last
    last = current
  }
  return last[to.length] ?? to.length
}

/** Normalizes a name for comparison: people write `_` and capitals for `-` and small letters. */
const normalize = (word: string): string => word.toLowerCase().replaceAll('_', '-')

/** Returns the candidate that was probably meant; undefined if more than a third of the letters differ. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  if (word.length > 60) return undefined
  const wanted = normalize(word)
  let best: { candidate: string; edits: number } | undefined
  for (const candidate of candidates) {
    const maxEdits = Math.min(best === undefined ? 4 : best.edits - 1, Math.floor(candidate.length / 3))
    if (Math.abs(candidate.length - wanted.length) > maxEdits) continue
    const edits = editDistance(wanted, normalize(candidate))
    if (edits <= maxEdits) best = { candidate, edits }
  }
  return best?.candidate
}
