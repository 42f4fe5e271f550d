import { type Command, InvalidArgumentError, Option } from 'commander'
import { parseDuration } from '../../base/time.ts'

const longest = 24 * 60 * 60_000

/** Adds --lock-wait: how long to wait while another run is at work on a host. */
export const lockWait = (made: Command): Command =>
  made.addOption(
    new Option('--lock-wait <time>', 'how long to wait for another run to end, such as 30s or 5m').argParser(
      parseWait,
    ),
  )

/** What --lock-wait was given, in milliseconds; 0 without it. */
export const lockWaitGiven = (made: Command): number => made.opts<{ lockWait?: number }>().lockWait ?? 0

function parseWait(text: string): number {
  const value = parseDuration(text)
  if (value !== undefined && value <= longest) return value
  throw new InvalidArgumentError('Use a duration with a unit, such as 30s or 5m, of at most 24 hours.')
}
