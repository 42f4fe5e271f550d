import type { CommandContext } from '../cli/context.ts'
import { exitCodes } from '../cli/exitCodes.ts'
import { ExitError } from '../cli/exitError.ts'
import { printDiagnostics } from '../cli/printDiagnostics.ts'
import type { ClusterConfig } from '../config/model.ts'
import type { PassphraseOptions } from './authorityPassphrase.ts'
import { type LoadedCluster, loadCluster } from './loadCluster.ts'
import { type SelectedCluster, selectTargets, type Targets } from './selectTargets.ts'
import { withoutSilenced } from './withoutSilenced.ts'

/** Files, overrides and targets of a command line. */
export type ClusterOptions = PassphraseOptions & {
  readonly context: CommandContext
  readonly files: readonly string[]
  readonly set: readonly string[]
  /** Prompts for the sudo password where the files give none. */
  readonly askBecomePass?: boolean
  /** Set for a command with --host: a missing file may be a host's name. */
  readonly takesHost?: boolean
  /** Absent for a command that reaches no hosts. */
  readonly targets?: Targets
}

/** The chosen hosts, and what findings about them need to be reported at their places. */
export type OpenedCluster = { readonly config: SelectedCluster; readonly loaded: LoadedCluster }

/**
 * Reads and validates the files, the whole of them whatever part a command is for. Findings go to standard
 * error; with an error among them it throws an `ExitError`, and nothing may be touched. Throws an `ExitError`
 * of success for a shard without a host, and a `UsageError` for targets that are not there.
 */
export async function openCluster(options: ClusterOptions): Promise<OpenedCluster> {
  const { context } = options
  const loaded = await loadCluster(options)
  const { config, sources, missing } = loaded
  const { findings, silenced } = withoutSilenced(loaded, { findings: loaded.diagnostics })
  const isQuiet = context.verbosity === 'quiet'
  const diagnostics = isQuiet ? findings.filter(({ severity }) => severity === 'error') : findings
  const shown = { diagnostics, sources, silenced: isQuiet ? 0 : silenced.length }
  printDiagnostics(shown, { context, output: context.stderr })
  const stopped = findings.some(({ severity }) => severity === 'error')
  if (config !== undefined && !stopped) {
    const asked = options.askBecomePass === true ? asking(config) : config
    const selected = selectTargets(asked, options.targets)
    if (selected.hosts.length > 0) return { config: selected, loaded }
    context.stderr.write(`nothing to do: shard ${selected.shard} has none of these hosts\n`)
    throw new ExitError(exitCodes.ok)
  }
  throw new ExitError(missing ? exitCodes.usage : exitCodes.failed)
}

/** With the password of sudo to be asked for on every host that becomes root by it and is given none. */
const asking = (config: ClusterConfig): ClusterConfig => ({
  ...config,
  hosts: config.hosts.map((host) => ({
    ...host,
    ssh: host.ssh.become ? { becomePassword: 'ask', ...host.ssh } : host.ssh,
  })),
})
