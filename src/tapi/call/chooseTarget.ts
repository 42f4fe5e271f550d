import { isLoopback, isWildcard } from '../../base/address.ts'
import type { ThisMachine } from '../../cli/thisMachine.ts'
import { UsageError } from '../../cli/usageError.ts'
import { type FoundHost, findHost, inNearestCluster, matchesCluster } from '../../client/findHost.ts'
import type { RegisteredCluster, RegisteredHost } from '../../client/registry.ts'
import { type Component, defaultPorts } from '../../contracts/component.ts'
import type { TapiOptions, WrittenOptions } from './callOptions.ts'

/** API to call, and its record. */
export type Target = {
  readonly component: Component
  readonly address: string
  readonly port: number
  /** See `Endpoint`. */
  readonly names: readonly [string, ...string[]]
  /** Record of the host; absent for a host that is not recorded. */
  readonly found?: FoundHost
  /** Set if the recorded API listens on loopback only, on a host that is not this machine. */
  readonly loopbackElsewhere: boolean
}

/** Finds the API that the options select. Throws a `UsageError` if there is none or more than one. */
export function chooseTarget(choice: {
  readonly options: TapiOptions
  readonly clusters: readonly RegisteredCluster[]
  readonly machine: ThisMachine
  /** Current directory, absolute. */
  readonly cwd: string
}): Target {
  const { options, clusters, machine } = choice
  const { host, cluster } = options
  if (cluster !== undefined && !clusters.some((known) => matchesCluster(known, cluster))) {
    throw unknownCluster({ cluster, clusters })
  }
  const search = findHost({ clusters, host, cwd: choice.cwd, ...(cluster !== undefined && { cluster }) })
  if (search.kind === 'several') throw severalHosts({ host, matches: search.matches })
  if (search.kind === 'one') return registeredTarget({ options, found: search, machine })
  if (cluster !== undefined) throw notInCluster({ host, cluster, clusters })
  const component = options.component ?? options.allowed?.[0] ?? 'manager'
  return {
    component,
    address: host,
    port: options.port ?? defaultPorts[component],
    names: [host],
    loopbackElsewhere: false,
  }
}

function registeredTarget(choice: {
  readonly options: TapiOptions
  readonly found: FoundHost
  readonly machine: ThisMachine
}): Target {
  const { options, found, machine } = choice
  const { host, cluster } = found
  const { component, allowed } = options
  const possible = host.apis.filter((api) =>
    component === undefined ? (allowed?.includes(api.component) ?? true) : api.component === component,
  )
  const chosen = possible.find((api) => api.component === 'manager') ?? possible[0]
  if (chosen === undefined) {
    const has = host.apis.map(({ component, port }) => `${component} (${port})`).join(', ') || 'none'
    throw new UsageError(
      `${host.name} of cluster ${cluster.cluster} has no ${component ?? allowed?.join(' or ') ?? 'enabled'} API. It has: ${has}.`,
      'Use another --component, or enable the API in the YAML file and run `muster install`.',
    )
  }
  const loopback = isLoopback(chosen.address)
  const here = isThisMachine({ found, machine })
  const listensOnOne = !loopback && !isWildcard(chosen.address)
  return {
    component: chosen.component,
    address: listensOnOne || (loopback && here) ? chosen.address : host.address,
    port: options.port ?? chosen.port,
    names: listensOnOne ? [chosen.address, host.address, host.name] : [host.address, host.name],
    found: { host, cluster },
    loopbackElsewhere: loopback && !here,
  }
}

const isThisMachine = ({ found, machine }: { found: FoundHost; machine: ThisMachine }): boolean =>
  machine.addresses.includes(found.host.address) ||
  [found.host.name, found.host.address].some((name) => name.toLowerCase() === machine.name.toLowerCase())

const maxListedRows = 10

/** Lists candidates for an error, one per line. */
function listRows(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length))
  const lines = rows.slice(0, maxListedRows).map(([name, place]) => `\n  ${name.padEnd(width)}  ${place}`)
  const more = rows.length - lines.length
  return `${lines.join('')}${more > 0 ? `\n  and ${more} more` : ''}`
}

function severalHosts(facts: { host: string; matches: readonly FoundHost[] }): UsageError {
  const { host, matches } = facts
  const clusters = [...new Set(matches.map(({ cluster }) => cluster))]
  const [first] = matches
  if (clusters.length === 1) {
    const rows = matches.map((one) => [one.host.name, one.host.address] as const)
    return new UsageError(
      `${host} matches ${matches.length} hosts of ${first?.cluster.cluster}:${listRows(rows)}`,
      `Select one, for example with --host ${first?.host.name}.`,
    )
  }
  return new UsageError(
    `${host} matches ${clusters.length} clusters:${listRows(clusters.map(rowOf))}`,
    `Call from the folder of the cluster, or select one, for example with ${clusterOption(clusters)}.`,
  )
}

