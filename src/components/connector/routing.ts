import type { DataSourceEntry, ServicesMap } from '../../contracts/servicesMap.ts'

/** A services map with the states of its data sources: what connections are routed by. */
export type MapInEffect = {
  readonly services: readonly { readonly name: string; readonly datasources: readonly DataSourceEntry[] }[]
}

/** The role whose data sources a listener forwards to. */
export type RoutedRole = 'primary' | 'replica'

/** Data sources for new connections; `problem` says why there are none. */
export type Route = { readonly usable: readonly DataSourceEntry[]; readonly problem: string | null }

/** UNKNOWN counts as ONLINE: that nobody can check a data source must not take it from its clients. */
const isUsable = ({ state }: Pick<DataSourceEntry, 'state'>): boolean =>
  state === 'ONLINE' || state === 'UNKNOWN'

/** Returns the usable data sources of a service in a role. */
export function routeOf(options: {
  readonly map: MapInEffect
  readonly service: string
  readonly role: RoutedRole
}): Route {
  const { map, service, role } = options
  const found = map.services.find(({ name }) => name === service)
  if (!found) return { usable: [], problem: `the services map has no service ${service}` }
  const inRole = found.datasources.filter((it) => it.role === role)
  if (inRole.length === 0) return { usable: [], problem: `the service ${service} has no ${role}` }
  const usable = inRole.filter(isUsable)
  if (usable.length > 0) return { usable, problem: null }
  const states = inRole.map(({ name, state }) => `${name} is ${state}`).join(', ')
  return { usable, problem: `no ${role} of service ${service} is ONLINE: ${states}` }
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

/** Returns a map with the state UNKNOWN for every data source, since nobody monitors them. */
export const unwatched = ({ services }: ServicesMap): MapInEffect => ({
  services: services.map(({ name, datasources }) => ({
    name,
    datasources: datasources.map((it) => ({ ...it, state: 'UNKNOWN' as const })),
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
