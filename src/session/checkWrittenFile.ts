import { homedir } from 'node:os'
import { dirname, resolve } from 'node:path'
import type { CommandContext } from '../cli/context.ts'
import { fileExists, fileTooLarge, largestConfigFile } from '../cli/readConfigFiles.ts'
import { type LoadResult, loadConfig } from '../config/load.ts'
import { withoutSilenced } from './withoutSilenced.ts'

/** The name under which findings stand about what goes to standard output. */
const stdoutName = 'standard output'

/** Returns the findings of `muster validate` about a file that a command writes. */
export function checkWrittenFile(
  context: CommandContext,
  text: string,
  /** As the user typed it; undefined: standard output. */
  out: string | undefined,
): Pick<LoadResult, 'diagnostics' | 'sources'> {
  const name = out ?? stdoutName
  const size = Buffer.byteLength(text)
  if (size > largestConfigFile) {
    const span = { file: name, line: 1, column: 1, endLine: 1, endColumn: 2 }
    const finding = fileTooLarge({ size, limit: largestConfigFile }, { span })
    return { diagnostics: [finding], sources: [] }
  }
  const directory = out === undefined ? context.cwd : dirname(resolve(context.cwd, out))
  const home = context.env.HOME ?? homedir()
  const loaded = loadConfig({ files: [{ name, directory, text }], home, exists: fileExists })
  const { findings } = withoutSilenced({ ...loaded, combined: false }, { findings: loaded.diagnostics })
  return { diagnostics: findings, sources: loaded.sources }
}
