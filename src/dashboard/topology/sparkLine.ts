import type { LagPoint } from '../../contracts/dashboard.ts'

type SparkBox = {
  readonly width: number
  readonly height: number
  /** Right edge in milliseconds; the left one is `span` earlier. */
  readonly now: number
  readonly span: number
}

/** Lags up to this one look alike: a second more or less is no news. */
const smallestScale = 10

/**
 * Returns the path of a lag over time, as steps, and the highest lag in it. Times without a known lag are gaps. Points are
 * the changes, oldest first; the last one holds until now.
 */
export function sparkLine(
  points: readonly LagPoint[],
  { width, height, now, span }: SparkBox,
): { readonly path: string; readonly highest: number | null } {
  const start = now - span
  const steps = points.flatMap((point, index) => {
    const from = Math.max(Date.parse(point.at), start)
    const next = points[index + 1]
    const to = Math.min(next === undefined ? now : Date.parse(next.at), now)
    return to > start && to >= from ? [{ from, to, lag: point.lag }] : []
  })
  const lags = steps.flatMap(({ lag }) => (lag === null ? [] : [lag]))
  const highest = lags.length === 0 ? null : Math.max(...lags)
  const scale = Math.max(highest ?? 0, smallestScale)
  const x = (time: number): string => tenths(((time - start) / span) * width)
  const y = (lag: number): string => tenths(height - 1 - (lag / scale) * (height - 2))
  let path = ''
  let isDrawing = false
  for (const { from, to, lag } of steps) {
    if (lag === null) {
      isDrawing = false
      continue
    }
    path += isDrawing ? `V${y(lag)}` : `M${x(from)} ${y(lag)}`
    path += `H${x(to)}`
    isDrawing = true
  }
  return { path, highest }
}

const tenths = (value: number): string => String(Math.round(value * 10) / 10)
