import { mapLimit } from '../base/concurrency.ts'
import type { ClusterConfig, HostConfig } from '../config/model.ts'
import type { Transport } from '../transport/transport.ts'
import { dialEarly } from './dialEarly.ts'
import type { Emit, Failure, HostOutcome } from './events.ts'
import { hostsAtOnce } from './execution/execute.ts'
import { gatherFacts, gatherInstalled } from './facts/gather.ts'
import type { HostFacts, InstalledFacts } from './facts/hostFacts.ts'
import { failureOf, isUnreachable } from './failure.ts'
import { type Machines, otherInstallation, otherMachine } from './hostIdentity.ts'
import { layoutOf } from './layout.ts'
import { untrustedFolder } from './trustedFolder.ts'

/** A host that was reached, with an open connection that the caller closes. */
export type SurveyedHost<Facts extends InstalledFacts = HostFacts> = {
  readonly host: HostConfig
  readonly transport: Transport
  readonly facts: Facts
  /** Seconds that connecting and reading facts took. */
  readonly seconds: { readonly connect: number; readonly facts: number }
}

/** A host that was not. `unreachable` when nothing of it answered as an SSH server does. */
export type UnreachableHost = {
  readonly host: HostConfig
  readonly failure: Failure
  readonly unreachable: boolean
}

export type Survey<Facts extends InstalledFacts = HostFacts> = {
  readonly reached: readonly SurveyedHost<Facts>[]
  readonly lost: readonly UnreachableHost[]
}

/** How much of a host is read. */
export type Look<Facts extends InstalledFacts> = {
  readonly facts: (
    cluster: string,
    at: {
      readonly host: HostConfig
      readonly transport: Transport
      /** The folder that the state directory has of the host's installation, where that is another one. */
      readonly before?: string
    },
  ) => Promise<Facts>
  /** Whether the APIs of the host will be asked. */
  readonly asksApis?: true
}

/** All that a plan of an installation needs. */
export const wholeLook: Look<HostFacts> = {
  facts: (cluster, { host, transport, before }) =>
    gatherFacts(transport, {
      cluster,
      ...(before === undefined ? {} : { before }),
      layout: layoutOf(host.installDirectory),
      ...(host.user === undefined ? {} : { user: host.user }),
      hostStores: [host.tls.keystorePath, host.tls.truststorePath].flatMap((path) =>
        path?.startsWith('host:') ? [path.slice('host:'.length)] : [],
      ),
    }),
}

/** What is installed and runs there: enough for who leaves the installation itself alone. */
export const installedLook: Look<InstalledFacts> = {
  facts: (cluster, { host, transport }) =>
    gatherInstalled(transport, { cluster, layout: layoutOf(host.installDirectory) }),
  asksApis: true,
}

/**
 * Connects to every host and reads its facts; changes nothing. Every host's result is kept and told. One
 * that is another machine than was installed, or whose install-directory is another installation's, is lost: no
 * command may take it for ours.
 */
export async function surveyHosts<Facts extends InstalledFacts>(options: {
  readonly config: ClusterConfig
  readonly look: Look<Facts>
  readonly connect: (host: HostConfig) => Promise<Transport>
  readonly emit: Emit
  /** Milliseconds, monotonic. */
  readonly clock: () => number
  readonly machines: Machines
  /** For who only looks: a host with another installation, or another machine, counts as reached. */
  readonly anyInstallation?: boolean
}): Promise<Survey<Facts>> {
  const { config, emit } = options
  const results = await mapLimit({
    items: config.hosts,
    limit: hostsAtOnce,
    map: async (host): Promise<SurveyedHost<Facts> | UnreachableHost> => {
      try {
        return await surveyHost({ ...options, host })
      } catch (error) {
        const failure = failureOf(error)
        // Who stopped the command need not be told that.
        if (failure.code !== 'stopped') emit({ type: 'host-failed', host: host.name, failure })
        return { host, failure, unreachable: isUnreachable(error) }
      }
    },
  })
  return {
    reached: results.filter((result) => 'transport' in result),
    lost: results.filter((result) => 'failure' in result),
  }
}

async function surveyHost<Facts extends InstalledFacts>(options: {
  readonly config: ClusterConfig
  readonly look: Look<Facts>
  readonly host: HostConfig
  readonly connect: (host: HostConfig) => Promise<Transport>
  readonly emit: Emit
  readonly clock: () => number
  readonly machines: Machines
  readonly anyInstallation?: boolean
}): Promise<SurveyedHost<Facts>> {
  const { config, host, emit, clock, look } = options
  const began = clock()
  emit({ type: 'phase-started', host: host.name, phase: 'connect' })
  const opened = await options.connect(host)
  const transport = look.asksApis === true ? dialEarly(opened, host) : opened
  const connected = clock()
  const connect = (connected - began) / 1000
  emit({ type: 'phase-done', host: host.name, phase: 'connect', seconds: connect })
  emit({ type: 'phase-started', host: host.name, phase: 'facts' })
  try {
    const folder = options.machines.folders.get(host.name)
    const moved = folder === undefined || folder === host.installDirectory ? {} : { before: folder }
    const facts = await look.facts(config.cluster, { host, transport, ...moved })
    if (facts.untrusted !== undefined) throw untrustedFolder(host, facts.untrusted)
    const other =
      otherMachine({ host, facts, machines: options.machines }) ??
      otherInstallation({ cluster: config.cluster, host, facts })
    if (other !== undefined && options.anyInstallation !== true) throw other
    const read = (clock() - connected) / 1000
    emit({ type: 'phase-done', host: host.name, phase: 'facts', seconds: read })
    return { host, transport, facts, seconds: { connect, facts: read } }
  } catch (error) {
    await transport.close()
    throw error
  }
}

/** Reads the facts anew on the connections of a survey; a host that is gone since is lost, and told. */
export async function surveyAgain(
  config: ClusterConfig,
  { survey, emit }: { readonly survey: Survey; readonly emit: Emit },
): Promise<Survey> {
  const results = await mapLimit({
    items: survey.reached,
    limit: hostsAtOnce,
    map: async (one): Promise<SurveyedHost | UnreachableHost> => {
      try {
        return { ...one, facts: await wholeLook.facts(config.cluster, one) }
      } catch (error) {
        const failure = failureOf(error)
        emit({ type: 'host-failed', host: one.host.name, failure })
        return { host: one.host, failure, unreachable: isUnreachable(error) }
      }
    },
  })
  return {
    reached: results.filter((result) => 'transport' in result),
    lost: [...survey.lost, ...results.filter((result) => 'failure' in result)],
  }
}

/** How the hosts that were not reached came out of a run. */
export const unreachableOutcomes = (survey: Pick<Survey, 'lost'>): readonly HostOutcome[] =>
  survey.lost.map(({ host, failure, unreachable }) => ({
    host: host.name,
    result: unreachable ? 'unreachable' : 'failed',
    applied: [],
    failure,
    seconds: {},
  }))

/** Closes every connection; a host that is already gone does not matter here. */
export async function closeAll(survey: Survey<InstalledFacts>): Promise<void> {
  await Promise.allSettled(survey.reached.map(({ transport }) => transport.close()))
}
