import type { RawProblem } from '../yaml.ts'

/** A mistake within a scalar after which it is still read; what takes its place must have it, too. */
export type ScalarMistake = 'escape' | 'start'

/** The mistake of the scalar between two offsets. */
export type MistakeIn = (from: number, to: number) => ScalarMistake | undefined

const kinds: Partial<Readonly<Record<RawProblem['code'], ScalarMistake>>> = {
  BAD_DQ_ESCAPE: 'escape',
  BAD_SCALAR_START: 'start',
}

/** Makes the mistakes of a text easy to look up: there may be as many of them as values. */
export function mistakesOf(problems: readonly RawProblem[]): MistakeIn {
  const sorted = problems.filter(({ code }) => kinds[code] !== undefined).sort((a, b) => a.from - b.from)
  return (from, to) => {
    let low = 0
    let high = sorted.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((sorted[middle]?.from ?? to) < from) low = middle + 1
      else high = middle
    }
    const found = sorted[low]
    return found !== undefined && found.from < to ? kinds[found.code] : undefined
  }
}
