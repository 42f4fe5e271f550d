import { eventually } from '../../test/lab/support/eventually.ts'
import type { WriteLoad } from '../../test/support/writeLoad.ts'
import { type FaultName, faults } from './faults.ts'
import type { Side } from './side.ts'

/** Sights of clients at one fault; times in seconds. */
export type Episode = {
  /** The longest time between two acknowledged rows, of all clients, from the last one before the fault. */
  readonly withoutWriter: number
  /** Other times of half a second or more without a row, until the cluster was whole again, added. */
  readonly otherPauses: number
  readonly lost: number
  /** Transactions and connections of clients that were broken off. */
  readonly broken: number
  /** Connections that were refused. */
  readonly refused: number
  /** From the repair until the host is a part of the cluster again. */
  readonly wholeAfter: number
  /** True if another host is the primary afterwards. */
  readonly moved: boolean
}

const inSeconds = (milliseconds: number): number => Math.round(milliseconds / 10) / 100

/** Times between two acknowledged rows, longest first, from the last one before a moment. */
function pauses(load: WriteLoad, since: number): readonly number[] {
  const ends = load.acknowledged.map(({ end }) => end).toSorted((a, b) => a - b)
  const first = ends.findLastIndex((end) => end <= since)
  return ends
    .slice(first + 1)
    .map((end, index) => end - (ends[first + index] ?? end))
    .toSorted((a, b) => b - a)
}

/** Strikes the primary of a side under a load, repairs it, and waits until all is as before. */
export async function runEpisode(side: Side, name: FaultName): Promise<Episode> {
  const { strike, repair } = faults[name]
  const from = await side.settled()
  const load = side.load(side.members.filter((it) => it !== from))
  try {
    await eventually('rows of all clients', () => load.acknowledged.length > 500)
    const begun = performance.now()
    await strike(side, from)
    const struck = performance.now()
    await eventually('a row after the fault', () => load.acknowledged.some(({ begin }) => begin > struck), {
      timeout: 180_000,
    })
    const had = load.acknowledged.length
    await eventually('more rows after the fault', () => load.acknowledged.length > had + 200)
    const repaired = performance.now()
    await repair(side, from)
    const now = await side.settled()
    const wholeAfter = performance.now() - repaired
    await load.stop()
    const [longest = 0, ...others] = pauses(load, begun)
    const lost = await side.lost(load)
    await side.clear()
    const failed = load.failures.filter(({ at }) => at > begun)
    return {
      withoutWriter: inSeconds(longest),
      otherPauses: inSeconds(others.filter((it) => it >= 500).reduce((sum, it) => sum + it, 0)),
      lost: lost.length,
      broken: failed.filter(({ phase }) => phase !== 'connect').length,
      refused: failed.filter(({ phase }) => phase === 'connect').length,
      wholeAfter: inSeconds(wholeAfter),
      moved: now !== from,
    }
  } finally {
    await load.stop()
  }
}
