import { Secret } from '../secrets/secret.ts'
import type { CommandContext } from './context.ts'
import { emptyLine, type HiddenLine, typeCharacter } from './hiddenLine.ts'
import { Interrupted } from './interrupted.ts'
import { readInput, type Taken } from './terminalInput.ts'

type Terminal = { setRawMode?: (raw: boolean) => unknown }

/**
 * Asks on standard error and reads a line from the terminal without showing it. Undefined where the input
 * ends instead (Ctrl-D); rejects with `Interrupted` on Ctrl-C. The terminal is left as it was, always.
 */
export async function promptHidden(prompt: {
  readonly context: Pick<CommandContext, 'stdin' | 'stderr' | 'signal'>
  /** Without the colon. */
  readonly question: string
}): Promise<Secret | undefined> {
  const { stdin, stderr } = prompt.context
  const terminal = stdin as Terminal
  // Before the question: whoever answers it at once must not see it echoed.
  terminal.setRawMode?.(true)
  try {
    stderr.write(`${prompt.question}: `)
    return await readInput({ context: prompt.context, take: hiddenLineReader() })
  } finally {
    terminal.setRawMode?.(false)
    stderr.write('\n')
  }
}

function hiddenLineReader(): (text: string) => Taken<Secret | undefined> | undefined {
  let line: HiddenLine = emptyLine
  return (text) => {
    let read = 0
    for (const character of text) {
      read += character.length
      const { event, ...next } = typeCharacter(line, character)
      line = next
      if (event === 'interrupt') throw new Interrupted()
      if (event === 'end') return { value: undefined, rest: text.slice(read) }
      if (event === 'enter') return { value: new Secret(line.text), rest: text.slice(read) }
    }
    return undefined
  }
}
