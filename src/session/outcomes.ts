import type { CommandContext } from '../cli/context.ts'
import { type ExitCode, exitCodes, exitOfHosts } from '../cli/exitCodes.ts'
import { lineLayout } from '../cli/terminal.ts'
import type { Failure, HostOutcome } from '../deployment/events.ts'
import type { UnreachableHost } from '../deployment/survey.ts'
import { failuresText } from '../output/deployment/failureText.ts'

/** The outcome of a host on which nothing was begun. */
export const notStarted = (host: string): HostOutcome => ({
  host,
  result: 'not-started',
  applied: [],
  seconds: {},
})

/** The outcome of a host that refuses the run: nothing was begun there either. */
export const failedOutcome = (host: string, failure: Failure): HostOutcome => ({
  host,
  result: 'failed',
  applied: [],
  failure,
  seconds: {},
})

/**
 * One outcome for each host, in the order of `hosts`: those that failed did, the others were not started. Hosts that
 * failed and are not among them come last.
 */
export const refusedOutcomes = (
  hosts: readonly string[],
  failed: readonly HostOutcome[],
): readonly HostOutcome[] => [
  ...hosts.map((name) => failed.find(({ host }) => host === name) ?? notStarted(name)),
  ...failed.filter(({ host }) => !hosts.includes(host)),
]

export function exitOfRun(outcomes: readonly HostOutcome[], interrupted: boolean): ExitCode {
  if (interrupted) return exitCodes.interrupted
  return exitOfHosts(outcomes.map(({ result }) => result))
}

/** Prints the failures of hosts on standard error. */
export function reportUnreachable(context: CommandContext, unreachable: readonly UnreachableHost[]): void {
  const { stderr } = context
  const failures = unreachable.map(({ host, failure }) => ({ host: host.name, failure }))
  stderr.write(failuresText(failures, lineLayout(context, stderr)))
}

/** Returns the exit code of a read-only command with these unreachable hosts. */
export const exitOfUnreachable = (unreachable: readonly UnreachableHost[]): ExitCode =>
  exitOfHosts(unreachable.map((one) => (one.unreachable ? 'unreachable' : 'failed')))
