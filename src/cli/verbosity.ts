import type { Command } from 'commander'
import type { CommandContext, Output } from './context.ts'
import { writingAs } from './context.ts'
import { asCalled } from './invocation.ts'
import { withFoldedLines } from './terminal.ts'
import { UsageError } from './usageError.ts'

/** Adds --quiet and --verbose. */
export const verbosityOptions = <Made extends Command>(made: Made): Made =>
  made
    .option('-q, --quiet', 'print only errors, warnings and the result')
    .option('-v, --verbose', 'print each step, and each round trip to a host')

/**
 * Returns the context of a program: it breaks long lines, names the program in hints as it was called, and its verbosity and its --forks are those of the command that
 * runs, which `follow` makes known.
 */
export function programContext(
  given: CommandContext,
  program: { readonly name: string; readonly commands: readonly string[] },
): {
  readonly context: CommandContext
  readonly follow: (program: Command) => void
} {
  const { name, commands } = program
  let verbosity: CommandContext['verbosity']
  let forks: number | undefined
  const isQuiet = (): boolean => verbosity === 'quiet'
  const folded = withFoldedLines(given, asCalled({ name, as: given.calledAs ?? name }, commands))
  const context: CommandContext = {
    ...folded,
    stderr: withoutNotes(folded.stderr, isQuiet),
    get verbosity() {
      return verbosity
    },
    get forks() {
      return forks
    },
  }
  const follow = (program: Command): void => {
    program.hook('preAction', (_, command) => {
      const given = command.optsWithGlobals<{ quiet?: true; verbose?: true; forks?: number }>()
      const { quiet, verbose } = given
      if (quiet && verbose)
        throw new UsageError('--quiet and --verbose contradict each other.', 'Use one of them.')
      verbosity = quiet ? 'quiet' : verbose ? 'verbose' : undefined
      forks = given.forks
    })
  }
  return { context, follow }
}

/** Returns a stream that drops notes, which commands write as `note: …`, while it `isQuiet`. */
const withoutNotes = (stream: Output, isQuiet: () => boolean): Output =>
  writingAs(stream, { write: (text) => (isQuiet() && text.startsWith('note: ') ? true : stream.write(text)) })
