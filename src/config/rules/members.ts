import { diagnose } from '../../diagnostics/diagnose.ts'
import type { Diagnostic } from '../../diagnostics/diagnostic.ts'
import { mentionsOf, topologyOf } from '../resolve/placements.ts'
import type { ResolvedCluster } from '../resolve/resolved.ts'
import type { ServiceDraft } from '../shape/draft.ts'

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
      return [diagnose('named-twice', { host, field }, { span, related })]
    }
    if (field !== 'witnesses' || member === undefined || topologyOf(service) === 'replicator') return []
    const related = [{ message: `${host} is a member here.`, span: member.span }]
    return [diagnose('witness-is-member', { host, service: service.name }, { span, related })]
  })
}

/** Finds a host twice in one list, and a witness that is a member. */
export const members = ({ draft }: ResolvedCluster): readonly Diagnostic[] =>
  [...draft.services.values()].flatMap(checkService)
