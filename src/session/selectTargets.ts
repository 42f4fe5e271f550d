import { listOf, shortListOf } from '../base/words.ts'
import { UsageError } from '../cli/usageError.ts'
import { chooseHosts } from '../config/describe/chooseHosts.ts'
import type { ClusterConfig, HostConfig } from '../config/model.ts'
import type { Component } from '../contracts/component.ts'
import type { Rollout } from '../deployment/execution/rollout.ts'
import { nearest } from '../diagnostics/nearest.ts'
import { isInShard, type Shard, shardText } from './shard.ts'

/** Hosts of a command and the way to reach them, from the command line. */
export type Targets = {
  /** Patterns of names, as `chooseHosts` reads them. All hosts where there is none. */
  readonly hosts: readonly string[]
  /** The same of services; a host must be named by one of them. */
  readonly services: readonly string[]
  /** The part of these that the command is for. */
  readonly shard?: Shard
  /** Instead of what the file says. */
  readonly connection?: 'ssh' | 'local'
  /** For a command that changes hosts: an unknown name is answered without the name of another host. */
  readonly proposesNone?: boolean
}

/** A cluster whose `hosts` are those that a command is for. */
export type SelectedCluster = ClusterConfig & {
  /** The other hosts of the file: neither connected to nor changed. */
  readonly excluded: readonly HostConfig[]
  /** Such as `2/5`, where the command is for one of several shards. */
  readonly shard?: string
}

/**
 * Selects the hosts of a command, in the order of the file; none for a shard without a host. Throws a `UsageError` for
 * a pattern without a match, for patterns that exclude all hosts, and for an impossible connection.
 */
export function selectTargets(config: ClusterConfig, targets: Targets | undefined): SelectedCluster {
  if (targets === undefined) return { ...config, excluded: [] }
  const { cluster, hosts } = config
  const proposes = targets.proposesNone !== true
  const names = matched('host', targets.hosts, { cluster, known: hosts.map(({ name }) => name), proposes })
  const known = [...new Set(hosts.flatMap(({ services }) => services))]
  const services = matched('service', targets.services, { cluster, known, proposes })
  const isSelected = (host: HostConfig): boolean =>
    names.has(host.name) && (targets.services.length === 0 || host.services.some((one) => services.has(one)))
  const chosen = hosts.filter(isSelected)
  if (chosen.length === 0) {
    throw new UsageError(
      `No host in ${cluster} matches both --host and --service.`,
      `--host matches ${shortListOf([...names], 8)}; --service matches ${shortListOf([...services], 8)}. Choose options that match a common host.`,
    )
  }
  const { shard } = targets
  if (shard === undefined || shard.count === 1) {
    const excluded = hosts.filter((host) => !isSelected(host))
    return { ...config, hosts: withConnection(targets.connection, chosen), excluded }
  }
  const own = chosen.filter(({ name }) => isInShard(name, shard))
  return {
    ...config,
    hosts: withConnection(targets.connection, own),
    excluded: hosts.filter((host) => !own.includes(host)),
    shard: shardText(shard),
  }
}

export const namesOf = (hosts: readonly HostConfig[]): readonly string[] => hosts.map(({ name }) => name)

/** Returns the cluster with all hosts of its file, the selected ones first. */
export const withAllHosts = ({ excluded, ...cluster }: SelectedCluster): ClusterConfig =>
  excluded.length === 0 ? cluster : { ...cluster, hosts: [...cluster.hosts, ...excluded] }

/** Keeps only the hosts with a component, and only that component; without a component, all. */
export function withComponent(cluster: SelectedCluster, component: Component | undefined): SelectedCluster {
  if (component === undefined) return cluster
  const hosts = cluster.hosts.flatMap((host): HostConfig[] => {
    const apis = host.apis.filter((api) => api.component === component)
    return apis.length === 0 ? [] : [{ ...host, apis }]
  })
  if (hosts.length > 0) return { ...cluster, hosts }
  const there = [...new Set(cluster.hosts.flatMap(({ apis }) => apis.map((api) => api.component)))]
  throw new UsageError(
    `no selected host has a ${component}.`,
    `Use --component with one of ${listOf(there)}, or select other hosts.`,
  )
}

