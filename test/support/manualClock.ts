import type { Clock } from '../../src/components/clock.ts'

/** A clock that stands still until it is told to go on. */
export type ManualClock = Clock & {
  /** Lets milliseconds pass; what is due happens in order. */
  advance(milliseconds: number): void
  /** How many works are waiting. */
  pending(): number
}

export function manualClock(): ManualClock {
  const begin = Date.parse('2025-03-10T10:12:18Z')
  let time = 0
  let works: readonly { readonly at: number; readonly work: () => void }[] = []
  return {
    now: () => new Date(begin + time),
    elapsed: () => time,
    after: (milliseconds, work) => {
      const entry = { at: time + milliseconds, work }
      works = [...works, entry]
      return () => {
        works = works.filter((it) => it !== entry)
      }
    },
    advance: (milliseconds) => {
      const end = time + milliseconds
      for (;;) {
        const [next] = works.filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)
        if (!next) break
        works = works.filter((it) => it !== next)
        time = Math.max(time, next.at)
        next.work()
      }
      time = end
    },
    pending: () => works.length,
  }
}
