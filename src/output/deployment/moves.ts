import { shortListOf } from '../../base/words.ts'

/** The release that a host runs, and the one that it is to run. */
export type Move = { readonly host: string; readonly from: string; readonly to: string }

/** One line for all hosts that go the same way; hosts that stay where they are have none. */
export function movesText(moves: readonly Move[]): readonly string[] {
  const ways = new Map<string, string[]>()
  for (const { host, from, to } of moves) {
    const way = `release ${from} → ${to}`
    if (from !== to) ways.set(way, [...(ways.get(way) ?? []), host])
  }
  return [...ways].map(([way, hosts]) => `${way}: ${shortListOf(hosts, 8)}`)
}
