import type { ClusterConfig } from '../config/model.ts'
import { setSource } from '../config/sets.ts'
import type { Diagnostic } from '../diagnostics/diagnostic.ts'
import { counted } from '../diagnostics/words.ts'
import type { CommandContext } from './context.ts'
import { type ExitCode, exitCodes } from './exitCodes.ts'
import { loadCluster } from './loadCluster.ts'
import { printDiagnostics } from './printDiagnostics.ts'
import { printReport } from './printReport.ts'
import { findBeyondFiles } from './validate/findBeyondFiles.ts'
import type { ValidateFormat } from './validateFormats.ts'
import { withoutSilenced } from './withoutSilenced.ts'

const stricter = (finding: Diagnostic): Diagnostic =>
  finding.severity === 'warning' ? { ...finding, severity: 'error' } : finding

/** What a good configuration describes, in one line. */
function summary({ cluster, hosts }: ClusterConfig, silenced: number): string {
  const enabled = hosts.flatMap(({ apis }) => apis.filter((api) => api.enabled)).length
  const quiet = silenced === 0 ? '' : ` (${silenced} silenced)`
  return `The configuration of ${cluster} is good: ${counted(hosts.length, 'host')}, ${counted(enabled, 'API')}${quiet}.\n`
}

/**
 * Judges a configuration and prints every finding. 0: nothing but warnings (with `strict`: nothing at all) and
 * what comments silence; 1: findings; 3: a file is not there or cannot be opened.
 */
export async function validate(options: {
  readonly context: CommandContext
  readonly files: readonly string[]
  readonly set: readonly string[]
  readonly format: ValidateFormat
  readonly strict: boolean
  /** Whether the file is trusted: programs that it names are run, and files read wherever they are. */
  readonly resolveSecrets: boolean
}): Promise<ExitCode> {
  const { context, files, set, format, strict, resolveSecrets } = options
  const policy = resolveSecrets ? 'all' : 'safe'
  const loaded = await loadCluster({ context, files, set, policy })
  const { cluster } = loaded
  const beyond = cluster === undefined ? [] : await findBeyondFiles({ context, cluster, policy })
  // Of a kind that differs from machine to machine, so no comment about them counts as unused.
  const { findings, silenced } = withoutSilenced(loaded, { findings: [...loaded.diagnostics, ...beyond] })
  const diagnostics = strict ? findings.map(stricter) : findings
  const failed = diagnostics.some(({ severity }) => severity === 'error')

  if (format === 'text') {
    const good = failed ? undefined : loaded.config
    const count = good === undefined ? silenced.length : 0
    const shown = { diagnostics, sources: loaded.sources, silenced: count }
    printDiagnostics(shown, { context, output: context.stdout })
    if (good !== undefined) context.stdout.write(summary(good, silenced.length))
  } else {
    const read = loaded.sources.map(({ name }) => name).filter((name) => name !== setSource)
    await printReport({ findings: diagnostics, silenced, files: read }, { context, format })
  }
  if (loaded.missing) return exitCodes.usage
  return failed ? exitCodes.failed : exitCodes.ok
}
