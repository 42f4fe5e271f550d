import { isLoopback, isWildcard } from '../../base/address.ts'
import { clientAddresses } from '../../contracts/clientAddresses.ts'
import { type Component, components } from '../../contracts/component.ts'
import type { DashboardHost, FollowedManager, PeerHost } from '../../contracts/serverSettings.ts'
import type { ChannelConfig } from '../model.ts'
import { options } from '../settings/options.ts'
import type { ServiceDraft } from '../shape/draft.ts'
import { hasDatabase, isLocalAddress, memberNames } from './dataSources.ts'
import { oncePer } from './oncePer.ts'
import { mentionsOf, topologyOf } from './placements.ts'
import { type HostsByName, type ResolvedHost, valuesOf } from './resolved.ts'

const unique = (words: readonly string[]): string[] => [...new Set(words)]

/** Names that the certificate of a host has in any case. */
const certifiedNames = oncePer(({ name, address }: ResolvedHost): readonly string[] =>
  unique([name, address]),
)

const isLocalHost = oncePer(({ address }: ResolvedHost) => isLocalAddress(address))

/** Returns true for hosts that the file says are one machine. */
const shareMachine = (a: ResolvedHost, b: ResolvedHost): boolean =>
  (a.connection === 'local' && b.connection === 'local') || (isLocalHost(a) && isLocalHost(b))

/** Something of a host as others see it: those on its machine, and all others. */
type Seen<Value> = { readonly near: Value; readonly far: Value }

const seenFrom = <Value>(seen: Seen<Value>, host: ResolvedHost, from: ResolvedHost): Value =>
  shareMachine(host, from) ? seen.near : seen.far

/** Addresses at which other hosts reach the APIs of a host; undefined for one that is off or on loopback. */
const apiAddresses = oncePer((host: ResolvedHost) => {
  const addresses = (component: Component): Seen<string | undefined> => {
    const { enabled, address } = options.api[component]
    const listening = host.option(address).value
    const isOn = host.components.includes(component) && host.option(enabled).value !== false
    if (!isOn || listening === undefined) return { near: undefined, far: undefined }
    if (isWildcard(listening)) return { near: host.address, far: host.address }
    return { near: listening, far: isLocalAddress(listening) ? undefined : listening }
  }
  return new Map(components.map((component) => [component, addresses(component)]))
})

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

/** Hosts of a cluster that show the dashboard. */
const dashboardsOf = oncePer((hosts: HostsByName) => [...hosts.values()].filter(showsDashboard))

/** Returns the hosts of the cluster as the dashboard of a host's manager shows them; undefined where it has none. */
export function dashboardOf(host: ResolvedHost, hosts: HostsByName): readonly DashboardHost[] | undefined {
  if (!showsDashboard(host)) return undefined
  return [...hosts.values()].map((shown) =>
    shown === host ? dashboardHost(host, () => undefined) : seenFrom(shownHost(shown), shown, host),
  )
}

const shownHost = oncePer((shown: ResolvedHost): Seen<DashboardHost> => {
  const addresses = apiAddresses(shown)
  const { near, far } = followedManager(shown)
  return {
    near: dashboardHost(shown, (component) => addresses.get(component)?.near, near),
    far: dashboardHost(shown, (component) => addresses.get(component)?.far, far),
  }
})

const dashboardHost = (
  shown: ResolvedHost,
  addressOf: (component: Component) => string | undefined,
  manager?: FollowedManager,
): DashboardHost => ({
  name: shown.name,
  address: shown.address,
  names: certifiedNames(shown),
  ...(manager && { channel: { address: manager.address, port: manager.port } }),
  apis: shown.components.map((component) => {
    const address = addressOf(component)
    const port = shown.option(options.api[component].port).value
    return { component, listen: address === undefined || port === undefined ? null : { address, port } }
  }),
  certificateWarningDays: valuesOf({ days: options.warningDays }, shown.option).days,
  ...clientsOf(shown),
})

function clientsOf(host: ResolvedHost): Pick<DashboardHost, 'clients'> {
  const [service] = host.proxied
  if (service === undefined) return {}
  const { address, port } = valuesOf(options.proxy, host.option)
  const readonlyPort = host.option(options.proxy.readonlyPort).value ?? null
  const proxy = { service: service.name, address, port, readonlyPort }
  return { clients: clientAddresses(proxy, host.address) }
}

