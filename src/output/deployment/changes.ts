import { shortListOf } from '../../base/words.ts'
import type { HostOutcome } from '../../deployment/events.ts'
import { grouped } from '../../diagnostics/grouped.ts'
import { paint } from './paint.ts'

/** Changes of one host that share a fate: `staged`, `committed`, `committed and taken back`, or all of them `changed`. */
type Changes = { readonly host: string; readonly what: string; readonly titles: readonly string[] }

/** The changes of one host by what became of them; none where there were none. */
export function changesOf(
  outcome: Pick<HostOutcome, 'host' | 'result' | 'applied' | 'staged' | 'undone'>,
): readonly Changes[] {
  const { host, result, applied, undone } = outcome
  // Records of older releases do not have the number; a host that did not start has staged at most.
  const staged = result === 'not-started' ? applied.length : (outcome.staged ?? 0)
  const all: readonly Changes[] =
    result === 'changed'
      ? [{ host, what: 'changed', titles: applied }]
      : [
          { host, what: 'staged', titles: applied.slice(0, staged) },
          {
            host,
            what: undone === true ? 'committed and taken back' : 'committed',
            titles: applied.slice(staged),
          },
        ]
  return all.filter(({ titles }) => titles.length > 0)
}

/** What was staged, committed and taken back, once for all hosts where it was the same; empty where nothing was. */
export function changesText(outcomes: readonly Parameters<typeof changesOf>[0][], colour: boolean): string {
  const { dim } = paint(colour)
  return grouped(outcomes.flatMap(changesOf), ({ what, titles }) => JSON.stringify([what, titles]))
    .map((alike) => {
      const [{ what, titles }] = alike
      const hosts = shortListOf(
        alike.map(({ host }) => host),
        8,
      )
      return `${what} on ${hosts}:\n${dim(titles.map((title) => `  ${title}`).join('\n'))}\n`
    })
    .join('')
}
