import { dirname, join, resolve } from 'node:path'
import type { CommandContext } from './context.ts'
import { type ExitCode, exitCodes } from './exitCodes.ts'
import { startingFile } from './startingFile.ts'
import { type WriteOutcome, writeNewFile } from './writeNewFile.ts'
import { writeProblem } from './writeProblem.ts'

function reason(outcome: Exclude<WriteOutcome, 'written'>, file: string): string {
  if (outcome === 'exists') {
    return `${file} exists already and was left as it is.\nTo replace it: muster init --force ${file}\n`
  }
  const { message, fix } = writeProblem(outcome, { file, example: 'muster.yaml' })
  return `${message}\n${fix}\n`
}

/** Writes a commented starting file, for the owner alone to read (0600); never over another without `force`. */
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
  const shown = file === 'muster.yaml' ? '' : ` ${file}`
  context.stdout.write(
    `Wrote ${file}. Next:\n` +
      '  1. Put your hosts into it.\n' +
      `  2. muster validate${shown}   checks it\n` +
      `  3. muster plan${shown}       shows what would change\n` +
      `  4. muster install${shown}    does it\n` +
      `An editor with the YAML language server explains every option once it has the schema:\n` +
      `  muster schema --out ${join(dirname(file), 'muster.schema.json')}\n`,
  )
  return exitCodes.ok
}
