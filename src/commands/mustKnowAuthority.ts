import type { CommandContext } from '../cli/context.ts'
import { registryDirectory } from '../client/registryDirectory.ts'
import { recordedCluster } from '../client/registryFiles.ts'
import { isGenerated } from '../deployment/desired/stores.ts'
import type { ClusterState } from '../deployment/state/clusterState.ts'
import { StateError } from '../deployment/state/stateError.ts'
import { stateFolder } from '../deployment/state/statePlace.ts'
import { shortListOf } from '../diagnostics/words.ts'
import { namesOf, type SelectedCluster } from '../session/selectTargets.ts'

/**
 * Refuses to make an authority for some hosts while tapi's record says that others were installed from here:
 * those have one, whose key is lost here, and they are not asked. Throws a `StateError`.
 */
export async function mustKnowAuthority(
  context: CommandContext,
  { config, state }: { readonly config: SelectedCluster; readonly state: ClusterState },
): Promise<void> {
  const { cluster, directory, left } = config
  if (state.authority !== undefined || !config.hosts.some(isGenerated)) return
  const record = await recordedCluster({ dir: registryDirectory(context.env), cluster, directory })
  const recorded = new Set(record?.hosts.map(({ name }) => name))
  const installed = namesOf(left.filter((host) => isGenerated(host) && recorded.has(host.name)))
  if (installed.length === 0) return
  throw new StateError({
    code: 'authority-lost',
    message: `${stateFolder(config)} has no authority, but the certificates of ${shortListOf(installed)} were signed by one`,
    fix: 'Restore it from a backup, or run `muster state import` with the archive of another operator. Clients would not trust a second authority.',
  })
}
