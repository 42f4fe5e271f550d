import { UsageError } from './usageError.ts'

const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 }

/** Seconds of a length of time on the command line, such as `90s`, `10m`, `1h` or `2d`. Throws a `UsageError`. */
export function lengthOfTime(text: string, option: string): number {
  const [, number, unit = ''] = /^([1-9]\d{0,6})([smhd])$/.exec(text) ?? []
  const size = units[unit]
  if (number !== undefined && size !== undefined) return Number(number) * size
  throw new UsageError(
    `--${option} ${text} is not a duration.`,
    `Use a whole number with a unit, such as --${option} 90s, 10m, 1h or 2d.`,
  )
}

/** A whole number on the command line from 1 to `most`. Throws a `UsageError`. */
export function wholeNumber(
  text: string,
  { option, most }: { readonly option: string; readonly most: number },
): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : 0
  if (value >= 1 && value <= most) return value
  throw new UsageError(
    `--${option} ${text} is not a whole number from 1 to ${most}.`,
    `Give one, such as --${option} ${Math.min(100, most)}.`,
  )
}
