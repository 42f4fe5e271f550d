import type { CommandContext } from '../cli/context.ts'
import type { ClusterConfig } from '../config/model.ts'
import type { InstalledFacts } from '../deployment/facts/hostFacts.ts'
import { recordedMachines } from '../deployment/hostIdentity.ts'
import type { ClusterState } from '../deployment/state/clusterState.ts'
import { knownState } from '../deployment/state/openState.ts'
import {
  allFacts,
  closeAll,
  type FactsScope,
  refreshSurvey,
  type Survey,
  surveyHosts,
} from '../deployment/survey.ts'
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
  const state = await knownState({ directory: config.directory, cluster: config.cluster })
  opened(state)
  return { state, survey: await surveyQuickly(context, config, { scope: look, state }) }
}

/** As `surveyReadOnly`, for a command to which one host may be enough: each comes when it is reached, or when it is not. */
export async function surveyEach<Facts extends InstalledFacts>(
  context: CommandContext,
  config: SelectedCluster,
  scope: FactsScope<Facts>,
): Promise<readonly { readonly host: string; readonly survey: Promise<Survey<Facts>> }[]> {
  const state = await knownState({ directory: config.directory, cluster: config.cluster })
  return config.hosts.map((host) => ({
    host: host.name,
    survey: surveyQuickly(context, { ...config, hosts: [host] }, { scope, state }),
  }))
}

const surveyQuickly = <Facts extends InstalledFacts>(
  context: CommandContext,
  config: ClusterConfig,
  { scope, state }: { readonly scope: FactsScope<Facts>; readonly state: ClusterState },
): Promise<Survey<Facts>> =>
  surveyHosts({
    config: withShortTimeout(config),
    scope,
    connect: (host) => connectHost(context, host),
    forks: context.forks,
    emit: () => {},
    machines: recordedMachines(state),
    clock: () => performance.now(),
  })

/** Milliseconds between two tries to reach the hosts that are away. */
const reconnectPause = 10_000

/** A survey whose connections stay open. */
type KeptSurvey = {
  current(): Survey
  /** Reads the facts again, and tries now and then to reach the hosts that are away; waits for none of these. */
  refresh(): Promise<void>
  close(): Promise<void>
}

export function keepSurvey(options: {
  readonly context: CommandContext
  readonly config: SelectedCluster
  readonly state: ClusterState
  readonly survey: Survey
}): KeptSurvey {
  const { context, config, state } = options
  let { survey } = options
  let arrived: Survey['reached'] = []
  let isTrying = false
  let tried = performance.now()

  const reconnect = async (hosts: ClusterConfig['hosts']): Promise<void> => {
    isTrying = true
    const again = await surveyQuickly(context, { ...config, hosts }, { scope: allFacts, state })
    arrived = [...arrived, ...again.reached]
    isTrying = false
    tried = performance.now()
  }

  return {
    current: () => survey,
    refresh: async () => {
      const before = survey.reached
      const known = await refreshSurvey(config, { survey, emit: () => {}, forks: context.forks })
      const lost = before.filter(({ host }) => known.reached.every((one) => one.host !== host))
      await closeAll({ reached: lost, unreachable: [] })
      const back = new Set(arrived.map(({ host }) => host.name))
      survey = {
        reached: [...known.reached, ...arrived],
        unreachable: known.unreachable.filter(({ host }) => !back.has(host.name)),
      }
      arrived = []
      const away = survey.unreachable.map(({ host }) => host)
      // A failure to survey is the result of its host; the promise is never rejected.
      if (away.length > 0 && !isTrying && performance.now() - tried >= reconnectPause) void reconnect(away)
    },
    close: () => closeAll({ reached: [...survey.reached, ...arrived], unreachable: [] }),
  }
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
