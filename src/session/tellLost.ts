import type { CommandContext } from '../cli/context.ts'
import { type ExitCode, exitOfHosts } from '../cli/exitCodes.ts'
import { lineLayout } from '../cli/terminal.ts'
import type { LostHost } from '../deployment/survey.ts'
import { failuresText } from '../output/deployment/failure.ts'

/** Tells on standard error which hosts gave nothing, and why. */
export function tellLost(context: CommandContext, lost: readonly LostHost[]): void {
  const { stderr } = context
  const failures = lost.map(({ host, failure }) => ({ host: host.name, failure }))
  stderr.write(failuresText(failures, lineLayout(context, stderr)))
}

/** The exit code where these hosts gave nothing, and all others what was asked. */
export const exitOfLooking = (lost: readonly LostHost[]): ExitCode =>
  exitOfHosts(lost.map(({ unreachable }) => (unreachable ? 'unreachable' : 'failed')))
