import { homedir } from 'node:os'
import { dirname, resolve } from 'node:path'
import type { Define } from '../cli/command.ts'
import type { CommandContext } from '../cli/context.ts'
import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import { printDiagnostics } from '../cli/printDiagnostics.ts'
import { fileExists, largestConfigFile, readConfigFiles } from '../cli/readConfigFiles.ts'
import { type Destination, destinationGiven, destinationOptions, writeLines } from '../cli/writeLines.ts'
import { importIni as toYaml } from '../config/ini/importIni.ts'
import { joinLines } from '../config/ini/readIni.ts'
import { type LoadResult, loadConfig } from '../config/load.ts'
import { diagnose } from '../diagnostics/diagnose.ts'
import { withoutSilenced } from '../session/withoutSilenced.ts'

export const importCommand: Define = (made, { context, done }) =>
  destinationOptions(
    made
      .argument('<file>', 'the INI file; - is standard input')
      .option('--cluster <name>', 'name of the cluster (default: that of the first service)'),
  ).action(async (file: string) => {
    const { cluster } = made.opts<{ readonly cluster?: string }>()
    done(await importIni({ context, file, cluster, ...destinationGiven(made) }))
  })

/** The name under which findings stand about what goes to standard output. */
const stdoutName = 'standard output'

/** Returns the findings of `muster validate` about the YAML file. */
function checkYaml(
  context: CommandContext,
  text: string,
  out: string | undefined,
): Pick<LoadResult, 'diagnostics' | 'sources'> {
  const name = out ?? stdoutName
  const size = Buffer.byteLength(text)
  if (size > largestConfigFile) {
    const span = { file: name, line: 1, column: 1, endLine: 1, endColumn: 2 }
    const finding = diagnose('file-too-large', { size, limit: largestConfigFile }, { span })
    return { diagnostics: [finding], sources: [] }
  }
  const directory = out === undefined ? context.cwd : dirname(resolve(context.cwd, out))
  const home = context.env.HOME ?? homedir()
  const loaded = loadConfig({ files: [{ name, directory, text }], home, exists: fileExists })
  const { findings } = withoutSilenced({ ...loaded, combined: false }, { findings: loaded.diagnostics })
  return { diagnostics: findings, sources: loaded.sources }
}

/**
 * Converts an INI file of the product family to a YAML file with comments. Reads nothing else and runs nothing. Exit
 * codes: 0 written, 1 written with errors in one of the two files, or the INI file is no text, 3 a file cannot be read
 * or written.
 */
export async function importIni(
  options: Destination & {
    readonly context: CommandContext
    /** As the user typed it; - is standard input. */
    readonly file: string
    /** The name of the cluster; absent: what the file says, else its first service. */
    readonly cluster: string | undefined
  },
): Promise<ExitCode> {
  const { context, file, cluster, out } = options
  const { cwd, stdin, signal } = context
  const read = await readConfigFiles({ paths: [file], cwd, stdin, signal })
  const [source] = read.files
  const to = { context, output: context.stderr }
  if (source === undefined) {
    printDiagnostics({ diagnostics: read.diagnostics, sources: [] }, to)
    return read.missing ? exitCodes.usage : exitCodes.failed
  }
  const { name, text } = source
  const imported = toYaml({ name, text, ...(cluster === undefined ? {} : { cluster }) })
  const about = { diagnostics: imported.findings, sources: [imported.source] }
  if (imported.yaml === undefined) {
    printDiagnostics(about, to)
    return exitCodes.failed
  }
  if (!(await writeLines(context, imported.yaml, options))) return exitCodes.usage
  printDiagnostics(about, to)
  const checked = checkYaml(context, joinLines(imported.yaml, 'text'), out)
  printDiagnostics(checked, to)
  const failed = [...imported.findings, ...checked.diagnostics].some(({ severity }) => severity === 'error')
  if (out !== undefined) {
    const next = failed ? 'correct it, then check it with' : 'check it with'
    context.stdout.write(`Wrote ${out}, readable only by you. Next, ${next}: muster validate ${out}\n`)
  }
  return failed ? exitCodes.failed : exitCodes.ok
}