const rowOf = ({ cluster, directory }: RegisteredCluster): readonly [string, string] => [cluster, directory]

/** Returns the option that selects the first cluster: its directory if another cluster has the same name. */
function clusterOption(clusters: readonly RegisteredCluster[]): string {
  const [first] = clusters
  const isAlone = clusters.filter(({ cluster }) => cluster === first?.cluster).length === 1
  return `--cluster ${isAlone ? first?.cluster : first?.directory}`
}

/** Part of a fix: the commands that record a cluster. */
export const howToRecord =
  '`muster status FILE` records an installed cluster for the user who runs it, as `muster install` does'

function unknownCluster(facts: { cluster: string; clusters: readonly RegisteredCluster[] }): UsageError {
  const known = facts.clusters.map(({ cluster }) => cluster).join(', ')
  return new UsageError(
    `There is no record of a cluster ${facts.cluster}.${known === '' ? '' : ` Recorded: ${known}.`}`,
    `${howToRecord}; without a record use --ca and --port.`,
  )
}

function notInCluster(facts: {
  host: string
  cluster: string
  clusters: readonly RegisteredCluster[]
}): UsageError {
  const hosts = facts.clusters
    .filter((cluster) => matchesCluster(cluster, facts.cluster))
    .flatMap((cluster) => cluster.hosts.map(({ name }) => name))
  return new UsageError(
    `Cluster ${facts.cluster} has no host ${facts.host}. It has: ${hosts.join(', ')}.`,
    'Use one of these with --host, or omit --cluster and use --ca.',
  )
}

type ChosenHosts = { readonly cluster: RegisteredCluster; readonly hosts: readonly RegisteredHost[] }

/** Returns the cluster of the host that stands beside `--all`. Throws a `UsageError` unless there is exactly one. */
function clusterOfHost(
  host: string,
  { written, clusters, cwd }: Pick<Parameters<typeof chooseHosts>[0], 'written' | 'clusters' | 'cwd'>,
): RegisteredCluster {
  const { cluster } = written
  const search = findHost({ clusters, host, cwd, ...(cluster !== undefined && { cluster }) })
  if (search.kind === 'one') return search.cluster
  if (search.kind === 'several') throw severalHosts({ host, matches: search.matches })
  throw new UsageError(
    `There is no record of a host ${host}${cluster === undefined ? '' : ` in the cluster ${cluster}`}.`,
    `${howToRecord}; without a record call one host, without --all.`,
  )
}

/**
 * Chooses the hosts of `--all`: those with such an API in the cluster of --host or --cluster, of the current directory,
 * or in the only recorded one. Throws a `UsageError` if there is none or more than one cluster.
 */
export function chooseHosts(choice: {
  readonly written: WrittenOptions
  readonly clusters: readonly RegisteredCluster[]
  /** Components that the command can call; all unless given. */
  readonly allowed?: readonly Component[] | undefined
  /** Current directory, absolute. */
  readonly cwd: string
}): ChosenHosts {
  const { written, clusters, allowed } = choice
  if (written.port !== undefined) {
    throw new UsageError(
      '--all cannot be used with --port.',
      'Remove --port: --all uses the recorded hosts and ports. --host or --cluster selects the cluster.',
    )
  }
  const wanted = written.cluster
  const matching =
    written.host === undefined
      ? inNearestCluster(
          clusters.filter((one) => wanted === undefined || matchesCluster(one, wanted)),
          (one) => one,
          choice.cwd,
        )
      : [clusterOfHost(written.host, choice)]
  const [cluster, ...others] = matching
  if (cluster === undefined) {
    throw new UsageError(
      wanted === undefined
        ? 'There is no record of a cluster.'
        : `There is no record of a cluster ${wanted}.`,
      `${howToRecord}; without a record call one host with --host.`,
    )
  }
  if (others.length > 0) {
    throw new UsageError(
      `--all matches ${matching.length} clusters:${listRows(matching.map(rowOf))}`,
      `Call from the folder of the cluster, or select one, for example with ${clusterOption(matching)}.`,
    )
  }
  const kinds = written.component === undefined ? allowed : [written.component]
  const hosts = cluster.hosts.filter(({ apis }) =>
    apis.some(({ component }) => kinds?.includes(component) ?? true),
  )
  if (hosts.length > 0) return { cluster, hosts }
  throw new UsageError(
    `No host of cluster ${cluster.cluster} has ${kinds === undefined ? 'an enabled API' : `the API of a ${kinds.join(' or ')}`}.`,
    'Enable the API in the YAML file and run `muster install`.',
  )
}
