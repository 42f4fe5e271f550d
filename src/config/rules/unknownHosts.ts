import type { Diagnostic } from '../../diagnostics/diagnostic.ts'
import { finding } from '../../diagnostics/finding.ts'
import { nearest } from '../../diagnostics/nearest.ts'
import { mentionsOf } from '../resolve/placements.ts'
import type { ResolvedCluster } from '../resolve/resolved.ts'

const unknownHost = finding(
  'unknown-host',
  (facts: { host: string; field: string; nearest: string | undefined }) => ({
    message: `${facts.host} is in ${facts.field} but not in hosts.`,
    why: 'Its address is unknown, so nothing can be installed on it.',
    fix:
      facts.nearest === undefined
        ? `Add it under hosts, for example "${facts.host}: { address: 10.0.0.11 }".`
        : `Did you mean ${facts.nearest}? Otherwise add it under hosts.`,
  }),
)

/** Finds hosts that a service names and `hosts` does not have; once per host, at its first place. */
export function unknownHosts({ draft }: ResolvedCluster): readonly Diagnostic[] {
  if (draft.hosts.size === 0) return []
  const names = [...draft.hosts.keys()]
  const reported = new Set<string>()
  return [...draft.services.values()].flatMap(mentionsOf).flatMap(({ host, field, span }) => {
    if (draft.hosts.has(host) || reported.has(host)) return []
    reported.add(host)
    return [unknownHost({ host, field, nearest: nearest(host, names) }, { span })]
  })
}
