import type { CommandContext } from './context.ts'
import { readInput } from './terminalInput.ts'

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
