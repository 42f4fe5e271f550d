import type { CommandContext } from '../../cli/context.ts'
import { findClusterRecord, registryDirectory, writeClusterRecord } from '../../client/registry.ts'
import { registration } from '../../deployment/registration.ts'
import { type ClusterState, untrustedAuthorities } from '../../deployment/state/clusterState.ts'
import { withStateGate } from '../../deployment/state/stateGate.ts'
import type { Target } from '../../deployment/target.ts'
import type { SelectedCluster } from '../selectTargets.ts'

/** Records the cluster for tapi; of hosts that this run left alone, what is on record stays. */
export async function recordCluster(
  context: CommandContext,
  config: SelectedCluster,
  preparation: { readonly targets: readonly Target[]; readonly state: ClusterState },
): Promise<void> {
  const dir = registryDirectory(context.env)
  const { cluster, directory, excluded } = config
  const { targets, state } = preparation
  // A run of other hosts may record them now.
  await withStateGate(config, async () => {
    const before = excluded.length === 0 ? undefined : await findClusterRecord({ dir, cluster, directory })
    await writeClusterRecord({
      dir,
      cluster: registration(config, targets, before, untrustedAuthorities(state)),
    })
  })
}
