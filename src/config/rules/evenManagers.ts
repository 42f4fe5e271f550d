import { diagnose } from '../../diagnostics/diagnose.ts'
import type { Diagnostic } from '../../diagnostics/diagnostic.ts'
import { topologyOf } from '../resolve/placements.ts'
import type { ResolvedCluster } from '../resolve/resolved.ts'
import { service as fields } from '../settings/places.ts'
import { givenFor, valueFor } from '../shape/draft.ts'

/** Finds a cluster with an even number of managers and no witness to decide. */
export function evenManagers({ draft }: ResolvedCluster): readonly Diagnostic[] {
  return [...draft.services.values()].flatMap((service) => {
    const given = givenFor(service.fields, fields.members)
    const hosts = valueFor(service.fields, fields.members) ?? []
    const count = new Set(hosts.map(({ value }) => value)).size
    if (given === undefined || topologyOf(service) === 'replicator' || count === 0 || count % 2 === 1)
      return []
    const witnesses = givenFor(service.fields, fields.witnesses)
    const none = witnesses === undefined || valueFor(service.fields, fields.witnesses)?.length === 0
    return none ? [diagnose('even-managers', { service: service.name, count }, { span: given.span })] : []
  })
}
