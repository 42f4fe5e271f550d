import { parseDuration } from '../base/time.ts'
import { UsageError } from './usageError.ts'

/** Seconds of a length of time on the command line, such as `90s`, `10m`, `1h` or `2d`. Throws a `UsageError`. */
export function parseDurationOption(text: string, option: string): number {
  const value = /^[1-9]\d{0,6}\D/.test(text) ? parseDuration(text, ['s', 'm', 'h', 'd']) : undefined
  if (value !== undefined) return value / 1000
  throw new UsageError(
    `--${option} ${text} is not a duration.`,
    `Use a whole number with a unit, such as --${option} 90s, 10m, 1h or 2d.`,
  )
}

/** A whole number on the command line from 1 to `max`. Throws a `UsageError`. */
export function parseCountOption(
  text: string,
  { option, max }: { readonly option: string; readonly max: number },
): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : 0
  if (value >= 1 && value <= max) return value
  throw new UsageError(
    `--${option} ${text} is not a whole number from 1 to ${max}.`,
    `Use a number in this range, such as --${option} ${Math.min(100, max)}.`,
  )
}

/**
 * Validates a user name for HTTP Basic: no colon, no control characters (RFC 7617 section 2). Throws a
 * `UsageError`.
 */
export function readLoginUser(written: string): string {
  const carries = [...written].every((it) => it >= ' ' && it !== '\u007f' && it !== ':')
  if (written !== '' && carries) return written
  throw new UsageError(
    'A user name must not be empty or contain a colon or control characters.',
    'Give only the name, without the password.',
  )
}
