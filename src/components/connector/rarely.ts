import type { Clock } from './clock.ts'

/** Does the work, and then not again for that many milliseconds, however often it is asked for. */
export function rarely<Args extends readonly unknown[]>(options: {
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
