import { isAbsolute, resolve } from 'node:path'
import type { Define } from '../cli/command.ts'
import type { CommandContext } from '../cli/context.ts'
import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import { readInputFile } from '../cli/readInputFile.ts'
import { writeFileTo } from '../cli/terminal.ts'
import { UsageError } from '../cli/usageError.ts'
import { type WriteOutcome, writeNewFile, writeProblem } from '../cli/writeNewFile.ts'
import { schemaId, schemaText } from '../config/reference/schema.ts'

export const schemaCommand: Define = (made, { context, done }) =>
  made
    .option('--out <file>', 'file to write (default: standard output)')
    .action(async ({ out }: { readonly out?: string }) => done(await schema({ context, out })))

/** Nothing in the schema is secret. */
const mode = 0o666

function refusal(outcome: Exclude<WriteOutcome, 'written'>, file: string): UsageError {
  if (outcome === 'exists') {
    return new UsageError(
      `${file} already exists and is not a schema of muster; it was not changed.`,
      'Name another file, such as muster.schema.json.',
    )
  }
  const { message, fix } = writeProblem(outcome, { file, example: 'muster.schema.json' })
  return new UsageError(message, fix)
}

/**
 * Writes the schema to `path`, shown as `file`; replaces only another schema of muster, of any version. Throws a
 * `UsageError`.
 */
export async function writeSchema(path: string, file: string): Promise<void> {
  const text = schemaText()
  const first = await writeNewFile({ path, text, mode, force: false })
  if (first === 'written') return
  if (first !== 'exists') throw refusal(first, file)
  const there = await readInputFile({ path, what: 'The file to replace' })
  if (!there.text.includes(`"$id": "${schemaId}"`)) throw refusal('exists', file)
  const second = await writeNewFile({ path, text, mode, force: true })
  if (second !== 'written') throw refusal(second, file)
}

/** Explains how an editor uses the schema in this file. */
export const editorInstructions = (file: string): string => {
  const reference = isAbsolute(file) || file.startsWith('.') ? file : `./${file}`
  return (
    'An editor with the YAML language server checks and explains your file with it. Its first line must be\n' +
    `  # yaml-language-server: $schema=${reference}\n` +
    'and the setting yaml.customTags of the editor\n' +
    '  ["!env scalar", "!file scalar", "!exec sequence"]\n'
  )
}

/** Prints the JSON Schema of the configuration file, or writes it to the file `out` (`-` is standard output). */
export async function schema(options: {
  readonly context: CommandContext
  /** As the user typed it, relative to the working directory. */
  readonly out: string | undefined
}): Promise<ExitCode> {
  const { context, out } = options
  if (out === undefined || out === '-') {
    writeFileTo(context.stdout, schemaText())
    return exitCodes.ok
  }
  await writeSchema(resolve(context.cwd, out), out)
  context.stdout.write(`Wrote ${out}.\n${editorInstructions(out)}`)
  return exitCodes.ok
}
