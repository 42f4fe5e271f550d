import { quote } from '../base/shellWords.ts'
import type { CommandContext } from '../cli/context.ts'
import type { ClusterState } from '../deployment/state/clusterState.ts'
import { readState } from '../deployment/state/openState.ts'
import { lacksCopy } from '../deployment/state/stateCopy.ts'
import { stateFolder } from '../deployment/state/statePlace.ts'
import type { SelectedCluster } from './selectTargets.ts'

type Given = {
  readonly context: Pick<CommandContext, 'env' | 'stdout' | 'stderr' | 'verbosity'>
  readonly config: SelectedCluster
  /** As the user typed them. */
  readonly files: readonly string[]
}

/**
 * Returns the command that copies the state of a whole cluster, if its secrets are on this machine alone. A cluster of
 * this machine only would be lost with it, and in CI nobody keeps an archive.
 */
export async function exportCommandDue({
  context,
  config,
  files,
  state,
}: Given & { readonly state: ClusterState }): Promise<string | undefined> {
  const { hosts, excluded, cluster } = config
  const isWhole = excluded.length === 0 && hosts.some(({ connection }) => connection === 'ssh')
  if (!isWhole || context.env.CI || !(await lacksCopy(config, state))) return undefined
  return ['muster', 'state', 'export', '--out', `${cluster}.state`, ...files].map(quote).join(' ')
}

/** Reminds a person at a terminal of that command. */
export async function reportExportDue(given: Given): Promise<void> {
  const { context, config } = given
  if (context.stdout.isTTY !== true || context.verbosity === 'quiet') return
  const read = await readState(config)
  const command = read && (await exportCommandDue({ ...given, state: read.state }))
  if (command === undefined) return
  context.stderr.write(
    `note: ${stateFolder(config)} is the only copy of the keys of ${config.cluster}; to make another: ${command}\n`,
  )
}
