import type { CommandContext } from '../cli/context.ts'
import type { ClusterConfig } from '../config/model.ts'
import type { InstalledFacts } from '../deployment/facts/hostFacts.ts'
import { recordedMachines } from '../deployment/hostIdentity.ts'
import { type ClusterState, emptyState } from '../deployment/state/clusterState.ts'
import { readState } from '../deployment/state/openState.ts'
import { type FactsScope, type Survey, surveyHosts } from '../deployment/survey.ts'
import { connectHost } from './connectHost.ts'
import type { SelectedCluster } from './selectTargets.ts'

/** Milliseconds. */
const shortTimeout = 6_000

/** Hosts with the connect timeout capped at 6 s, for read-only commands. */
export const withShortTimeout = <Cluster extends ClusterConfig>(config: Cluster): Cluster => ({
  ...config,
  hosts: config.hosts.map((host) => ({
    ...host,
    ssh: { ...host.ssh, timeout: Math.min(host.ssh.timeout ?? shortTimeout, shortTimeout) },
  })),
})

/**
 * Surveys hosts for a read-only command: an unreachable host does not delay the others, and nothing is printed
 * meanwhile. The caller closes the survey.
 */
export async function surveyReadOnly<Facts extends InstalledFacts>(
  context: CommandContext,
  config: SelectedCluster,
  look: FactsScope<Facts>,
  /** Gets the state before any host is reached. */
  opened: (state: ClusterState) => void = () => {},
): Promise<{ readonly state: ClusterState; readonly survey: Survey<Facts> }> {
  const known = await readState({ directory: config.directory, cluster: config.cluster })
  const state = known?.state ?? emptyState
  opened(state)
  const survey = await surveyHosts({
    config: withShortTimeout(config),
    scope: look,
    connect: (host) => connectHost(context, host),
    emit: () => {},
    machines: recordedMachines(state),
    clock: () => performance.now(),
  })
  return { state, survey }
}

/** Sorts results into the order of the file. */
export function inOrderOf<Seen>(
  { hosts }: SelectedCluster,
  seen: readonly Seen[],
  nameOf: (one: Seen) => string,
): readonly Seen[] {
  const order = hosts.map(({ name }) => name)
  return seen.toSorted((one, other) => order.indexOf(nameOf(one)) - order.indexOf(nameOf(other)))
}
