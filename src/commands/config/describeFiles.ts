import { type Command, Option } from 'commander'
import { shortListOf } from '../../base/words.ts'
import { type ExitCode, exitCodes } from '../../cli/exitCodes.ts'
import { printDiagnostics } from '../../cli/printDiagnostics.ts'
import { UsageError } from '../../cli/usageError.ts'
import { chooseHosts } from '../../config/describe/chooseHosts.ts'
import { describeCluster } from '../../config/describe/describe.ts'
import type { Description } from '../../config/describe/description.ts'
import { hostsGiven } from '../../session/clusterOptions.ts'
import { loadCluster } from '../../session/loadCluster.ts'
import type { ClusterOptions } from '../../session/openCluster.ts'
import { withoutSilenced } from '../../session/withoutSilenced.ts'

/** Adds --format. */
export const describeFormatOption = <Made extends Command>(made: Made): Made =>
  made.addOption(new Option('--format <format>', 'output format').choices(['text', 'json']).default('text'))

/** Returns the values of --host and --format. */
export const describeGiven = (
  made: Command,
): { readonly hosts: readonly string[]; readonly format: 'text' | 'json' } => {
  const { format } = made.opts<{ readonly format?: string }>()
  return { hosts: hostsGiven(made), format: format === 'json' ? 'json' : 'text' }
}

/** Effective options of the hosts, or the exit code after errors, which have been printed. */
type Described =
  | { readonly ok: true; readonly description: Description }
  | { readonly ok: false; readonly exitCode: ExitCode }

/**
 * Reads the files and describes every host. Findings go to standard error (without `warnings`, only those of a
 * file that has errors). No secret is read.
 */
export async function describeFiles(
  options: ClusterOptions & { readonly warnings: boolean },
): Promise<Described> {
  const { context, warnings } = options
  const loaded = await loadCluster(options)
  const { cluster, config, missing, sources } = loaded
  const isGood = cluster !== undefined && config !== undefined
  if (isGood && !warnings) return { ok: true, description: describeCluster(cluster) }
  const { findings } = withoutSilenced(loaded, { findings: loaded.diagnostics })
  printDiagnostics({ diagnostics: findings, sources }, { context, output: context.stderr })
  if (isGood) return { ok: true, description: describeCluster(cluster) }
  return { ok: false, exitCode: missing ? exitCodes.usage : exitCodes.failed }
}

/**
 * Returns a filter for the hosts that `--host` matches in any of the descriptions. Throws a `UsageError` for a pattern
 * without a match.
 */
export function hostFilter(
  patterns: readonly string[],
  descriptions: readonly Description[],
): (description: Description) => Description {
  const names = [...new Set(descriptions.flatMap(({ hosts }) => hosts.map(({ name }) => name)))]
  const chosen = chooseHosts(patterns, names)
  const [unmatched] = chosen.unmatched
  if (unmatched !== undefined) {
    const { pattern, nearest } = unmatched
    const what = /[*?]/.test(pattern) ? 'No host matches' : 'There is no host'
    const known = names.length === 0 ? 'The files have no hosts.' : `The files have ${shortListOf(names, 8)}.`
    throw new UsageError(
      `${what} ${pattern}.`,
      nearest === undefined ? known : `Did you mean ${nearest}? ${known}`,
    )
  }
  return (description) => ({
    ...description,
    hosts: description.hosts.filter(({ name }) => chosen.names.has(name)),
  })
}
