import { diagnose } from '../../diagnostics/diagnose.ts'
import type { Diagnostic } from '../../diagnostics/diagnostic.ts'
import { topologyOf } from '../resolve/placements.ts'
import type { ResolvedCluster } from '../resolve/resolved.ts'
import { service as fields } from '../settings/places.ts'
import { givenFor, type ServiceDraft, valueFor } from '../shape/draft.ts'

function checkService(service: ServiceDraft): Diagnostic[] {
  const list = valueFor(service.fields, fields.members)
  if (list === undefined) return []
  const members = list.map(({ value }) => value)
  const given = givenFor(service.fields, fields.master)
  const host = valueFor(service.fields, fields.master)
  if (given === undefined) {
    if (members.length < 2 || topologyOf(service) === 'replicator') return []
    return [diagnose('master-missing', { service: service.name, members }, { span: service.span })]
  }
  if (host === undefined || members.includes(host)) return []
  return [diagnose('master-not-member', { host, members }, { span: given.span })]
}

/** Requires the master to be a member, and a cluster of several members to have one. */
export const master = ({ draft }: ResolvedCluster): readonly Diagnostic[] =>
  [...draft.services.values()].flatMap(checkService)
