import type { HostOutcome } from '../../deployment/events.ts'
import { shortListOf } from '../../diagnostics/words.ts'
import { paint } from './paint.ts'

/** What was changed, once for all hosts where it was the same; empty where nothing was. */
export function changesText(outcomes: readonly HostOutcome[], colour: boolean): string {
  const { dim } = paint(colour)
  const groups = new Map<string, string[]>()
  for (const { host, applied, result, undone } of outcomes) {
    if (applied.length === 0 || result === 'not-started' || undone === true) continue
    const key = applied.map((title) => `  ${title}\n`).join('')
    groups.set(key, [...(groups.get(key) ?? []), host])
  }
  return [...groups]
    .map(([changes, hosts]) => `changed on ${shortListOf(hosts, 8)}:\n${dim(changes.trimEnd())}\n`)
    .join('')
}
