import { diagnose } from '../../diagnostics/diagnose.ts'
import type { Diagnostic } from '../../diagnostics/diagnostic.ts'
import { mentionsOf } from '../resolve/placements.ts'
import type { ResolvedCluster } from '../resolve/resolved.ts'

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
    return [diagnose('connector-of-several', facts, { span: second.span, related })]
  })
}
