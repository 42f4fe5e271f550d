import type { LostHost } from '../deployment/survey.ts'
import { failureText } from '../output/deployment/failure.ts'
import type { CommandContext } from './context.ts'
import { type ExitCode, exitCodes } from './exitCodes.ts'
import { colourOf } from './terminal.ts'

/** Tells on standard error which hosts gave nothing, and why. */
export function tellLost(context: CommandContext, lost: readonly LostHost[]): void {
  const colour = colourOf(context, context.stderr)
  for (const { host, failure } of lost) {
    context.stderr.write(failureText({ host: host.name, failure, colour }))
  }
}

/** As for a run: a host that failed weighs more than one that could not be reached. */
export function exitOfLooking(lost: readonly LostHost[]): ExitCode {
  if (lost.some(({ unreachable }) => !unreachable)) return exitCodes.failed
  return lost.length > 0 ? exitCodes.unreachable : exitCodes.ok
}
