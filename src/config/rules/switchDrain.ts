import { durationText } from '../../base/time.ts'
import { shortListOf } from '../../base/words.ts'
import type { Diagnostic } from '../../diagnostics/diagnostic.ts'
import { finding } from '../../diagnostics/finding.ts'
import { oncePer } from '../resolve/oncePer.ts'
import { groupBySpan, type ResolvedCluster } from '../resolve/resolved.ts'
import { shortestHold, switchedService } from '../resolve/switching.ts'
import { options } from '../settings/options.ts'
import type { ServiceDraft } from '../shape/draft.ts'

const switchDrainTooLong = finding(
  'switch-drain-too-long',
  (facts: { drain: number; hosts: readonly string[]; hold: number; connector: string }) => ({
    message:
      `switch-drain-timeout of ${shortListOf(facts.hosts)} (${durationText(facts.drain)}) is not below ` +
      `connector-max-hold of ${facts.connector} (${durationText(facts.hold)}).`,
    why: 'While a switch of the primary waits for open transactions, its clients would get an error.',
    fix: 'Set a shorter switch-drain-timeout, or a longer connector-max-hold.',
  }),
)

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
    return switchDrainTooLong({ ...facts, hosts: group.map(({ host }) => host) }, { span })
  })
}
