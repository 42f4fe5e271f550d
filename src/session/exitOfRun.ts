import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import { exitOfHosts } from '../cli/exitOfHosts.ts'
import type { HostOutcome } from '../deployment/events.ts'

/** The exit code of a run. */
export function exitOfRun(outcomes: readonly HostOutcome[], interrupted: boolean): ExitCode {
  if (interrupted) return exitCodes.interrupted
  return exitOfHosts(outcomes.map(({ result }) => result))
}
