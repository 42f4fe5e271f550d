/** Writes a moment in UTC for names of runs and files, to the second: `20260102T030405Z`. */
export const compactTime = (moment: Date): string => moment.toISOString().replaceAll(/[-:]|\.\d+/g, '')

/** Returns the date of a moment in UTC: `2026-01-02`. */
export const isoDate = (moment: Date | string | number): string => new Date(moment).toISOString().slice(0, 10)

const milliseconds = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

type TimeUnit = keyof typeof milliseconds

/**
 * Reads a duration in one of the units, such as `500ms`, `30s` or `5m`; returns milliseconds, undefined for
 * other text.
 */
export function parseDuration(
  text: string,
  units: readonly TimeUnit[] = ['ms', 's', 'm'],
): number | undefined {
  const [, number, written] = /^(\d{1,9})([a-z]{1,2})$/.exec(text) ?? []
  const unit = units.find((one) => one === written)
  return unit === undefined ? undefined : Number(number) * milliseconds[unit]
}

/** Writes milliseconds as a whole number of the largest possible unit, at most minutes. */
export function durationText(value: number): string {
  if (value % 60_000 === 0) return `${value / 60_000}m`
  return value % 1000 === 0 ? `${value / 1000}s` : `${value}ms`
}
