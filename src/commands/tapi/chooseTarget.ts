import { type FoundHost, findHost, isCluster } from '../../client/findHost.ts'
import type { RegisteredCluster } from '../../client/registry.ts'
import { isLoopback, isWildcard } from '../../config/address.ts'
import { type Component, defaultPorts } from '../../contracts/component.ts'
import { UsageError } from '../usageError.ts'
import type { TapiOptions } from './options.ts'
import type { ThisMachine } from './thisMachine.ts'

/** Which API is meant, and what the records know about it. */
export type Target = {
  readonly component: Component
  readonly address: string
  readonly port: number
  /** See `Endpoint`. */
  readonly names: readonly [string, ...string[]]
  /** The host's cluster; absent for a host that no record has. */
  readonly found?: FoundHost
  /** The records say that the API listens on loopback only, on a host that is not this machine. */
  readonly loopbackElsewhere: boolean
}

/** Finds the API that the options mean. Throws a `UsageError` where there is none or more than one. */
export function chooseTarget(choice: {
  readonly options: TapiOptions
  readonly clusters: readonly RegisteredCluster[]
  readonly machine: ThisMachine
}): Target {
  const { options, clusters, machine } = choice
  const { host, cluster } = options
  if (cluster !== undefined && !clusters.some((known) => isCluster(known, cluster))) {
    throw unknownCluster({ cluster, clusters })
  }
  const search = findHost({ clusters, host, ...(cluster !== undefined && { cluster }) })
  if (search.kind === 'several') throw severalHosts({ host, matches: search.matches })
  if (search.kind === 'one') return registeredTarget({ options, found: search, machine })
  if (cluster !== undefined) throw notInCluster({ host, cluster, clusters })
  const component = options.component ?? options.among?.[0] ?? 'manager'
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
  const { component, among } = options
  const possible = host.apis.filter((api) =>
    component === undefined ? (among?.includes(api.component) ?? true) : api.component === component,
  )
  const chosen = possible.find((api) => api.component === 'manager') ?? possible[0]
  if (chosen === undefined) {
    const has = host.apis.map(({ component, port }) => `${component} (${port})`).join(', ') || 'none'
    throw new UsageError(
      `${host.name} of cluster ${cluster.cluster} has no ${component ?? among?.join(' or ') ?? 'open'} API. It has: ${has}.`,
      'Give another --component, or switch the API on in the YAML file and run `muster install`.',
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

const places = (matches: readonly FoundHost[]): string =>
  matches
    .map(
      ({ cluster, host }) => `${host.name} (${host.address}) of ${cluster.cluster} in ${cluster.directory}`,
    )
    .join('; ')

function severalHosts(facts: { host: string; matches: readonly FoundHost[] }): UsageError {
  const { host, matches } = facts
  const names = matches.map(({ cluster }) => cluster.cluster)
  const directories = new Set(matches.map(({ cluster }) => cluster.directory))
  const one = new Set(names).size === names.length ? `--cluster ${names[0]}` : undefined
  const other = directories.size > 1 ? `--cluster ${matches[0]?.cluster.directory}` : undefined
  return new UsageError(
    `${host} is ${matches.length} hosts: ${places(matches)}.`,
    `Say which one is meant, for example with ${one ?? other ?? `--host ${matches[0]?.host.name}`}.`,
  )
}

function unknownCluster(facts: { cluster: string; clusters: readonly RegisteredCluster[] }): UsageError {
  const known = facts.clusters.map(({ cluster }) => cluster).join(', ')
  return new UsageError(
    `There is no record of a cluster ${facts.cluster}.${known === '' ? '' : ` Recorded: ${known}.`}`,
    '`muster install` records a cluster for the user who runs it; without a record use --ca and --port.',
  )
}

function notInCluster(facts: {
  host: string
  cluster: string
  clusters: readonly RegisteredCluster[]
}): UsageError {
  const hosts = facts.clusters
    .filter((cluster) => isCluster(cluster, facts.cluster))
    .flatMap((cluster) => cluster.hosts.map(({ name }) => name))
  return new UsageError(
    `Cluster ${facts.cluster} has no host ${facts.host}. It has: ${hosts.join(', ')}.`,
    'Give one of these with --host, or leave --cluster out and use --ca.',
  )
}
