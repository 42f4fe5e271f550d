import type { CommandContext } from '../cli/context.ts'
import { registryDirectory, removeHosts } from '../client/registry.ts'
import type { HostFacts } from '../deployment/facts/hostFacts.ts'
import { preview } from '../deployment/hostPlan.ts'
import { layoutOf } from '../deployment/layout.ts'
import { uninstallPlan } from '../deployment/plans/uninstallPlan.ts'
import { installedElsewhere } from '../deployment/preflight/installationCheck.ts'
import { type ClusterState, withoutHosts, withoutStrayStores } from '../deployment/state/clusterState.ts'
import { saveState } from '../deployment/state/openState.ts'
import { withStateGate } from '../deployment/state/stateGate.ts'
import type { StepError } from '../deployment/stepError.ts'
import type { SurveyedHost } from '../deployment/survey.ts'
import type { RunPlan } from './runPlan.ts'
import { namesOf, type SelectedCluster, withAllHosts } from './selectTargets.ts'

/** Returns what removes an installation from each of these hosts, or the hosts that are installed in another folder. */
export function removalOf(
  { cluster }: Pick<SelectedCluster, 'cluster'>,
  reached: readonly SurveyedHost<HostFacts>[],
): { readonly work: RunPlan['work'] } | { readonly problems: readonly StepError[] } {
  const problems = reached.flatMap(({ host, facts }) => installedElsewhere({ cluster, host, facts }) ?? [])
  if (problems.length > 0) return { problems }
  return {
    work: reached.map(({ host, transport, facts }) => {
      const layout = layoutOf(host.installDirectory)
      const steps = preview(uninstallPlan({ cluster, layout, facts }), facts)
      return { host: host.name, address: host.address, transport, steps }
    }),
  }
}

/**
 * Takes hosts out of the state directory and of tapi's record of the cluster; of those that left the file also
 * certificates and keys. The caller holds the lock.
 */
export async function forgetHosts(options: {
  readonly context: Pick<CommandContext, 'env'>
  readonly config: SelectedCluster
  readonly state: ClusterState
  readonly names: readonly string[]
}): Promise<void> {
  const { context, config, state, names } = options
  const after = withoutStrayStores(withoutHosts(state, names), namesOf(withAllHosts(config).hosts))
  await saveState({ ...config, before: state, after })
  const dir = registryDirectory(context.env)
  await withStateGate(config, () => removeHosts({ dir, ...config, hosts: names }))
}
