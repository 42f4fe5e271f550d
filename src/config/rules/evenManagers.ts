import type { Diagnostic } from '../../diagnostics/diagnostic.ts'
import { finding } from '../../diagnostics/finding.ts'
import { topologyOf } from '../resolve/placements.ts'
import type { ResolvedCluster } from '../resolve/resolved.ts'
import { service as fields } from '../settings/places.ts'
import { givenFor, valueFor } from '../shape/draft.ts'

const evenManagersFinding = finding('even-managers', (facts: { service: string; count: number }) => ({
  message: `The service ${facts.service} has ${facts.count} managers and no witness.`,
  why: "Two equal halves have no majority. muster's managers need none to replace a lost primary, but managers that vote need an odd number.",
  fix: 'Add a host that runs a manager only: witnesses: [HOST]',
}))

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
    return none ? [evenManagersFinding({ service: service.name, count }, { span: given.span })] : []
  })
}
