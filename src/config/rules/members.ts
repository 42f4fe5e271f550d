import type { Diagnostic } from '../../diagnostics/diagnostic.ts'
import { finding } from '../../diagnostics/finding.ts'
import { mentionsOf, topologyOf } from '../resolve/placements.ts'
import type { ResolvedCluster } from '../resolve/resolved.ts'
import type { ServiceDraft } from '../shape/draft.ts'

const namedTwice = finding('named-twice', (facts: { host: string; field: string }) => ({
  message: `${facts.host} is listed twice in ${facts.field}.`,
  why: 'A host can be listed once; the second entry is probably meant to be another host.',
  fix: 'Remove it, or correct the host name.',
}))

const witnessIsMember = finding('witness-is-member', (facts: { host: string; service: string }) => ({
  message: `${facts.host} is a witness and a member of ${facts.service}.`,
  why: 'A witness is a host with a manager and no database; a member has a manager already.',
  fix: 'Remove it from one of the two lists, or name another host as the witness.',
}))

function checkService(service: ServiceDraft): Diagnostic[] {
  const mentions = mentionsOf(service)
  const members = new Map(
    mentions.filter(({ field }) => field === 'members').map((mention) => [mention.host, mention]),
  )
  const seen = new Map<string, (typeof mentions)[number]>()
  return mentions.flatMap((mention) => {
    const { host, field, span } = mention
    const member = members.get(host)
    const earlier = seen.get(`${field} ${host}`)
    seen.set(`${field} ${host}`, mention)
    if (earlier !== undefined) {
      const related = [{ message: 'The first one is here.', span: earlier.span }]
      return [namedTwice({ host, field }, { span, related })]
    }
    if (field !== 'witnesses' || member === undefined || topologyOf(service) === 'replicator') return []
    const related = [{ message: `${host} is a member here.`, span: member.span }]
    return [witnessIsMember({ host, service: service.name }, { span, related })]
  })
}

/** Finds a host twice in one list, and a witness that is a member. */
export const members = ({ draft }: ResolvedCluster): readonly Diagnostic[] =>
  [...draft.services.values()].flatMap(checkService)
