import { shortListOf } from '../../base/words.ts'
import type { Diagnostic, Span } from '../../diagnostics/diagnostic.ts'
import { finding } from '../../diagnostics/finding.ts'
import { collide, type Listener, listenersOf } from '../resolve/configuredListeners.ts'
import { comparePlaces, groupBySpan, type ResolvedCluster, type ResolvedHost } from '../resolve/resolved.ts'

type Clash = {
  readonly span: Span
  readonly host: ResolvedHost
  readonly late: Listener
  readonly early: Listener
}

const placeOf = (listener: Listener): Span | undefined => listener.portGiven?.span

function clashesOf(host: ResolvedHost, { hosts, files }: ResolvedCluster): Clash[] {
  const listeners = listenersOf(host, hosts)
  return listeners.flatMap((first, index) =>
    listeners.slice(index + 1).flatMap((second) => {
      if (!collide(first, second)) return []
      const [a, b] = [placeOf(first), placeOf(second)]
      const firstIsLate = b === undefined || (a !== undefined && comparePlaces(a, b, files) > 0)
      const [late, early] = firstIsLate ? [first, second] : [second, first]
      return [{ span: placeOf(late) ?? host.span, host, late, early }]
    }),
  )
}

const portClash = finding(
  'port-clash',
  (facts: { port: number; option: string; other: string; hosts: readonly string[] }) => ({
    message: `Port ${facts.port} is used twice on ${shortListOf(facts.hosts)}: by ${facts.other} and by ${facts.option}.`,
    why: 'Only one of the two can listen on it.',
    fix: 'Give one of them a different port, or an address that does not overlap.',
  }),
)

/**
 * Finds ports used twice on a host at overlapping addresses, by APIs, proxy or database; the finding
 * is at the later one.
 */
export function portClashes(cluster: ResolvedCluster): readonly Diagnostic[] {
  return groupBySpan(cluster.hosts.flatMap((host) => clashesOf(host, cluster))).map((group) => {
    const [{ late, early, span }] = group
    const other = placeOf(early)
    const facts = {
      port: late.port,
      option: late.option,
      other: other === undefined ? `${early.option} (by default)` : early.option,
      hosts: group.map(({ host }) => host.name),
    }
    if (other === undefined) return portClash(facts, { span })
    return portClash(facts, { span, related: [{ message: 'The other one is here.', span: other }] })
  })
}