const servicesWithDatabases = oncePer((hosts: HostsByName) =>
  oncePer((service: ServiceDraft): boolean =>
    memberNames(service).some((name) => {
      const member = hosts.get(name)
      return member !== undefined && hasDatabase(member)
    }),
  ),
)

const hasDatabases = (service: ServiceDraft, hosts: HostsByName): boolean =>
  servicesWithDatabases(hosts)(service)

/** Names of the hosts that a service has in any of its lists. */
const mentionedNames = oncePer((service: ServiceDraft) => unique(mentionsOf(service).map(({ host }) => host)))

/** Returns the service whose managers a connector follows because its host has none; undefined for all other hosts. */
export function followedService(
  { components, proxied }: ResolvedHost,
  hosts: HostsByName,
): ServiceDraft | undefined {
  const [service] = proxied
  if (!service || !components.includes('connector') || components.includes('manager')) return undefined
  return hasDatabases(service, hosts) ? service : undefined
}

/** A manager as other hosts reach its channel; undefined for a host without one. */
const followedManager = oncePer((host: ResolvedHost): Seen<FollowedManager | undefined> => {
  const port = host.option(options.clusterPort).value
  const at = (address: string): FollowedManager | undefined =>
    port === undefined || !host.components.includes('manager')
      ? undefined
      : { name: host.name, names: certifiedNames(host), address, port }
  return { near: at(isLocalHost(host) ? host.address : '127.0.0.1'), far: at(host.address) }
})

const managerFrom = (from: ResolvedHost, host: ResolvedHost): FollowedManager | undefined =>
  seenFrom(followedManager(host), host, from)

/** Returns the managers of a service's members, in the order of the file. */
export const managersOfMembers = (
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
export const otherManagers = (
  host: ResolvedHost,
  service: ServiceDraft,
  hosts: HostsByName,
): readonly FollowedManager[] =>
  mentionedNames(service).flatMap((name) => {
    const other = hosts.get(name)
    return (other && other !== host ? managerFrom(host, other) : undefined) ?? []
  })

/** Hosts of services and those that show the dashboard, by the names of the services. */
const peersByServices = oncePer((_: HostsByName) => new Map<string, readonly ResolvedHost[]>())

function possiblePeers(services: readonly ServiceDraft[], hosts: HostsByName): readonly ResolvedHost[] {
  const known = peersByServices(hosts)
  const key = JSON.stringify(services.map(({ name }) => name))
  const peers = known.get(key) ?? [
    ...new Set([
      ...services.flatMap(mentionedNames).flatMap((name) => hosts.get(name) ?? []),
      ...dashboardsOf(hosts),
    ]),
  ]
  known.set(key, peers)
  return peers
}

const peerHost = oncePer(
  (peer: ResolvedHost): PeerHost => ({
    name: peer.name,
    names: certifiedNames(peer),
    ...(peer.components.includes('manager') && hasDatabase(peer) && { leads: true }),
  }),
)

/**
 * Returns the hosts that may use the channel of a manager: all others of its services with databases, which route by it, and
 * those that show it on a page. None for a host without a manager.
 */
export function peersOf(host: ResolvedHost, hosts: HostsByName): readonly PeerHost[] {
  if (!host.components.includes('manager')) return []
  const services = host.services.filter(
    (service) => topologyOf(service) === 'clustered' && hasDatabases(service, hosts),
  )
  return possiblePeers(services, hosts)
    .filter((peer) => peer !== host)
    .map(peerHost)
}

/** Address of the channel of a host: hosts of one machine, on loopback, have one each. */
function channelAddress({ address }: Pick<ResolvedHost, 'address'>): string {
  if (isLocalAddress(address)) return isLoopback(address) ? address : '127.0.0.1'
  return address.includes(':') ? '::' : '0.0.0.0'
}

/** Returns the listener of a host's manager for other hosts; undefined without any that may use it. */
export function channelOf(host: ResolvedHost, hosts: HostsByName): ChannelConfig | undefined {
  const peers = peersOf(host, hosts)
  const port = host.option(options.clusterPort).value
  if (peers.length === 0 || port === undefined) return undefined
  return { address: channelAddress(host), port, peers }
}
