import type { Diagnostic, Span } from '../../diagnostics/diagnostic.ts'
import { missingKey } from '../findings.ts'
import type { ResolvedCluster } from '../resolve/resolved.ts'
import { service as fields, file } from '../settings/places.ts'
import { givenFor, valueFor } from '../shape/draft.ts'

const examples: Readonly<Record<string, string>> = {
  cluster: 'cluster: alpha',
  services: 'services: { alpha: { topology: clustered, master: db1, members: [db1] } }',
  hosts: 'hosts: { db1: { address: 10.0.0.11 } }',
  topology: 'topology: clustered',
  members: 'members: [db1, db2, db3]',
}

const missing = (name: string, facts: { place: string; span: Span }): Diagnostic =>
  missingKey({ name, place: facts.place, example: examples[name] ?? name }, { span: facts.span })

function missingGroups({ draft, files }: ResolvedCluster): Diagnostic[] {
  const first = files[0] ?? ''
  const start = { file: first, line: 1, column: 1, endLine: 1, endColumn: 2 }
  const empty = { services: draft.services.size === 0, hosts: draft.hosts.size === 0 }
  return (['services', 'hosts'] as const).flatMap((name) => {
    const group = draft.groups.get(name)
    if (!empty[name] || group?.bad === true) return []
    return [missing(name, { place: 'the file', span: group?.span ?? start })]
  })
}

/** Finds missing names: cluster, services, hosts, and each service's topology and members. */
export function required(cluster: ResolvedCluster): readonly Diagnostic[] {
  const { draft, files } = cluster
  const start = { file: files[0] ?? '', line: 1, column: 1, endLine: 1, endColumn: 2 }
  const name =
    givenFor(draft.fields, file.cluster) === undefined
      ? [missing('cluster', { place: 'the file', span: start })]
      : []
  const services = [...draft.services.values()].flatMap((service) => {
    const at = { place: `the service ${service.name}`, span: service.span }
    const members = givenFor(service.fields, fields.members)
    const noMembers = members === undefined || valueFor(service.fields, fields.members)?.length === 0
    return [
      ...(givenFor(service.fields, fields.topology) === undefined ? [missing('topology', at)] : []),
      ...(noMembers ? [missing('members', { ...at, span: members?.span ?? at.span })] : []),
    ]
  })
  return [...name, ...missingGroups(cluster), ...services]
}
