import { Readable } from 'node:stream'
import type { CommandContext } from '../../cli/context.ts'
import type { ExitCode } from '../../cli/exitCodes.ts'
import { Interrupted } from '../../cli/interrupted.ts'
import { reportFailure } from '../../session/reportFailure.ts'

/** What a command printed, and its exit code; undefined where it broke. */
type Captured = { readonly text: string; readonly code: ExitCode | undefined }

/**
 * Runs commands whose output is kept instead of shown. They are one command in the eyes of connections: what was
 * asked of a person before `capture` is not asked again, and nothing is asked meanwhile.
 */
export function createCapture(context: CommandContext): {
  readonly context: CommandContext
  readonly capture: (run: (context: CommandContext) => Promise<ExitCode>) => Promise<Captured>
} {
  const nobody: CommandContext['stdin'] = Readable.from([])
  let pieces: string[] | undefined
  const output = (stream: CommandContext['stdout']): CommandContext['stdout'] => ({
    write: (text) => (pieces === undefined ? stream.write(text) : pieces.push(text)),
  })
  const inner: CommandContext = {
    ...context,
    stdout: output(context.stdout),
    stderr: output(context.stderr),
    get stdin() {
      return pieces === undefined ? context.stdin : nobody
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

/** A command that fails tells why; one that breaks belongs into a bug report, with where it did. */
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
