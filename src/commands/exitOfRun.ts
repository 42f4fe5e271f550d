import type { HostOutcome } from '../deployment/events.ts'
import { type ExitCode, exitCodes } from './exitCodes.ts'
import { exitOfHosts } from './exitOfHosts.ts'

/** The exit code of a run. */
export function exitOfRun(outcomes: readonly HostOutcome[], interrupted: boolean): ExitCode {
  if (interrupted) return exitCodes.interrupted
  return exitOfHosts(outcomes.map(({ result }) => result))
}
