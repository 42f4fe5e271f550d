import { shortListOf } from '../../base/words.ts'
import type { Diagnostic } from '../../diagnostics/diagnostic.ts'
import { finding } from '../../diagnostics/finding.ts'
import { topologyOf } from '../resolve/placements.ts'
import type { ResolvedCluster } from '../resolve/resolved.ts'
import { service as fields } from '../settings/places.ts'
import { givenFor, type ServiceDraft, valueFor } from '../shape/draft.ts'

const masterNotMember = finding(
  'master-not-member',
  (facts: { host: string; members: readonly string[] }) => ({
    message: `The master ${facts.host} is not one of the members.`,
    why: 'The master is the member that takes the writes, so it must be in the service.',
    fix:
      facts.members.length === 0
        ? `Add ${facts.host} to the members.`
        : `Add ${facts.host} to the members, or name one of ${shortListOf(facts.members)}.`,
  }),
)

const masterMissing = finding('master-missing', (facts: { service: string; members: readonly string[] }) => ({
  message: `The service ${facts.service} has ${facts.members.length} members and no master.`,
  why: 'It is not clear which member takes the writes.',
  fix: `Add, for example: master: ${facts.members[0] ?? 'db1'}`,
}))

function checkService(service: ServiceDraft): Diagnostic[] {
  const list = valueFor(service.fields, fields.members)
  if (list === undefined) return []
  const members = list.map(({ value }) => value)
  const given = givenFor(service.fields, fields.master)
  const host = valueFor(service.fields, fields.master)
  if (given === undefined) {
    if (members.length < 2 || topologyOf(service) === 'replicator') return []
    return [masterMissing({ service: service.name, members }, { span: service.span })]
  }
  if (host === undefined || members.includes(host)) return []
  return [masterNotMember({ host, members }, { span: given.span })]
}

/** Requires the master to be a member, and a cluster of several members to have one. */
export const master = ({ draft }: ResolvedCluster): readonly Diagnostic[] =>
  [...draft.services.values()].flatMap(checkService)
