/** Time as the connector sees it. */
export type Clock = {
  readonly now: () => Date
  /** Milliseconds that never go back. */
  readonly elapsed: () => number
  /** Does the work once, that many milliseconds from now; what it returns calls that off. */
  readonly after: (milliseconds: number, work: () => void) => () => void
}

/** Longest time of a timer of Node.js, in milliseconds; beyond it one fires at once. */
const longest = 2 ** 31 - 1

/** The clock of this process. */
export const realClock: Clock = {
  now: () => new Date(),
  elapsed: () => performance.now(),
  after: (milliseconds, work) => {
    const timer = setTimeout(work, Math.min(milliseconds, longest))
    return () => clearTimeout(timer)
  },
}

/** Does the work, and then not again for that many milliseconds, however often it is asked for. */
export function throttle<Args extends readonly unknown[]>(options: {
  readonly milliseconds: number
  readonly clock: Clock
  readonly work: (...args: Args) => void
}): (...args: Args) => void {
  const { milliseconds, clock, work } = options
  let silentUntil = Number.NEGATIVE_INFINITY
  return (...args) => {
    if (clock.elapsed() < silentUntil) return
    silentUntil = clock.elapsed() + milliseconds
    work(...args)
  }
}
