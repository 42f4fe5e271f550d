import { diagnose } from '../../diagnostics/diagnose.ts'
import type { Diagnostic } from '../../diagnostics/diagnostic.ts'
import { mentionsOf, topologyOf } from '../resolve/placements.ts'
import type { ResolvedCluster } from '../resolve/resolved.ts'
import { service as fields } from '../settings/places.ts'
import { givenFor } from '../shape/draft.ts'

function fieldsOfReplicators({ draft }: ResolvedCluster): Diagnostic[] {
  return [...draft.services.values()]
    .filter((service) => topologyOf(service) === 'replicator')
    .flatMap((service) =>
      [fields.connectors, fields.witnesses].flatMap((field) => {
        const given = givenFor(service.fields, field)
        if (given === undefined) return []
        const facts = { field: field.name, service: service.name }
        return [diagnose('topology-mismatch', facts, { span: given.keySpan })]
      }),
    )
}

function notAlone({ hosts }: ResolvedCluster): Diagnostic[] {
  return hosts.flatMap((host) => {
    const alone = host.services.find((service) => topologyOf(service) === 'replicator')
    const other = host.services.find((service) => topologyOf(service) === 'clustered')
    if (alone === undefined || other === undefined) return []
    const mention = mentionsOf(alone).find((one) => one.host === host.name && one.field === 'members')
    if (mention === undefined) return []
    const facts = { host: host.name, service: alone.name, other: other.name }
    return [diagnose('replicator-not-alone', facts, { span: mention.span })]
  })
}

/** Finds topologies and components that do not fit together. */
export const topologies = (cluster: ResolvedCluster): readonly Diagnostic[] => [
  ...fieldsOfReplicators(cluster),
  ...notAlone(cluster),
]
