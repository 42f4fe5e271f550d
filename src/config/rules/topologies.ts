import type { Diagnostic } from '../../diagnostics/diagnostic.ts'
import { finding } from '../../diagnostics/finding.ts'
import { mentionsOf, topologyOf } from '../resolve/placements.ts'
import type { ResolvedCluster } from '../resolve/resolved.ts'
import { service as fields } from '../settings/places.ts'
import { givenFor } from '../shape/draft.ts'

const topologyMismatch = finding('topology-mismatch', (facts: { field: string; service: string }) => ({
  message: `${facts.field} is not allowed in ${facts.service}: its topology is replicator.`,
  why: 'Members of such a service run only the replicator, no manager and no connector.',
  fix: `Remove ${facts.field}, or write topology: clustered`,
}))

function findUnsupportedFields({ draft }: ResolvedCluster): Diagnostic[] {
  return [...draft.services.values()]
    .filter((service) => topologyOf(service) === 'replicator')
    .flatMap((service) =>
      [fields.connectors, fields.witnesses].flatMap((field) => {
        const given = givenFor(service.fields, field)
        if (given === undefined) return []
        const facts = { field: field.name, service: service.name }
        return [topologyMismatch(facts, { span: given.keySpan })]
      }),
    )
}

const replicatorNotAlone = finding(
  'replicator-not-alone',
  (facts: { host: string; service: string; other: string }) => ({
    message: `${facts.host} is a member of ${facts.service}, whose topology is replicator, and also belongs to ${facts.other}.`,
    why: 'Members of a replicator service run only the replicator, so the two services conflict.',
    fix: `Remove ${facts.host} from one of the two services.`,
  }),
)

function findConflictingServices({ hosts }: ResolvedCluster): Diagnostic[] {
  return hosts.flatMap((host) => {
    const replicator = host.services.find((service) => topologyOf(service) === 'replicator')
    const other = host.services.find((service) => topologyOf(service) === 'clustered')
    if (replicator === undefined || other === undefined) return []
    const mention = mentionsOf(replicator).find((one) => one.host === host.name && one.field === 'members')
    if (mention === undefined) return []
    const facts = { host: host.name, service: replicator.name, other: other.name }
    return [replicatorNotAlone(facts, { span: mention.span })]
  })
}

/** Finds topologies and components that do not fit together. */
export const topologies = (cluster: ResolvedCluster): readonly Diagnostic[] => [
  ...findUnsupportedFields(cluster),
  ...findConflictingServices(cluster),
]
