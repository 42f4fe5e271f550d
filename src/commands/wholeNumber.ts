import { UsageError } from '../cli/usageError.ts'

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
