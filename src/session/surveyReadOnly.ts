import type { CommandContext } from '../cli/context.ts'
import type { ClusterConfig } from '../config/model.ts'
import type { InstalledFacts } from '../deployment/facts/hostFacts.ts'
import { recorded } from '../deployment/hostIdentity.ts'
import { type ClusterState, emptyState } from '../deployment/state/clusterState.ts'
import { readState } from '../deployment/state/openState.ts'
import { type Look, type Survey, surveyHosts } from '../deployment/survey.ts'
import { connectHost } from './connectHost.ts'
import type { SelectedCluster } from './selectTargets.ts'

/** Milliseconds. */
const shortTimeout = 6_000

/** Hosts with the connect timeout capped at 6 s, for commands that only look. */
export const withShortTimeout = <Cluster extends ClusterConfig>(config: Cluster): Cluster => ({
  ...config,
  hosts: config.hosts.map((host) => ({
    ...host,
    ssh: { ...host.ssh, timeout: Math.min(host.ssh.timeout ?? shortTimeout, shortTimeout) },
  })),
})

/**
 * The hosts and what is known of them, for a command that only shows: a dead host delays the others not, and nothing
 * is told meanwhile, since what is shown in the end says why a host was lost. The survey is the caller's to close.
 */
export async function surveyReadOnly<Facts extends InstalledFacts>(
  context: CommandContext,
  config: SelectedCluster,
  look: Look<Facts>,
  /** Told the state before any host is reached. */
  opened: (state: ClusterState) => void = () => {},
): Promise<{ readonly state: ClusterState; readonly survey: Survey<Facts> }> {
  const known = await readState({ directory: config.directory, cluster: config.cluster })
  const state = known?.state ?? emptyState
  opened(state)
  const survey = await surveyHosts({
    config: withShortTimeout(config),
    look,
    connect: (host) => connectHost(context, host),
    emit: () => {},
    machines: recorded(state),
    clock: () => performance.now(),
  })
  return { state, survey }
}

/** What was seen of each host, in the order of the file. */
export function inOrderOf<Seen>(
  { hosts }: SelectedCluster,
  seen: readonly Seen[],
  nameOf: (one: Seen) => string,
): readonly Seen[] {
  const order = hosts.map(({ name }) => name)
  return seen.toSorted((one, other) => order.indexOf(nameOf(one)) - order.indexOf(nameOf(other)))
}
