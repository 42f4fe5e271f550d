import type { CommandContext } from '../cli/context.ts'
import { promptHidden } from '../cli/promptHidden.ts'
import { readStdin } from '../cli/readConfigFiles.ts'
import { UsageError } from '../cli/usageError.ts'
import { asksForStdin } from '../config/sets.ts'

/**
 * The value of a `--set name=-`: typed unseen where standard input is a terminal, else all of it. Undefined
 * when none is asked for. Throws a `UsageError` when nothing was typed, or `Interrupted`.
 */
export async function readSetInput(options: {
  readonly context: CommandContext
  readonly set: readonly string[]
  /** Nothing will look at the value: nobody is to type it for that. */
  readonly inVain: boolean
}): Promise<string | undefined> {
  const { context, set, inVain } = options
  const asking = set.find(asksForStdin)
  if (asking === undefined) return undefined
  if (inVain) return ''
  if (context.stdin.isTTY !== true) return readStdin(context.stdin)
  const name = asking.slice(0, asking.indexOf('='))
  const typed = (await promptHidden({ context, question: name }))?.reveal() ?? ''
  if (typed !== '') return typed
  throw new UsageError(
    `${name} was not given.`,
    'Type it and press Enter; it is not shown. Without --set, the value of the file is used.',
  )
}
