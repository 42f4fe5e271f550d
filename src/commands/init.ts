import { dirname, join, resolve } from 'node:path'
import type { CommandContext } from '../cli/context.ts'
import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import { UsageError } from '../cli/usageError.ts'
import { type WriteOutcome, writeNewFile, writeProblem } from '../cli/writeNewFile.ts'
import { writeSchema } from './schema.ts'
import { startingFile } from './startingFile.ts'

/** The way from the file to running APIs. */
const next = [
  ['validate', 'check the file'],
  ['trust', 'accept the SSH keys of the hosts'],
  ['check', 'look for problems on the hosts'],
  ['plan', 'show what would change'],
  ['install', 'install, and verify every login'],
] as const

function reason(outcome: Exclude<WriteOutcome, 'written'>, file: string): string {
  if (outcome === 'exists') {
    return `${file} already exists and was not changed.\nTo overwrite it: muster init --force ${file}\n`
  }
  const { message, fix } = writeProblem(outcome, { file, example: 'muster.yaml' })
  return `${message}\n${fix}\n`
}

/** Writes the schema that the first line of the file names; says why where that fails, for the file does without. */
async function schemaBeside(file: string, context: CommandContext): Promise<string> {
  const shown = join(dirname(file), 'muster.schema.json')
  try {
    await writeSchema(resolve(context.cwd, shown), shown)
    return `Wrote ${file}, and ${shown} for editors with the YAML language server.\n`
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return `Wrote ${file}, but no schema for editors: ${error.message}\n`
  }
}

/**
 * Writes a commented starting file, for the owner alone to read (0600), and the schema for editors beside it; never
 * over another configuration without `force`.
 */
export async function init(options: {
  readonly context: CommandContext
  /** As the user typed it, relative to the working directory. */
  readonly file: string
  readonly force: boolean
}): Promise<ExitCode> {
  const { context, file, force } = options
  const outcome = await writeNewFile({ path: resolve(context.cwd, file), text: startingFile, force })
  if (outcome !== 'written') {
    context.stderr.write(reason(outcome, file))
    return exitCodes.usage
  }
  const wrote = await schemaBeside(file, context)
  const named = file === 'muster.yaml' ? '' : ` ${file}`
  const steps = next.map(([command, does], index) => {
    const padded = `muster ${command}${named}`.padEnd('muster validate'.length + named.length)
    return `  ${index + 2}. ${padded}   ${does}\n`
  })
  context.stdout.write(`${wrote}Next:\n  1. Put your hosts into it.\n${steps.join('')}`)
  return exitCodes.ok
}
