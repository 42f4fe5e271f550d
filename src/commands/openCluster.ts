import type { ClusterConfig } from '../config/model.ts'
import type { Diagnostic } from '../diagnostics/diagnostic.ts'
import type { CommandContext } from './context.ts'
import { type ExitCode, exitCodes } from './exitCodes.ts'
import { loadCluster } from './loadCluster.ts'
import { printDiagnostics } from './printDiagnostics.ts'
import { withoutSilenced } from './withoutSilenced.ts'

/** How a command names its YAML files and overrides; the same for all. */
export type ClusterOptions = {
  readonly context: CommandContext
  readonly files: readonly string[]
  readonly set: readonly string[]
}

/** An option that nothing acts on stops a command that is about to act on the file. */
const stopping = (finding: Diagnostic): Diagnostic =>
  finding.code === 'option-not-available' ? { ...finding, severity: 'error' } : finding

/**
 * Reads and validates the files. Findings go to standard error; with an error among them there is only an
 * exit code, and nothing may be touched. `acting` says that what the file asks for is about to be done.
 */
export async function openCluster(
  options: ClusterOptions & { readonly acting: boolean },
): Promise<ClusterConfig | ExitCode> {
  const { context, acting } = options
  const loaded = await loadCluster(options)
  const { config, sources, missing } = loaded
  const { findings, silenced } = withoutSilenced(loaded, {
    findings: acting ? loaded.diagnostics.map(stopping) : loaded.diagnostics,
  })
  const shown = { diagnostics: findings, sources, silenced: silenced.length }
  printDiagnostics(shown, { context, output: context.stderr })
  const stopped = findings.some(({ severity }) => severity === 'error')
  if (config !== undefined && !stopped) return config
  return missing ? exitCodes.usage : exitCodes.failed
}
