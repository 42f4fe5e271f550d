import { lastLines } from '../../base/printable.ts'
import type { RoutedDataSource, RoutedService, Routing } from '../../contracts/routing.ts'
import type { DataSourceEntry, ServicesMap } from '../../contracts/servicesMap.ts'

/** A services map with the states of its data sources, as calls return it. */
export type MapInEffect = {
  readonly services: readonly { readonly name: string; readonly datasources: readonly DataSourceEntry[] }[]
}

/** The client port: `primary` leads to the writer of the service, `replica` to its readable data sources. */
export type RoutedRole = 'primary' | 'replica'

/** Data sources for new connections of a port. */
export type Route = {
  readonly usable: readonly RoutedDataSource[]
  /** Why there are none, as the end of a sentence; null if there is one. */
  readonly problem: string | null
  /** True where new clients wait until there is one. */
  readonly isHeld: boolean
  /** True where connections to other data sources are cut at once: two of them could be written to otherwise. */
  readonly isFencing: boolean
}

/** UNKNOWN counts as ONLINE: that nobody can check a data source must not take it from its clients. */
const isUsable = ({ state }: Pick<DataSourceEntry, 'state'>): boolean =>
  state === 'ONLINE' || state === 'UNKNOWN'

const statesOf = (sources: readonly RoutedDataSource[]): string =>
  sources.map(({ name, state }) => `${name} is ${state}`).join(', ')

function routeOfWriter({ name: service, writer, datasources }: RoutedService): Route {
  const { datasource, code, reason, hold } = writer
  const source = datasources.find(({ name }) => name === datasource)
  // A manager that contradicts itself names no writer.
  if (source && code === null && isUsable(source)) {
    return { usable: [source], problem: null, isHeld: false, isFencing: true }
  }
  const none = { usable: [], isHeld: hold, isFencing: code !== null || (datasource !== null && !source) }
  if (reason !== null) return { ...none, problem: lastLines(reason).replace(/\.$/, '') }
  const primaries = datasources.filter(({ role }) => role === 'primary')
  if (primaries.length === 0) return { ...none, problem: `the service ${service} has no primary` }
  if (primaries.some(isUsable)) return { ...none, problem: `the service ${service} has no writer` }
  return { ...none, problem: `no primary of service ${service} is ONLINE: ${statesOf(primaries)}` }
}

function routeOfReaders({ name: service, datasources }: RoutedService): Route {
  const common = { isHeld: false, isFencing: false }
  const usable = datasources.filter((it) => it.readable && isUsable(it))
  if (usable.length > 0) return { ...common, usable, problem: null }
  const replicas = datasources.filter(({ role }) => role === 'replica')
  if (replicas.length === 0) return { ...common, usable, problem: `the service ${service} has no replica` }
  const wanted = replicas.some(isUsable) ? 'readable' : 'ONLINE'
  return {
    ...common,
    usable,
    problem: `no replica of service ${service} is ${wanted}: ${statesOf(replicas)}`,
  }
}

/** Returns where new connections of a port go. */
export function routeOf(options: {
  readonly routing: Routing
  readonly service: string
  readonly role: RoutedRole
}): Route {
  const { routing, service, role } = options
  const found = routing.services.find(({ name }) => name === service)
  if (found) return role === 'primary' ? routeOfWriter(found) : routeOfReaders(found)
  const problem = `the services map has no service ${service}`
  return { usable: [], problem, isHeld: false, isFencing: false }
}

/** A data source with what counts for its choice. */
type Candidate = {
  /** Connections to it now. */
  readonly active: number
  /** When it was chosen last, as a number that grows with each choice. */
  readonly chosen: number
}

/** Returns the candidate with the fewest connections; among equals the one that was chosen longest ago. */
export function leastBusy<One extends Candidate>(candidates: readonly One[]): One | undefined {
  let best: One | undefined
  for (const one of candidates) {
    if (!best || one.active < best.active || (one.active === best.active && one.chosen < best.chosen)) {
      best = one
    }
  }
  return best
}

/** Returns the writer that a map means: its one primary that may be used. */
function writerOf(service: string, datasources: readonly DataSourceEntry[]): RoutedService['writer'] {
  const primaries = datasources.filter(({ role }) => role === 'primary')
  const [writer, ...others] = primaries.filter(isUsable)
  if (others.length === 0) {
    return { datasource: writer?.name ?? null, code: null, reason: null, hold: false }
  }
  const names = primaries.map(({ name }) => name).join(', ')
  const reason = `the services map has more than one primary of service ${service}: ${names}`
  return { datasource: null, code: 'two-writers', reason, hold: true }
}

/** Returns the routing that a map and its states mean by themselves. */
export const routingOf = ({ services }: MapInEffect): Routing => ({
  services: services.map(({ name, datasources }) => ({
    name,
    writer: writerOf(name, datasources),
    datasources: datasources.map((it) => ({ ...it, readable: it.role === 'replica' && isUsable(it) })),
  })),
})

/** Returns the routing of a map with the state UNKNOWN for every data source, since nobody monitors them. */
export const unwatched = ({ services }: ServicesMap): Routing =>
  routingOf({
    services: services.map(({ name, datasources }) => ({
      name,
      datasources: datasources.map((it) => ({ ...it, state: 'UNKNOWN' as const })),
    })),
  })

/** Returns the map of a routing, with states. */
export const mapOf = ({ services }: Routing): MapInEffect => ({
  services: services.map(({ name, datasources }) => ({
    name,
    datasources: datasources.map(({ readable: _readable, proxyNetworks: _networks, ...source }) => source),
  })),
})

/** Returns a map in effect without its states. */
export const withoutStates = (map: MapInEffect): ServicesMap => ({
  services: map.services.map(({ name, datasources }) => ({
    name,
    datasources: datasources.map(({ name: itsName, host, port, role }) => ({
      name: itsName,
      host,
      port,
      role,
    })),
  })),
})
