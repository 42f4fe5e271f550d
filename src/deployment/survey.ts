import type { ClusterConfig, HostConfig } from '../config/model.ts'
import { isLocalAddress } from '../config/resolve/dataSources.ts'
import type { Transport } from '../transport/transport.ts'
import type { Emit, Failure, HostOutcome } from './events.ts'
import type { FactsRequest } from './facts/factsScript.ts'
import { gatherFacts, gatherInstalled } from './facts/gather.ts'
import type { HostFacts, InstalledFacts } from './facts/hostFacts.ts'
import { factsSharing, type ShareFacts } from './facts/shareFacts.ts'
import { failureOf, isUnreachable } from './hostFailure.ts'
import { foreignInstallation, machineChanged, type RecordedMachines } from './hostIdentity.ts'
import { layoutOf } from './layout.ts'
import { mapHosts } from './mapHosts.ts'
import { preconnect } from './preconnect.ts'
import { untrustedFolder } from './trustedFolder.ts'

/** Reachable host with an open connection that the caller closes. */
export type SurveyedHost<Facts extends InstalledFacts = HostFacts> = {
  readonly host: HostConfig
  readonly transport: Transport
  readonly facts: Facts
  /** Seconds for connecting and reading facts. */
  readonly seconds: { readonly connect: number; readonly facts: number }
}

/** Host without a connection or facts; `unreachable` if nothing responded as an SSH server. */
export type UnreachableHost = {
  readonly host: HostConfig
  readonly failure: Failure
  readonly unreachable: boolean
}

export type Survey<Facts extends InstalledFacts = HostFacts> = {
  readonly reached: readonly SurveyedHost<Facts>[]
  readonly unreachable: readonly UnreachableHost[]
}

/** Amount of facts to read from a host. */
export type FactsScope<Facts extends InstalledFacts> = {
  readonly facts: (
    cluster: string,
    at: {
      readonly host: HostConfig
      readonly transport: Transport
      /** Install-directory in the state directory, if it differs. */
      readonly previousFolder?: string
    },
  ) => Promise<Facts>
  /** Set if the APIs of the host will be called. */
  readonly callsApis?: true
}

const factsRequest = (
  cluster: string,
  { host, previousFolder }: { readonly host: HostConfig; readonly previousFolder?: string },
): FactsRequest => ({
  cluster,
  ...(previousFolder === undefined ? {} : { previousFolder }),
  layout: layoutOf(host.installDirectory),
  ...(host.user === undefined ? {} : { user: host.user }),
  hostStores: [host.tls.keystorePath, host.tls.truststorePath].flatMap((path) =>
    path?.startsWith('host:') ? [path.slice('host:'.length)] : [],
  ),
})

/** All facts for an installation. */
export const allFacts: FactsScope<HostFacts> = {
  facts: (cluster, at) => gatherFacts(at.transport, factsRequest(cluster, at)),
}

/** Those facts, and what the databases start with; costs a host with a MariaDB about 20 programs more. */
export const factsWithDatabases: FactsScope<HostFacts> = {
  facts: (cluster, at) => {
    const { database, address } = at.host
    const isHere = database !== undefined && (isLocalAddress(database.host) || database.host === address)
    return gatherFacts(at.transport, {
      ...factsRequest(cluster, at),
      ...(isHere && database.type === 'mariadb' ? { mariadbPort: database.port } : {}),
    })
  },
}

/** Facts about what is installed and runs, for commands that do not change the installation. */
export const installedFactsOnly: FactsScope<InstalledFacts> = {
  facts: (cluster, { host, transport }) =>
    gatherInstalled(transport, { cluster, layout: layoutOf(host.installDirectory) }),
  callsApis: true,
}

/**
 * Connects to every host and reads its facts; changes nothing. Reports every host's result. A host counts as
 * unreachable if its machine changed, or its install-directory belongs to another installation: no command may change
 * it.
 */
