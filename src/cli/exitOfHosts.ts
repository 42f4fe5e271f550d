import { type ExitCode, exitCodes } from './exitCodes.ts'

/**
 * What has become of hosts as an exit code, whether they were looked at or worked on: one that failed weighs more than
 * one that could not be reached.
 */
export function exitOfHosts(states: readonly string[]): ExitCode {
  if (states.includes('failed')) return exitCodes.failed
  return states.includes('unreachable') ? exitCodes.unreachable : exitCodes.ok
}
