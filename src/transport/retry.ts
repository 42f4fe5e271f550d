/** Waiting is told to be random, so that a hundred hosts do not come back at the same moment. */
export type RetryOptions = {
  /** Attempts in all. */
  readonly attempts: number
  /** Milliseconds from the first attempt on, after which none begins. */
  readonly budget: number
  readonly passes: (error: unknown) => boolean
  /** Milliseconds, from any start. */
  readonly now: () => number
  readonly sleep: (milliseconds: number) => Promise<void>
  /** A number from 0 up to 1. */
  readonly chance: () => number
}

/**
 * Does `attempt` again as long as its failure is one that passes; throws the last one. `attempt` is handed
 * the whole milliseconds that are left. Waits 200 to 400 ms, then twice, then four times that.
 */
export async function retry<Result>(
  options: RetryOptions,
  attempt: (left: number) => Promise<Result>,
): Promise<Result> {
  const end = options.now() + options.budget
  for (let round = 1; ; round += 1) {
    try {
      return await attempt(Math.max(1, Math.ceil(end - options.now())))
    } catch (error) {
      if (round >= options.attempts || !options.passes(error)) throw error
      const pause = 200 * 2 ** (round - 1) * (1 + options.chance())
      if (options.now() + pause >= end) throw error
      await options.sleep(pause)
    }
  }
}
