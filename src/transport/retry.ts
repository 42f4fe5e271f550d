/** Retries wait for a random time, so that a hundred hosts do not reconnect at the same moment. */
export type RetryOptions = {
  /** Maximum number of attempts. */
  readonly attempts: number
  /** Milliseconds after the first attempt in which another one may start. */
  readonly budget: number
  readonly isRetryable: (error: unknown) => boolean
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
  readonly sleep: (milliseconds: number) => Promise<void>
  /** Returns a random number from 0 up to 1. */
  readonly random: () => number
}

/**
 * Repeats `attempt` while its failure is a passing one; throws the last one. `attempt` gets the remaining
 * whole milliseconds. Waits 200 to 400 ms, then twice, then four times that.
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
      if (round >= options.attempts || !options.isRetryable(error)) throw error
      const pause = 200 * 2 ** (round - 1) * (1 + options.random())
      if (options.now() + pause >= end) throw error
      await options.sleep(pause)
    }
  }
}
