import { dirname, resolve } from 'node:path'
import { shortListOf } from '../base/words.ts'
import { type Define, flag } from '../cli/command.ts'
import type { CommandContext } from '../cli/context.ts'
import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import { printDiagnostics } from '../cli/printDiagnostics.ts'
import { UsageError } from '../cli/usageError.ts'
import { type Destination, destinationGiven, destinationOptions, writeLines } from '../cli/writeLines.ts'
import { exportIni as toIni } from '../config/ini/exportIni.ts'
import type { ResolvedCluster, ResolvedHost } from '../config/resolve/resolved.ts'
import { nearest } from '../diagnostics/nearest.ts'
import { fileArguments, runOnFiles } from '../session/clusterOptions.ts'
import { loadCluster } from '../session/loadCluster.ts'

export const exportCommand: Define = (made, world) =>
  runOnFiles(
    destinationOptions(
      fileArguments(made)
        .option('--ini', 'export as INI, the only format so far')
        .option('--host <name>', 'export for this host, including its own options'),
    ),
    world,
    (options) => {
      const { host } = made.opts<{ readonly host?: string }>()
      return exportIni({ ...options, ini: flag(made, 'ini'), host, ...destinationGiven(made) })
    },
  )

function hostOf({ hosts }: ResolvedCluster, name: string): ResolvedHost {
  const host = hosts.find((one) => one.name === name)
  if (host !== undefined) return host
  const names = hosts.map((one) => one.name)
  const near = nearest(name, names)
  const fix = near === undefined ? `Name one of ${shortListOf(names)}.` : `Did you mean ${near}?`
  throw new UsageError(`There is no host ${name} in the configuration.`, fix)
}

/** Reports hosts whose own options are not in a file for one host. */
function reportOmittedOptions(context: CommandContext, cluster: ResolvedCluster, host: ResolvedHost): void {
  const others = cluster.hosts.filter((one) => one !== host && one.draft.options.size > 0)
  if (others.length === 0) return
  const names = shortListOf(others.map(({ name }) => name))
  context.stderr.write(`note: A file for ${host.name} does not contain the host options of ${names}.\n`)
}

/**
 * Converts a configuration to an INI file of the product family; writes nothing if it has errors. Exit codes: 0
 * written, 1 errors, 3 a file cannot be read or written.
 */
export async function exportIni(
  options: Destination & {
    readonly context: CommandContext
    readonly files: readonly string[]
    readonly set: readonly string[]
    readonly ini: boolean
    /** The host whose own file it is; absent: one file for all. */
    readonly host: string | undefined
  },
): Promise<ExitCode> {
  const { context, out, ini, host: name } = options
  if (!ini) {
    throw new UsageError(
      'The export format is missing.',
      'Use muster export --ini: INI is the only format so far.',
    )
  }
  const loaded = await loadCluster(options)
  const { config, cluster, sources } = loaded
  const to = { context, output: context.stderr }
  if (config === undefined || cluster === undefined) {
    const diagnostics = loaded.diagnostics.filter(({ severity }) => severity === 'error')
    printDiagnostics({ diagnostics, sources }, to)
    return loaded.missing ? exitCodes.usage : exitCodes.failed
  }
  const host = name === undefined ? undefined : hostOf(cluster, name)
  const directory = out === undefined ? config.directory : dirname(resolve(context.cwd, out))
  const made = toIni({ cluster, directory, ...(host === undefined ? {} : { host }) })
  if (!(await writeLines(context, made.ini, options))) return exitCodes.usage
  printDiagnostics({ diagnostics: made.findings, sources }, to)
  if (host !== undefined) reportOmittedOptions(context, cluster, host)
  if (out !== undefined) context.stdout.write(`Wrote ${out}, readable only by you.\n`)
  return exitCodes.ok
}
