import type { Define } from '../cli/command.ts'
import type { CommandContext } from '../cli/context.ts'
import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import { printDiagnostics } from '../cli/printDiagnostics.ts'
import { readConfigFiles } from '../cli/readConfigFiles.ts'
import { type Destination, destinationGiven, destinationOptions, writeLines } from '../cli/writeLines.ts'
import { importIni as toYaml } from '../config/ini/importIni.ts'
import { joinLines } from '../config/ini/readIni.ts'
import { checkWrittenFile } from '../session/checkWrittenFile.ts'

export const importCommand: Define = (made, { context, done }) =>
  destinationOptions(
    made
      .argument('<file>', 'the INI file; - is standard input')
      .option('--cluster <name>', 'name of the cluster (default: that of the first service)'),
  ).action(async (file: string) => {
    const { cluster } = made.opts<{ readonly cluster?: string }>()
    done(await importIni({ context, file, cluster, ...destinationGiven(made) }))
  })

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
    /** The name of the cluster; absent: that of its first service. */
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
  const checked = checkWrittenFile(context, joinLines(imported.yaml, 'text'), out)
  printDiagnostics(checked, to)
  const failed = [...imported.findings, ...checked.diagnostics].some(({ severity }) => severity === 'error')
  if (out !== undefined) {
    const next = failed ? 'correct it, then check it with' : 'check it with'
    context.stdout.write(`Wrote ${out}, readable only by you. Next, ${next}: muster validate ${out}\n`)
  }
  return failed ? exitCodes.failed : exitCodes.ok
}
