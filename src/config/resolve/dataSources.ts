import { isLoopback } from '../../base/address.ts'
import type { MapDataSource, MapService } from '../../contracts/servicesMap.ts'
import { options } from '../settings/options.ts'
import { service as fields } from '../settings/places.ts'
import { type ServiceDraft, valueFor } from '../shape/draft.ts'
import { topologyOf } from './placements.ts'
import { type HostsByName, hostsByName, type ResolvedHost } from './resolved.ts'

type HostOptions = Pick<ResolvedHost, 'components' | 'option'>

/** Returns true if the file gives the host its own database server; only members of a service have one. */
export const hasDatabase = ({ components, option }: HostOptions): boolean =>
  components.includes('replicator') && option(options.database.type).given !== undefined

/** Returns true if only the host itself can connect to the address. */
export const isLocalAddress = (address: string): boolean => address === 'localhost' || isLoopback(address)

/**
 * Returns the address of a host's database for other hosts: `replication-host`, or the host's address if that
 * is loopback.
 */
function databaseAddress(host: ResolvedHost): string {
  const given = host.option(options.database.host).value ?? ''
  return given === '' || isLocalAddress(given) ? host.address : given
}

/** Lists the members of a service, without duplicates. */
export const memberNames = (service: ServiceDraft): readonly string[] => [
  ...new Set((valueFor(service.fields, fields.members) ?? []).map(({ value }) => value)),
]

/** Lists the data sources of a clustered service: its members with databases, one of them the primary. */
export function dataSourcesOf(service: ServiceDraft, hosts: HostsByName): readonly MapDataSource[] {
  const names = memberNames(service)
  const master = valueFor(service.fields, fields.master) ?? (names.length === 1 ? names[0] : undefined)
  return names.flatMap((name) => {
    const host = hosts.get(name)
    const port = host?.option(options.database.port).value
    if (host === undefined || port === undefined || !hasDatabase(host)) return []
    return [{ name, host: databaseAddress(host), port, role: name === master ? 'primary' : 'replica' }]
  })
}

/**
 * Builds the services map for every manager and connector: all clustered services, so that any host can
 * respond for any of them; without databases a service has no data sources.
 */
export function servicesMap(
  services: Iterable<ServiceDraft>,
  hosts: readonly ResolvedHost[],
): readonly MapService[] {
  const byName = hostsByName(hosts)
  return [...services]
    .filter((service) => topologyOf(service) === 'clustered')
    .map((service) => ({ name: service.name, datasources: dataSourcesOf(service, byName) }))
}
