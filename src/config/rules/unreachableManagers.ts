import { diagnose } from '../../diagnostics/diagnose.ts'
import type { Diagnostic } from '../../diagnostics/diagnostic.ts'
import { followedService, reachableManagers } from '../resolve/followedManagers.ts'
import { mentionsOf } from '../resolve/placements.ts'
import { groupBySpan, type ResolvedCluster } from '../resolve/resolved.ts'

/** Finds connectors on hosts without a manager that reach the API of no manager of their service. */
export function unreachableManagers({ hosts }: ResolvedCluster): readonly Diagnostic[] {
  const byName = new Map(hosts.map((host) => [host.name, host]))
  const items = hosts.flatMap((host) => {
    const service = followedService(host, byName)
    if (service === undefined || reachableManagers(host, service, byName).length > 0) return []
    const mention = mentionsOf(service).find((it) => it.host === host.name && it.field === 'connectors')
    return [{ host: host.name, service: service.name, span: mention?.span ?? host.span }]
  })
  return groupBySpan(items).map((group) => {
    const [{ service, span }] = group
    return diagnose('managers-unreachable', { service, hosts: group.map(({ host }) => host) }, { span })
  })
}
