import { confirm } from './ask.ts'
import type { CommandContext } from './context.ts'
import { UsageError } from './usageError.ts'

/** What changes hosts asks on a terminal; elsewhere it wants --yes, and says so before it connects. */
export function mustBeAbleToAsk(
  context: CommandContext,
  options: { yes: boolean; command: string; look?: string },
): void {
  if (options.yes || context.stdin.isTTY === true) return
  throw new UsageError(
    `\`muster ${options.command}\` changes hosts, and there is no terminal to ask on.`,
    `Look at \`muster ${options.look ?? 'plan'}\` first, then give --yes.`,
  )
}

/** Whether the person agrees; --yes agrees beforehand. */
export const agreed = async (
  context: CommandContext,
  options: { readonly yes: boolean; readonly question: string },
): Promise<boolean> => options.yes || (await confirm(context, options.question))
