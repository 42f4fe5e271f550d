import { isWildcard } from '../../base/address.ts'
import type { Component } from '../../contracts/component.ts'
import {
  clientAddresses,
  type DashboardHost,
  type FollowedManager,
  type PeerHost,
} from '../../contracts/serverSettings.ts'
import { options } from '../settings/options.ts'
import type { ServiceDraft } from '../shape/draft.ts'
import { hasDatabase, isLocalAddress, memberNames } from './dataSources.ts'
import { mentionsOf, topologyOf } from './placements.ts'
import { type ResolvedHost, valuesOf } from './resolved.ts'

type HostsByName = ReadonlyMap<string, ResolvedHost>

const unique = (words: readonly string[]): string[] => [...new Set(words)]

/** Names that the certificate of a host has in any case. */
const certifiedNames = ({ name, address }: ResolvedHost): string[] => unique([name, address])

/** Returns true for hosts that the file says are one machine. */
const shareMachine = (a: ResolvedHost, b: ResolvedHost): boolean =>
  (a.connection === 'local' && b.connection === 'local') ||
  (isLocalAddress(a.address) && isLocalAddress(b.address))

/** Returns the address at which another host reaches an API; undefined if it is off or on loopback. */
function reachableAddress(
  host: ResolvedHost,
  from: ResolvedHost,
  component: Component = 'manager',
): string | undefined {
  const { enabled, address } = options.api[component]
  const listening = host.option(address).value
  if (!host.components.includes(component) || host.option(enabled).value === false) return undefined
  if (listening === undefined) return undefined
  if (isWildcard(listening)) return host.address
  return isLocalAddress(listening) && !shareMachine(host, from) ? undefined : listening
}

/** Returns true for a host whose manager shows the dashboard: one that listens beyond loopback. */
function showsDashboard(host: ResolvedHost): boolean {
  const { enabled, address } = options.api.manager
  const listening = host.option(address).value
  return (
    host.components.includes('manager') &&
    host.option(enabled).value !== false &&
    host.option(options.dashboard).value !== false &&
    listening !== undefined &&
    !isLocalAddress(listening)
  )
}

/** Returns the hosts of the cluster as the dashboard of a host's manager shows them; undefined where it has none. */
export function dashboardOf(host: ResolvedHost, hosts: HostsByName): readonly DashboardHost[] | undefined {
  if (!showsDashboard(host)) return undefined
  return [...hosts.values()].map((shown) => ({
    name: shown.name,
    address: shown.address,
    names: certifiedNames(shown),
    apis: shown.components.map((component) => {
      const address = shown === host ? undefined : reachableAddress(shown, host, component)
      const port = shown.option(options.api[component].port).value
      return { component, listen: address === undefined || port === undefined ? null : { address, port } }
    }),
    ...clientsOf(shown),
  }))
}

function clientsOf(host: ResolvedHost): Pick<DashboardHost, 'clients'> {
  const [service] = host.proxied
  if (service === undefined) return {}
  const { address, port } = valuesOf(options.proxy, host.option)
  const readonlyPort = host.option(options.proxy.readonlyPort).value ?? null
  const proxy = { service: service.name, address, port, readonlyPort }
  return { clients: clientAddresses(proxy, host.address) }
}

const hasDatabases = (service: ServiceDraft, hosts: HostsByName): boolean =>
  memberNames(service).some((name) => {
    const member = hosts.get(name)
    return member !== undefined && hasDatabase(member)
  })

/** Returns the service whose managers a connector follows because its host has none; undefined for all other hosts. */
export function followedService(
  { components, proxied }: ResolvedHost,
  hosts: HostsByName,
): ServiceDraft | undefined {
  const [service] = proxied
  if (!service || !components.includes('connector') || components.includes('manager')) return undefined
  return hasDatabases(service, hosts) ? service : undefined
}

/** Returns the manager of a host as another host reaches it; undefined where that is not possible. */
function managerFrom(from: ResolvedHost, host: ResolvedHost): FollowedManager | undefined {
  const address = reachableAddress(host, from)
  const port = host.option(options.api.manager.port).value
  if (address === undefined || port === undefined) return undefined
  return { name: host.name, names: certifiedNames(host), address, port }
}

/** Returns the managers of a service's members that a host reaches, in the order of the file. */
export const reachableManagers = (
  host: ResolvedHost,
  service: ServiceDraft,
  hosts: HostsByName,
): readonly FollowedManager[] =>
  memberNames(service).flatMap((name) => {
    const member = hosts.get(name)
    return (member && managerFrom(host, member)) ?? []
  })

/**
 * Returns the managers by whose word clients of a service are routed, beside the one of a host: those of members, witnesses
 * and connectors.
 */
export function otherManagers(host: ResolvedHost, service: ServiceDraft, hosts: HostsByName) {
  const others = unique(mentionsOf(service).map((mention) => mention.host)).flatMap((name) => {
    const other = hosts.get(name)
    return other && other !== host && other.components.includes('manager') ? [other] : []
  })
  const reached = others.map((other) => managerFrom(host, other))
  return {
    reachable: reached.filter((it) => it !== undefined),
    unreachable: others.filter((_, index) => reached[index] === undefined).map(({ name }) => name),
  }
}

/**
 * Returns the hosts that may learn from a manager what it knows: all others of its services with databases, which route by
 * it, and those that show it on a page.
 */
export function peersOf(host: ResolvedHost, hosts: HostsByName): readonly PeerHost[] {
  const services = host.services.filter(
    (service) => topologyOf(service) === 'clustered' && hasDatabases(service, hosts),
  )
  const names = services.flatMap(mentionsOf).map((mention) => mention.host)
  const showing = [...hosts.values()].filter(showsDashboard).map(({ name }) => name)
  return unique([...names, ...showing]).flatMap((name) => {
    const peer = hosts.get(name)
    if (!peer || peer === host || reachableAddress(host, peer) === undefined) return []
    return [{ name, names: certifiedNames(peer) }]
  })
}
