import { isLoopback } from '../../base/address.ts'
import type { MapDataSource, MapService } from '../../contracts/servicesMap.ts'
import { options } from '../settings/options.ts'
import { service as fields } from '../settings/places.ts'
import { type ServiceDraft, valueFor } from '../shape/draft.ts'
import { topologyOf } from './placements.ts'
import type { ResolvedHost } from './resolved.ts'

type Asked = Pick<ResolvedHost, 'components' | 'option'>

/** Whether the file gives the host a database server of its own; only a member of a service has one. */
export const hasDatabase = ({ components, option }: Asked): boolean =>
  components.includes('replicator') && option(options.datasourceType).given !== undefined

/** Whether only the host itself reaches what is there. */
export const isHere = (address: string): boolean => address === 'localhost' || isLoopback(address)

/** Where the other hosts reach the database of a host: its `replication-host`, or its address where that is loopback. */
export function databaseAddress(host: ResolvedHost): string {
  const given = host.option(options.replicationHost).value ?? ''
  return given === '' || isHere(given) ? host.address : given
}

/** The names in a service's list of members, each once. */
export const memberNames = (service: ServiceDraft): readonly string[] => [
  ...new Set((valueFor(service.fields, fields.members) ?? []).map(({ value }) => value)),
]

/** The data sources of a clustered service: its members with databases, one of them the primary. */
export function dataSourcesOf(
  service: ServiceDraft,
  hosts: ReadonlyMap<string, ResolvedHost>,
): readonly MapDataSource[] {
  const names = memberNames(service)
  const master = valueFor(service.fields, fields.master) ?? (names.length === 1 ? names[0] : undefined)
  return names.flatMap((name) => {
    const host = hosts.get(name)
    const port = host?.option(options.replicationPort).value
    if (host === undefined || port === undefined || !hasDatabase(host)) return []
    return [{ name, host: databaseAddress(host), port, role: name === master ? 'primary' : 'replica' }]
  })
}

/**
 * The services map that every manager and connector is installed with: all clustered services of the file, so
 * that any host can answer for any of them; one without databases has no data sources.
 */
export function installedServices(
  services: Iterable<ServiceDraft>,
  hosts: readonly ResolvedHost[],
): readonly MapService[] {
  const byName = new Map(hosts.map((host) => [host.name, host]))
  return [...services]
    .filter((service) => topologyOf(service) === 'clustered')
    .map((service) => ({ name: service.name, datasources: dataSourcesOf(service, byName) }))
}
