import { resolve } from 'node:path'
import type { Command } from 'commander'
import { joinLines, type TextLine } from '../config/ini/readIni.ts'
import { flag } from './command.ts'
import type { CommandContext } from './context.ts'
import { writeFileTo } from './terminal.ts'
import { type WriteOutcome, writeNewFile, writeProblem } from './writeNewFile.ts'

function reason(outcome: Exclude<WriteOutcome, 'written'>, file: string): string {
  if (outcome === 'exists') {
    return `${file} already exists and was not changed.\n  fix: To overwrite it, add --force.\n`
  }
  const { message, fix } = writeProblem(outcome, { file })
  return `${message}\n  fix: ${fix}\n`
}

/** Target of a generated file. */
export type Destination = {
  /** As the user typed it; absent: standard output. */
  readonly out: string | undefined
  /** Allows it to replace another file. */
  readonly force: boolean
}

/**
 * Writes a generated file: to `out` for the owner alone (0600), else to standard output with its secrets; a terminal
 * shows [redacted] instead. Returns false and prints why where it could not be written.
 */
export async function writeLines(
  context: CommandContext,
  lines: readonly TextLine[],
  { out, force }: Destination,
): Promise<boolean> {
  const secret = lines.some(({ text, shown }) => text !== shown)
  if (out !== undefined) {
    const text = joinLines(lines, 'text')
    const outcome = await writeNewFile({ path: resolve(context.cwd, out), text, force })
    if (outcome === 'written') return true
    context.stderr.write(`error: ${reason(outcome, out)}`)
    return false
  }
  const terminal = context.stdout.isTTY === true
  writeFileTo(context.stdout, joinLines(lines, terminal ? 'shown' : 'text'))
  if (secret && terminal) {
    context.stderr.write(
      'note: Secrets are shown as [redacted] on a terminal. --out FILE writes them to a file that only you can read.\n',
    )
  } else if (secret) {
    context.stderr.write(
      'note: The output contains secrets in plain text. --out FILE writes a file that only you can read.\n',
    )
  }
  return true
}

/** Adds --out and --force. */
export const destinationOptions = <Made extends Command>(made: Made): Made =>
  made
    .option('--out <file>', 'file to write, readable only by you (default: standard output)')
    .option('--force', 'overwrite an existing file')

export const destinationGiven = (made: Command): Destination => ({
  out: made.opts<{ readonly out?: string }>().out,
  force: flag(made, 'force'),
})
