import type { Command } from 'commander'
import { confirm } from '../../cli/ask.ts'
import type { CommandContext } from '../../cli/context.ts'
import { UsageError } from '../../cli/usageError.ts'

/** What a command that changes the host is told; both mean the same. */
export type ConfirmationOptions = { readonly iAmSure?: boolean; readonly yes?: boolean }

/** Adds the options that stand for the guard. */
export const addConfirmationOptions = (command: Command): Command =>
  command
    .option('--i-am-sure', 'confirm that this changes the host')
    .option('--yes', 'the same as --i-am-sure')

export const isConfirmed = ({ iAmSure, yes }: ConfirmationOptions): boolean =>
  iAmSure === true || yes === true

/**
 * Whether the change is confirmed: by option, or by a person who is asked. Says that nothing was changed where
 * it is not. Throws a `UsageError` where there is neither.
 */
export async function confirmChange(options: {
  readonly context: CommandContext
  /** The host or hosts, as a person names them. */
  readonly place: string
  /** Name of the command, for the message. */
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
