import { diagnose } from '../../diagnostics/diagnose.ts'
import type { Diagnostic } from '../../diagnostics/diagnostic.ts'
import { nearest } from '../../diagnostics/nearest.ts'
import { mentionsOf } from '../resolve/placements.ts'
import type { ResolvedCluster } from '../resolve/resolved.ts'

/** Finds hosts that a service names and `hosts` does not have; once per host, at its first place. */
export function unknownHosts({ draft }: ResolvedCluster): readonly Diagnostic[] {
  if (draft.hosts.size === 0) return []
  const names = [...draft.hosts.keys()]
  const reported = new Set<string>()
  return [...draft.services.values()].flatMap(mentionsOf).flatMap(({ host, field, span }) => {
    if (draft.hosts.has(host) || reported.has(host)) return []
    reported.add(host)
    return [diagnose('unknown-host', { host, field, nearest: nearest(host, names) }, { span })]
  })
}
