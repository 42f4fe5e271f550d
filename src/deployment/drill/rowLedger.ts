import { lastLines } from '../../base/printable.ts'
import type { LedgerRows, WriterLine } from '../../contracts/drilling.ts'

/** Messages of refused rows that are counted apart. */
const mostMessages = 10

/** Rows that a server has or lacks, beside those that were acknowledged. */
export type RowProof = {
  /** Acknowledged rows that it lacks: their number, and the first of them as `writer:row`. */
  readonly missing: number
  readonly examples: readonly string[]
  /** Rows that it has although their writer got no answer. */
  readonly unanswered: number
}

export type RowLedger = ReturnType<typeof createRowLedger>

/** Collects what writers report of their rows. Times are milliseconds of the clock that `now` reads. */
export function createRowLedger(now: () => number) {
  const acknowledged = new Map<number, Map<number, { readonly begin: number; readonly end: number }>>()
  const messages = new Map<string, number>()
  let refused = 0
  let latest = 0
  /** Time at which the program of the writers began: no report can arrive before it was sent. */
  let origin = Number.POSITIVE_INFINITY

  return {
    add({ writer, row, begin, end, refused: why }: WriterLine): void {
      origin = Math.min(origin, now() - end)
      latest = Math.max(latest, end)
      if (why === undefined) {
        const rows = acknowledged.get(writer) ?? new Map()
        acknowledged.set(writer, rows.set(row, { begin, end }))
        return
      }
      refused += 1
      const message = lastLines(why)
      const known = messages.has(message) || messages.size < mostMessages
      const key = known ? message : 'others'
      messages.set(key, (messages.get(key) ?? 0) + 1)
    },
    /** Number of acknowledged rows. */
    count: (): number => [...acknowledged.values()].reduce((sum, rows) => sum + rows.size, 0),
    /** Rows that each writer began after this time, and that were acknowledged; the fewest of all. */
    fewestAfter: (time: number, writers: number): number =>
      Math.min(
        ...Array.from({ length: writers }, (_, writer) => {
          const rows = [...(acknowledged.get(writer)?.values() ?? [])]
          return rows.filter(({ begin }) => origin + begin > time).length
        }),
      ),
    /** When the first row was acknowledged that was begun after this time; undefined for none. */
    firstAfter: (time: number): number | undefined => {
      const ends = [...acknowledged.values()].flatMap((rows) =>
        [...rows.values()].filter(({ begin }) => origin + begin > time).map(({ end }) => origin + end),
      )
      return ends.length === 0 ? undefined : ends.reduce((first, it) => Math.min(first, it))
    },
    /** Longest time of a writer without an acknowledged row that ended after this time, or goes on. */
    longestPause: (time: number): number => {
      const pauses = [...acknowledged.values()].flatMap((rows) => {
        const ends = [...[...rows.values()].map(({ end }) => end), latest]
          .map((end) => origin + end)
          .sort((one, other) => one - other)
        return ends.slice(1).flatMap((end, at) => (end > time ? [end - (ends[at] ?? end)] : []))
      })
      return pauses.reduce((longest, it) => Math.max(longest, it), 0)
    },
    refused: () => ({ rows: refused, messages: [...messages].map(([message, rows]) => ({ message, rows })) }),
    /** Compares what a server has with what was acknowledged. */
    prove(has: LedgerRows): RowProof {
      const rows = has.map((ranges) => new Set(ranges.flatMap(([first, last]) => numbersOf(first, last))))
      const lacks = [...acknowledged].flatMap(([writer, them]) =>
        [...them.keys()].filter((row) => rows[writer]?.has(row) !== true).map((row) => `${writer}:${row}`),
      )
      const unanswered = rows.flatMap((them, writer) =>
        [...them].filter((row) => acknowledged.get(writer)?.has(row) !== true),
      )
      return { missing: lacks.length, examples: lacks.slice(0, 10), unanswered: unanswered.length }
    },
  }
}

const numbersOf = (first: number, last: number): readonly number[] =>
  Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at)
