import { listOf } from '../../base/words.ts'
import type { Diagnostic } from '../../diagnostics/diagnostic.ts'
import { finding } from '../../diagnostics/finding.ts'
import { mentionsOf } from '../resolve/placements.ts'
import type { ResolvedCluster } from '../resolve/resolved.ts'

const connectorOfSeveral = finding(
  'connector-of-several',
  (facts: { host: string; services: readonly string[] }) => ({
    message: `The connector of ${facts.host} would serve the clients of ${listOf(facts.services)}.`,
    why: 'It has only one application-port, for the primary of one service.',
    fix: `Keep ${facts.host} in the connectors of only one of them.`,
  }),
)

/** Finds connectors in several services with databases: one port cannot lead to two primaries. */
export function sharedConnectors({ hosts }: ResolvedCluster): readonly Diagnostic[] {
  return hosts.flatMap(({ name, proxied }) => {
    if (proxied.length < 2) return []
    const mentions = proxied
      .flatMap(mentionsOf)
      .filter(({ host, field }) => host === name && field === 'connectors')
    const [first, second] = [...new Map(mentions.map((one) => [one.service.name, one])).values()]
    if (first === undefined || second === undefined) return []
    const facts = { host: name, services: proxied.map((service) => service.name) }
    const related = [{ message: `${first.service.name} names it here.`, span: first.span }]
    return [connectorOfSeveral(facts, { span: second.span, related })]
  })
}
