import type { ClusterConfig } from '../config/model.ts'
import type { Diagnostic } from '../diagnostics/diagnostic.ts'
import { counted } from '../diagnostics/words.ts'
import { diagnosticsJson } from '../output/diagnostics/json.ts'
import type { CommandContext } from './context.ts'
import { type ExitCode, exitCodes } from './exitCodes.ts'
import { loadCluster } from './loadCluster.ts'
import { printDiagnostics } from './printDiagnostics.ts'

export type ValidateFormat = 'text' | 'json'

const stricter = (finding: Diagnostic): Diagnostic =>
  finding.severity === 'warning' ? { ...finding, severity: 'error' } : finding

/** What a good configuration describes, in one line. */
function summary({ cluster, hosts }: ClusterConfig): string {
  const enabled = hosts.flatMap(({ apis }) => apis.filter((api) => api.enabled)).length
  return `The configuration of ${cluster} is good: ${counted(hosts.length, 'host')}, ${counted(enabled, 'API')}.\n`
}

/**
 * Judges a configuration and prints every finding. 0: nothing but warnings (with `strict`: nothing at all);
 * 1: findings; 3: a file is not there or cannot be opened.
 */
export async function validate(options: {
  readonly context: CommandContext
  readonly files: readonly string[]
  readonly set: readonly string[]
  readonly format: ValidateFormat
  readonly strict: boolean
}): Promise<ExitCode> {
  const { context, files, set, format, strict } = options
  const loaded = await loadCluster({ context, files, set })
  const diagnostics = strict ? loaded.diagnostics.map(stricter) : loaded.diagnostics
  const errors = diagnostics.filter(({ severity }) => severity === 'error').length

  if (format === 'json') {
    context.stdout.write(diagnosticsJson(diagnostics))
  } else {
    printDiagnostics({ diagnostics, sources: loaded.sources }, { context, output: context.stdout })
    if (errors === 0 && loaded.config !== undefined) context.stdout.write(summary(loaded.config))
  }
  if (loaded.missing) return exitCodes.usage
  return errors === 0 ? exitCodes.ok : exitCodes.failed
}
