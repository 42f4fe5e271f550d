import { resolve } from 'node:path'
import type { CommandContext } from './context.ts'
import { type ExitCode, exitCodes } from './exitCodes.ts'
import { startingFile } from './startingFile.ts'
import { type WriteOutcome, writeNewFile } from './writeNewFile.ts'

const reason = (outcome: Exclude<WriteOutcome, 'written'>, file: string): string => {
  switch (outcome) {
    case 'exists':
      return `${file} exists already and was left as it is.\nTo replace it: muster init --force ${file}\n`
    case 'no-folder':
      return `${file} cannot be written: its folder does not exist.\nMake the folder first, or name another file.\n`
    case 'is-directory':
      return `${file} is a directory.\nName the file in it, such as ${file.replace(/\/+$/, '')}/muster.yaml\n`
    case 'refused':
      return `${file} cannot be written: permission denied.\nChoose a folder that you may write to.\n`
    case 'failed':
      return `${file} cannot be written: the disk is full or reports an error.\nCheck it with: df -h\n`
  }
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
      `  4. muster install${shown}    does it\n`,
  )
  return exitCodes.ok
}
