import type { HostOutcome } from '../deployment/events.ts'
import { type ExitCode, exitCodes } from './exitCodes.ts'

/** The exit code of a run: a host that failed weighs more than one that could not be reached. */
export function exitOfRun(outcomes: readonly HostOutcome[], interrupted: boolean): ExitCode {
  const some = (result: HostOutcome['result']): boolean => outcomes.some((one) => one.result === result)
  if (interrupted) return exitCodes.interrupted
  if (some('failed')) return exitCodes.failed
  return some('unreachable') ? exitCodes.unreachable : exitCodes.ok
}
