import { Readable } from 'node:stream'
import type { CommandContext } from '../../cli/context.ts'
import type { ExitCode } from '../../cli/exitCodes.ts'
import { Interrupted } from '../../cli/interrupted.ts'
import { reportFailure } from '../../session/reportFailure.ts'

/** Output and exit code of a command; no exit code where it crashed. */
type Captured = { readonly text: string; readonly code: ExitCode | undefined }

/**
 * Captures the output of commands. They share the answers that were given before `capture`; meanwhile nothing is asked.
 */
export function createCapture(context: CommandContext): {
  readonly context: CommandContext
  readonly capture: (run: (context: CommandContext) => Promise<ExitCode>) => Promise<Captured>
} {
  const emptyInput: CommandContext['stdin'] = Readable.from([])
  let pieces: string[] | undefined
  const output = (stream: CommandContext['stdout']): CommandContext['stdout'] => ({
    write: (text) => (pieces === undefined ? stream.write(text) : pieces.push(text)),
  })
  const inner: CommandContext = {
    ...context,
    stdout: output(context.stdout),
    stderr: output(context.stderr),
    get stdin() {
      return pieces === undefined ? context.stdin : emptyInput
    },
  }
  const capture = async (run: (context: CommandContext) => Promise<ExitCode>): Promise<Captured> => {
    const printed: string[] = []
    pieces = printed
    try {
      const code = await attempt(inner, run, printed)
      if (context.signal.aborted) throw new Interrupted()
      return { text: printed.join(''), code }
    } finally {
      pieces = undefined
    }
  }
  return { context: inner, capture }
}

/** Captures the message of a failed command, and the stack of one that crashed. */
async function attempt(
  context: CommandContext,
  run: (context: CommandContext) => Promise<ExitCode>,
  printed: string[],
): Promise<ExitCode | undefined> {
  try {
    return await run(context).catch((error: unknown) => reportFailure(context, error))
  } catch (error) {
    printed.push(`${error instanceof Error ? error.stack : String(error)}\n`)
    return undefined
  }
}