function matched(
  option: 'host' | 'service',
  patterns: readonly string[],
  {
    cluster,
    known,
    proposes,
  }: { readonly cluster: string; readonly known: readonly string[]; readonly proposes: boolean },
): ReadonlySet<string> {
  const { names, unmatched } = chooseHosts(patterns, known)
  const [unknown] = unmatched
  if (unknown === undefined && names.size > 0) return names
  if (unknown === undefined) {
    throw new UsageError(
      `--${option} excludes every ${option} of ${cluster}.`,
      `Leave out a pattern that begins with \`!\`; the file has ${shortListOf(known, 8)}.`,
    )
  }
  // Typed after `uninstall`, the name of another host would take away one that works.
  const isProposed = proposes && unknown.nearest !== undefined
  const suggestion = isProposed ? `Did you mean ${unknown.nearest}? ` : ''
  throw new UsageError(
    `no ${option} in ${cluster} matches '${unknown.pattern}'`,
    `${suggestion}The file has ${shortListOf(known, 8)}; \`*\` stands for any characters, such as in --${option} '${known[0]?.slice(0, 2) ?? ''}*'.`,
  )
}

/** A machine is one host: `local` for several would install each of them over the others. */
function withConnection(way: Targets['connection'], hosts: readonly HostConfig[]): readonly HostConfig[] {
  if (way === undefined) return hosts
  const elsewhere = hosts.filter(({ connection }) => connection !== 'local')
  if (way === 'local' && elsewhere.length > 0 && hosts.length > 1) {
    const names = hosts.map(({ name }) => name)
    throw new UsageError(
      `--connection local treats ${shortListOf(names)} as this one machine.`,
      `Select the host that is this machine: --host ${elsewhere[0]?.name ?? ''} --connection local`,
    )
  }
  return hosts.map((host) => (host.connection === way ? host : { ...host, via: way }))
}

/** Throws a `UsageError` if an option names a host that the command does not have. */
export function requireHosts(config: ClusterConfig, option: string, given: readonly string[]): void {
  const names = namesOf(config.hosts)
  const unknown = given.find((name) => !names.includes(name))
  if (unknown === undefined) return
  const suggestion = nearest(unknown, names)
  throw new UsageError(
    `${option} ${unknown} is not a selected host.`,
    suggestion === undefined
      ? `Selected hosts: ${shortListOf(names, 8)}. Wildcards are not allowed here.`
      : `Did you mean ${suggestion}?`,
  )
}

/** Resolves the rollout of the command line for the selected hosts. Throws a `UsageError`. */
export function rolloutFor(config: ClusterConfig, rollout: Rollout): Rollout {
  const { canary } = rollout
  if (canary !== undefined && canary !== 'first') requireHosts(config, '--canary-host', [canary.host])
  const primaries = config.services.flatMap(({ datasources }) =>
    datasources.flatMap(({ name, role }) => (role === 'primary' ? [name] : [])),
  )
  return primaries.length === 0 ? rollout : { ...rollout, primaries }
}

/** Returns the only service with data sources, or the named one. Throws a `UsageError`. */
export function chooseService({ cluster, services }: ClusterConfig, given: readonly string[]): string {
  const known = services.filter(({ datasources }) => datasources.length > 0).map(({ name }) => name)
  const [first, ...others] = given.length === 0 ? known : known.filter((name) => given.includes(name))
  if (first !== undefined && others.length === 0) return first
  if (first === undefined) {
    throw new UsageError(
      `${given.length === 0 ? `No service of ${cluster}` : `The service ${given.join(', ')}`} has databases.`,
      'Set the database options: see `muster explain datasource-type`.',
    )
  }
  throw new UsageError(
    `${cluster} has several services with databases: ${listOf(known)}.`,
    `Choose one: --service ${first}`,
  )
}
