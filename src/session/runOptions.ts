import { type Command, InvalidArgumentError, Option } from 'commander'
import { parseDuration } from '../base/time.ts'
import type { CliCommand } from '../cli/cliCommand.ts'
import { collectValues, flag } from '../cli/command.ts'
import { parseDurationOption } from '../cli/optionValues.ts'
import { UsageError } from '../cli/usageError.ts'
import { targetOptions } from './clusterOptions.ts'

/** Adds the targets, --yes, --lock-wait and --json. */
export const changeOptions = <Made extends CliCommand>(made: Made): Made =>
  confirmationOptions(targetOptions(made))

/** Adds --yes, --lock-wait and --json. */
export const confirmationOptions = <Made extends Command>(made: Made): Made =>
  lockWaitOption(made.option('-y, --yes', 'change hosts without asking')).option(
    '--json',
    'print events as JSON lines',
  )

/** Returns the values of `confirmationOptions`. */
export const changeFlags = (
  made: Command,
): { readonly yes: boolean; readonly json: boolean; readonly lockWait: number } => ({
  yes: flag(made, 'yes'),
  json: flag(made, 'json'),
  lockWait: lockWaitGiven(made),
})

export const runtimeFileOption = <Made extends Command>(made: Made): Made =>
  made.option('--runtime-file <path>', 'use this Node.js archive for the hosts instead of a download')

export const runtimeFileGiven = (made: Command): string | undefined =>
  made.opts<{ runtimeFile?: string }>().runtimeFile

export const releaseOption = <Made extends Command>(made: Made): Made =>
  made.option(
    '--release <release>',
    'run this release or version that the hosts keep, not the one of this muster',
  )

export const releaseGiven = (made: Command): string | undefined => made.opts<{ release?: string }>().release

export const keepFailedOption = <Made extends Command>(made: Made): Made =>
  made.option('--keep-failed', 'do not roll back a host that fails, so that you can inspect it')

/** Adds --confirm-within, the time after which a host goes back that lost its operator. */
export const confirmWithinOption = <Made extends Command>(made: Made): Made =>
  made.addOption(
    new Option(
      '--confirm-within <time>',
      'a host goes back by itself if its logins are not verified this long after its change began, such as 5m; 30s to 1h',
    ).argParser((text: string) => {
      const seconds = parseDurationOption(text, 'confirm-within')
      if (seconds >= 30 && seconds <= 3600) return seconds * 1000
      throw new UsageError(
        `--confirm-within ${text} is not from 30s to 1h.`,
        'Use a time in which a host is changed and verified, such as 5m.',
      )
    }),
  )

export const confirmWithinGiven = (made: Command): number | undefined =>
  made.opts<{ confirmWithin?: number }>().confirmWithin

export const planOption = <Made extends Command>(made: Made): Made =>
  made.option('--plan <plan>', 'apply exactly this plan of `muster plan --out`, without asking')

export const planGiven = (made: Command): string | undefined => made.opts<{ plan?: string }>().plan

/** Adds --replaced, for hosts that were exchanged for other machines on purpose. */
export const replacedOption = <Made extends Command>(made: Made): Made =>
  made.addOption(
    new Option('--replaced <host>', 'accept that this host is a new machine; may be repeated').argParser(
      collectValues,
    ),
  )

export const replacedGiven = (made: Command): readonly string[] =>
  made.opts<{ replaced?: string[] }>().replaced ?? []

/** Adds --prune, which takes out what is installed and no longer in the file. */
export const pruneOption = <Made extends CliCommand>(made: Made): Made =>
  made.option('--prune', 'take out hosts and users that left the file')

export const pruneGiven = (made: Command): boolean => flag(made, 'prune')

/** 24 hours, in milliseconds. */
const longestWait = 24 * 60 * 60_000

/** Adds --lock-wait, the time to wait while another run changes a host. */
export const lockWaitOption = <Made extends Command>(made: Made): Made =>
  made.addOption(
    new Option('--lock-wait <time>', 'how long to wait for another run to end, such as 30s or 5m').argParser(
      parseWait,
    ),
  )

/** Returns milliseconds; 0 without the option. */
export const lockWaitGiven = (made: Command): number => made.opts<{ lockWait?: number }>().lockWait ?? 0

function parseWait(text: string): number {
  const value = parseDuration(text)
  if (value !== undefined && value <= longestWait) return value
  throw new InvalidArgumentError('Use a duration with a unit, such as 30s or 5m, of at most 24 hours.')
}
