import type { CommandContext } from './context.ts'
import { Interrupted } from './interrupted.ts'
import { readInput } from './terminalInput.ts'
import { UsageError } from './usageError.ts'

type AskContext = Pick<CommandContext, 'stdin' | 'stderr' | 'signal'>

/** Asks on standard error and reads one line of the terminal; undefined where the input ends instead. */
export async function ask(context: AskContext, question: string): Promise<string | undefined> {
  context.stderr.write(`${question} `)
  let line = ''
  return readInput({
    context,
    take: (text) => {
      line += text
      const end = line.indexOf('\n')
      if (end === -1) return undefined
      return { value: line.slice(0, end).trim(), rest: line.slice(end + 1) }
    },
  })
}

/** Asks a question that only `yes` or `y` agrees to. */
export async function confirm(context: AskContext, question: string): Promise<boolean> {
  const answer = await ask(context, `${question} [yes/no]`)
  return /^y(es)?$/i.test(answer ?? '')
}

/**
 * Throws a `UsageError` where there is neither a terminal nor --yes. Called once the files are read and valid: whoever
 * mistyped a name learns of that first. `previewCommand` is the command that shows the changes; null if there is none.
 */
export function requireConfirmation(
  context: CommandContext,
  options: { yes: boolean; command: string; previewCommand?: string | null },
): void {
  if (options.yes || context.stdin.isTTY === true) return
  const { previewCommand = 'plan' } = options
  throw new UsageError(
    `\`muster ${options.command}\` changes hosts, and there is no terminal to ask for confirmation.`,
    previewCommand === null ? 'Pass --yes.' : `Review \`muster ${previewCommand}\` first, then pass --yes.`,
  )
}

/** Returns true where the user confirms, or gave --yes. */
export const isConfirmed = async (
  context: CommandContext,
  options: {
    readonly yes: boolean
    readonly question: string
    /** The run that waits for the answer. */
    readonly run?: { readonly waitFor: <Answer>(answer: () => Promise<Answer>) => Promise<Answer> }
  },
): Promise<boolean> => {
  const { yes, question, run } = options
  if (yes) return true
  const answer = (): Promise<boolean> => confirm(context, question)
  try {
    return await (run === undefined ? answer() : run.waitFor(answer))
  } catch (error) {
    // The terminal stands behind the question and its ^C.
    if (!(error instanceof Interrupted)) throw error
    context.stderr.write('\nNothing was changed.\n')
    throw new Interrupted({ reported: true })
  }
}
