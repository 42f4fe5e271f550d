import type { LostHost } from '../deployment/survey.ts'
import { failureText } from '../output/deployment/failure.ts'
import type { CommandContext } from './context.ts'
import type { ExitCode } from './exitCodes.ts'
import { exitOfHosts } from './exitOfHosts.ts'
import { colourOf } from './terminal.ts'

/** Tells on standard error which hosts gave nothing, and why. */
export function tellLost(context: CommandContext, lost: readonly LostHost[]): void {
  const colour = colourOf(context, context.stderr)
  for (const { host, failure } of lost) {
    context.stderr.write(failureText({ host: host.name, failure, colour }))
  }
}

/** The exit code where these hosts gave nothing, and all others what was asked. */
export const exitOfLooking = (lost: readonly LostHost[]): ExitCode =>
  exitOfHosts(lost.map(({ unreachable }) => (unreachable ? 'unreachable' : 'failed')))
