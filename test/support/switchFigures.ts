import { failuresIn, holdTimes, median, type Span, type WriteLoad, writeTimes } from './writeLoad.ts'

const rounded = (value: number): number => Math.round(value)
const most = (values: readonly number[]): number => values.reduce((a, b) => Math.max(a, b), 0)
const spread = (values: readonly number[]) => ({
  median: rounded(median(values)),
  p95: rounded(values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? Number.NaN),
  maximum: rounded(most(values)),
  of: values.length,
})

/** Failures of a load within some windows, by words (see `failuresIn`). */
export const failuresOf = (load: WriteLoad, windows: readonly Span[]): Readonly<Record<string, number>> =>
  windows
    .map((it) => failuresIn(load, it))
    .reduce<Record<string, number>>((sum, one) => {
      for (const [words, count] of Object.entries(one)) sum[words] = (sum[words] ?? 0) + count
      return sum
    }, {})

/**
 * Figures of some changes of the primary in milliseconds: hold and write times as `holdTimes` and `writeTimes` define
 * them, one value of each client and change. `all` are the windows of all changes of the run.
 */
export function figuresOf(load: WriteLoad, changes: readonly Span[], all: readonly Span[]) {
  const held = changes.map((it) => holdTimes(load, it, all))
  return {
    changes: changes.length,
    hold: spread(held.flat()),
    maximumOfEach: held.map((it) => rounded(most(it))),
    write: spread(changes.flatMap((it) => [...writeTimes(load, it)])),
    took: spread(changes.map(({ begin, end }) => end - begin)),
    failures: failuresOf(load, changes),
  }
}

/** Seconds between the first and the last failure of a window, and how many there were. */
export function secondsOfErrors(
  load: WriteLoad,
  window: Span,
): { readonly seconds: number; readonly errors: number } {
  const times = load.failures.map(({ at }) => at).filter((at) => at >= window.begin && at <= window.end)
  const first = times.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY)
  const seconds = times.length === 0 ? 0 : (most(times) - first) / 1000
  return { seconds: Number(seconds.toFixed(2)), errors: times.length }
}
