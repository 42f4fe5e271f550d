/** A measurement: seconds since the begin, and bytes. */
export type Sample = { readonly at: number; readonly bytes: number }

/** Bytes an hour. */
export type Slope = {
  readonly slope: number
  /** Where the true one lies with 95 of 100. */
  readonly low: number
  readonly high: number
}

const hour = 3600

function quantile(sorted: readonly number[], index: number): number {
  const at = Math.min(sorted.length - 1, Math.max(0, Math.round(index)))
  return sorted[at] ?? 0
}

/**
 * The median of the slopes between all pairs of samples (Theil 1950, Sen 1968): a third of the samples may be as far
 * off as they like. The interval is Sen's, from the variance of Kendall's statistic.
 */
export function slopeOf(samples: readonly Sample[]): Slope {
  const slopes = samples.flatMap((a, index) =>
    samples.slice(index + 1).map((b) => ((b.bytes - a.bytes) / (b.at - a.at)) * hour),
  )
  slopes.sort((a, b) => a - b)
  const count = samples.length
  const spread = 1.96 * Math.sqrt((count * (count - 1) * (2 * count + 5)) / 18)
  const middle = (slopes.length - 1) / 2
  return {
    slope: quantile(slopes, middle),
    low: quantile(slopes, middle - spread / 2),
    high: quantile(slopes, middle + spread / 2),
  }
}
