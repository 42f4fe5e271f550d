import type { CommandContext } from '../../cli/context.ts'
import { registryDirectory } from '../../client/registryDirectory.ts'
import { recordCluster, recordedCluster } from '../../client/registryFiles.ts'
import {
  type ClusterState,
  trustedAuthorities,
  untrustedAuthorities,
} from '../../deployment/state/clusterState.ts'
import type { StatePlace } from '../../deployment/state/statePlace.ts'

/** Lets tapi trust whom the hosts trust now, where it knows the cluster; of hosts its record stays as it is. */
export async function recordAuthorities(
  context: CommandContext,
  { directory, cluster }: StatePlace,
  state: ClusterState,
): Promise<void> {
  const dir = registryDirectory(context.env)
  const before = await recordedCluster({ dir, cluster, directory })
  if (before === undefined) return
  const all = [...new Set([...before.authorities, ...trustedAuthorities(state)])]
  const untrusted = untrustedAuthorities(state)
  const authorities = all.filter((authority) => !untrusted.includes(authority))
  await recordCluster({ dir, cluster: { ...before, authorities } })
}