export async function surveyHosts<Facts extends InstalledFacts>(options: {
  readonly config: ClusterConfig
  readonly scope: FactsScope<Facts>
  readonly connect: (host: HostConfig) => Promise<Transport>
  readonly emit: Emit
  /** Milliseconds, monotonic. */
  readonly clock: () => number
  readonly machines: RecordedMachines
  /** Hosts in progress at a time. */
  readonly forks?: number | undefined
  /** For read-only commands: accepts a host with another installation or another machine. */
  readonly anyInstallation?: boolean
}): Promise<Survey<Facts>> {
  const { config, emit, forks } = options
  const share = factsSharing()
  const results = await mapHosts({
    items: config.hosts,
    forks,
    map: async (host): Promise<SurveyedHost<Facts> | UnreachableHost> => {
      try {
        return await surveyHost({ ...options, host, share })
      } catch (error) {
        const failure = failureOf(error)
        // The operator stopped the command and knows it.
        if (failure.code !== 'stopped') emit({ type: 'host-failed', host: host.name, failure })
        return { host, failure, unreachable: isUnreachable(error) }
      }
    },
  })
  return {
    reached: results.filter((result) => 'transport' in result),
    unreachable: results.filter((result) => 'failure' in result),
  }
}

async function surveyHost<Facts extends InstalledFacts>(options: {
  readonly config: ClusterConfig
  readonly scope: FactsScope<Facts>
  readonly host: HostConfig
  readonly share: ShareFacts
  readonly connect: (host: HostConfig) => Promise<Transport>
  readonly emit: Emit
  readonly clock: () => number
  readonly machines: RecordedMachines
  readonly anyInstallation?: boolean
}): Promise<SurveyedHost<Facts>> {
  const { config, host, emit, clock, scope } = options
  const began = clock()
  emit({ type: 'phase-started', host: host.name, phase: 'connect' })
  const opened = await options.connect(host)
  const transport = scope.callsApis === true ? preconnect(opened, host) : opened
  const connected = clock()
  const connect = (connected - began) / 1000
  emit({ type: 'phase-done', host: host.name, phase: 'connect', seconds: connect })
  emit({ type: 'phase-started', host: host.name, phase: 'facts' })
  try {
    const folder = options.machines.folders.get(host.name)
    const moved = folder === undefined || folder === host.installDirectory ? {} : { previousFolder: folder }
    const facts = options.share(await scope.facts(config.cluster, { host, transport, ...moved }))
    if (facts.untrusted !== undefined) throw untrustedFolder(host, facts.untrusted)
    const other =
      machineChanged({ host, facts, machines: options.machines }) ??
      foreignInstallation({ cluster: config.cluster, host, facts })
    if (other !== undefined && options.anyInstallation !== true) throw other
    const read = (clock() - connected) / 1000
    emit({ type: 'phase-done', host: host.name, phase: 'facts', seconds: read })
    return { host, transport, facts, seconds: { connect, facts: read } }
  } catch (error) {
    await transport.close()
    throw error
  }
}

/** Reads the facts again on the connections of a survey; a host whose connection broke becomes unreachable. */
export async function refreshSurvey(
  config: ClusterConfig,
  options: { readonly survey: Survey; readonly emit: Emit; readonly forks: number | undefined },
): Promise<Survey> {
  const { survey, emit, forks } = options
  const share = factsSharing()
  const results = await mapHosts({
    items: survey.reached,
    forks,
    map: async (one): Promise<SurveyedHost | UnreachableHost> => {
      try {
        return { ...one, facts: share(await allFacts.facts(config.cluster, one)) }
      } catch (error) {
        const failure = failureOf(error)
        emit({ type: 'host-failed', host: one.host.name, failure })
        return { host: one.host, failure, unreachable: isUnreachable(error) }
      }
    },
  })
  return {
    reached: results.filter((result) => 'transport' in result),
    unreachable: [...survey.unreachable, ...results.filter((result) => 'failure' in result)],
  }
}

/** Returns the outcomes of the unreachable hosts. */
export const unreachableOutcomes = (survey: Pick<Survey, 'unreachable'>): readonly HostOutcome[] =>
  survey.unreachable.map(({ host, failure, unreachable }) => ({
    host: host.name,
    result: unreachable ? 'unreachable' : 'failed',
    applied: [],
    failure,
    seconds: {},
  }))

/** Closes every connection; ignores hosts that are already disconnected. */
export async function closeAll(survey: Survey<InstalledFacts>): Promise<void> {
  await Promise.allSettled(survey.reached.map(({ transport }) => transport.close()))
}
