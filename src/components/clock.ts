/** Clock and timers of a component. */
export type Clock = {
  readonly now: () => Date
  /** Milliseconds that never go back. */
  readonly elapsed: () => number
  /** Runs the work once after that many milliseconds, unless the process ends; returns a function that cancels it. */
  readonly after: (milliseconds: number, work: () => void) => () => void
}

/** Longest time of a timer of Node.js, in milliseconds; beyond it one fires at once. */
const longest = 2 ** 31 - 1

/** The clock of this process. */
export const realClock: Clock = {
  now: () => new Date(),
  elapsed: () => performance.now(),
  after: (milliseconds, work) => {
    const timer = setTimeout(work, Math.min(milliseconds, longest)).unref()
    return () => clearTimeout(timer)
  },
}

/** Returns a function that runs the work at most once in that many milliseconds. */
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
