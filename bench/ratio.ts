/** Two things measured in turn in one run: how many times as long the first one took. */
export type Ratio = {
  /** Median of the rounds' own ratios: what disturbs the machine for a while disturbs both. */
  readonly ratio: number
  readonly limit: number
  /** Medians, in milliseconds. */
  readonly measured: number
  readonly against: number
  readonly rounds: number
}

const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits))

/** Milliseconds that a call takes. */
function timed(call: () => void): number {
  const begin = performance.now()
  call()
  return performance.now() - begin
}

/** Measures both in turn, after one round that is not counted. */
export function measureRatio(options: {
  readonly measured: () => void
  readonly against: () => void
  readonly limit: number
  readonly rounds: number
}): Ratio {
  const { measured, against, limit, rounds } = options
  measured()
  against()
  const pairs = Array.from({ length: rounds }, () => ({ measured: timed(measured), against: timed(against) }))
  return {
    ratio: rounded(median(pairs.map((pair) => pair.measured / pair.against)), 2),
    limit,
    measured: rounded(median(pairs.map((pair) => pair.measured)), 0),
    against: rounded(median(pairs.map((pair) => pair.against)), 0),
    rounds,
  }
}
