import type { Command } from 'commander'
import { confirm } from '../../cli/ask.ts'
import type { CommandContext } from '../../cli/context.ts'
import { UsageError } from '../../cli/usageError.ts'

/** Options of a command that changes a host; both mean the same. */
export type ConfirmationOptions = { readonly iAmSure?: boolean; readonly yes?: boolean }

/** Adds --i-am-sure and --yes. */
export const addConfirmationOptions = <Made extends Command>(command: Made): Made =>
  command
    .option('--i-am-sure', 'confirm that this changes the host')
    .option('--yes', 'the same as --i-am-sure')

export const isConfirmed = ({ iAmSure, yes }: ConfirmationOptions): boolean =>
  iAmSure === true || yes === true

/**
 * Resolves to true if the change is confirmed by option or at the prompt; otherwise prints that nothing was
 * changed. Throws a `UsageError` without an option and a terminal.
 */
export async function confirmChange(options: {
  readonly context: CommandContext
  /** Host or hosts, for messages. */
  readonly place: string
  /** Name of the command for messages. */
  readonly command: string
  readonly iAmSure: boolean
  readonly question: string
}): Promise<boolean> {
  const { context, place, command, iAmSure, question } = options
  if (iAmSure) return true
  if (context.stdin.isTTY !== true) {
    throw new UsageError(
      `${command} changes ${place}, and there is no terminal to ask.`,
      'Confirm it with --i-am-sure.',
    )
  }
  if (await confirm(context, question)) return true
  context.stderr.write('Nothing was changed.\n')
  return false
}
