import { Secret } from '../secrets/secret.ts'
import type { CommandContext } from './context.ts'
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

/** A line that is typed without being shown. */
type HiddenLine = {
  readonly text: string
  /** Inside an escape sequence, such as that of an arrow key, which is passed over. */
  readonly escape: 'none' | 'begun' | 'sequence'
}

export type HiddenKey = HiddenLine & { readonly event: 'typing' | 'enter' | 'interrupt' | 'end' }

export const emptyLine: HiddenLine = { text: '', escape: 'none' }

const characters = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/**
 * Applies one character (a code point) of a terminal in raw mode to the line: Enter ends it, Backspace removes the last
 * visible character, Ctrl-U all of them, Ctrl-C interrupts, and Ctrl-D ends an empty line.
 */
export function typeCharacter(line: HiddenLine, character: string): HiddenKey {
  const typing = (text: string, state: HiddenLine['escape'] = 'none'): HiddenKey => ({
    text,
    escape: state,
    event: 'typing',
  })
  if (character === '\u0003') return { ...emptyLine, event: 'interrupt' }
  if (line.escape === 'begun') return typing(line.text, /[[O]/.test(character) ? 'sequence' : 'none')
  if (line.escape === 'sequence') return typing(line.text, /[@-~]/.test(character) ? 'none' : 'sequence')
  switch (character) {
    case '\r':
    case '\n':
      return { text: line.text, escape: 'none', event: 'enter' }
    case '\u0004':
      return { text: line.text, escape: 'none', event: line.text === '' ? 'end' : 'typing' }
    case '\u001b':
      return typing(line.text, 'begun')
    case '\u0015':
      return typing('')
    case '\b':
    case '\u007f':
      return typing(withoutLast(line.text))
    default:
      return typing(character < ' ' ? line.text : line.text + character)
  }
}

function withoutLast(text: string): string {
  const last = [...characters.segment(text)].at(-1)
  return last === undefined ? '' : text.slice(0, last.index)
}

/** The last question of each terminal: two at once would share the answer's letters. */
const asked = new WeakMap<CommandContext, Promise<unknown>>()

/** Asks for the passphrase of a private key; undefined where there is no terminal, or no answer. */
export function askPassphrase(context: CommandContext, path: string): Promise<Secret | undefined> {
  return askHidden(context, `Passphrase of ${path}`)
}

/** Asks one thing after another; undefined where there is no terminal, or no answer. */
export function askHidden(context: CommandContext, question: string): Promise<Secret | undefined> {
  if (context.stdin.isTTY !== true) return Promise.resolve(undefined)
  const before = asked.get(context) ?? Promise.resolve()
  const answer = before.then(async () => {
    const given = await promptHidden({ context, question })
    return given === undefined || given.reveal() === '' ? undefined : given
  })
  asked.set(
    context,
    answer.catch(() => undefined),
  )
  return answer
}
