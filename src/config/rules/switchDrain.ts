import { diagnose } from '../../diagnostics/diagnose.ts'
import type { Diagnostic } from '../../diagnostics/diagnostic.ts'
import { oncePer } from '../resolve/oncePer.ts'
import { groupBySpan, type ResolvedCluster } from '../resolve/resolved.ts'
import { shortestHold, switchedService } from '../resolve/switching.ts'
import { options } from '../settings/options.ts'
import type { ServiceDraft } from '../shape/draft.ts'

/** Finds hosts whose switch of the primary would let transactions end for longer than a connector holds its clients. */
export function switchDrain({ hosts }: ResolvedCluster): readonly Diagnostic[] {
  const holdOf = oncePer((service: ServiceDraft) => shortestHold(service, hosts))
  const items = hosts.flatMap((host) => {
    const service = switchedService(host)
    if (service === undefined) return []
    const drain = host.option(options.switching.drainTimeout)
    const { host: connector, hold, from } = holdOf(service)
    const given = drain.given ?? from?.given
    if (connector === undefined || given === undefined || (drain.value ?? 0) < hold) return []
    return [{ host: host.name, drain: drain.value ?? 0, hold, connector, span: given.span }]
  })
  return groupBySpan(items).map((group) => {
    const [{ span, ...facts }] = group
    return diagnose('switch-drain-too-long', { ...facts, hosts: group.map(({ host }) => host) }, { span })
  })
}
