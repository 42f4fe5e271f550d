import { diagnose } from '../../diagnostics/diagnose.ts'
import type { Diagnostic } from '../../diagnostics/diagnostic.ts'
import { mentionsOf, topologyOf } from '../resolve/placements.ts'
import type { ResolvedCluster } from '../resolve/resolved.ts'
import { service as fields } from '../settings/places.ts'
import { givenFor } from '../shape/draft.ts'

function findUnsupportedFields({ draft }: ResolvedCluster): Diagnostic[] {
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

function findConflictingServices({ hosts }: ResolvedCluster): Diagnostic[] {
  return hosts.flatMap((host) => {
    const replicator = host.services.find((service) => topologyOf(service) === 'replicator')
    const other = host.services.find((service) => topologyOf(service) === 'clustered')
    if (replicator === undefined || other === undefined) return []
    const mention = mentionsOf(replicator).find((one) => one.host === host.name && one.field === 'members')
    if (mention === undefined) return []
    const facts = { host: host.name, service: replicator.name, other: other.name }
    return [diagnose('replicator-not-alone', facts, { span: mention.span })]
  })
}

/** Finds topologies and components that do not fit together. */
export const topologies = (cluster: ResolvedCluster): readonly Diagnostic[] => [
  ...findUnsupportedFields(cluster),
  ...findConflictingServices(cluster),
]
