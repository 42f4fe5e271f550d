import type { MapService } from '../../contracts/servicesMap.ts'
import type { Diagnostic } from '../../diagnostics/diagnostic.ts'
import { finding } from '../../diagnostics/finding.ts'
import { servicesMap } from '../resolve/dataSources.ts'
import { type HostsByName, hostsByName, type ResolvedCluster } from '../resolve/resolved.ts'

const sameDatabaseFinding = finding(
  'same-database',
  (facts: { host: string; other: string; service: string; place: string }) => ({
    message: `${facts.host} and ${facts.other} would be the same database of ${facts.service}: ${facts.place}.`,
    why: 'A data source is one server; taking one of the two offline would leave the other in use.',
    fix: `Give ${facts.host} a replication-host that the other hosts can reach, or a different replication-port.`,
  }),
)

function checkService({ name: service, datasources }: MapService, hosts: HostsByName): Diagnostic[] {
  const first = new Map<string, string>()
  return datasources.flatMap(({ name, host, port }) => {
    const place = `${host.toLowerCase()} port ${port}`
    const other = first.get(place)
    const [late, early] = [hosts.get(name), hosts.get(other ?? '')]
    if (other === undefined || late === undefined || early === undefined) {
      first.set(place, name)
      return []
    }
    const related = [{ message: `${other} is here.`, span: early.span }]
    return [sameDatabaseFinding({ host: name, other, service, place }, { span: late.span, related })]
  })
}

/** Finds data sources of a service that are the same server. */
export function sameDatabase({ draft, hosts }: ResolvedCluster): readonly Diagnostic[] {
  const byName = hostsByName(hosts)
  return servicesMap(draft.services.values(), hosts).flatMap((service) => checkService(service, byName))
}
