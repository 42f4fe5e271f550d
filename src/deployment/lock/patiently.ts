/** Milliseconds between two attempts, at least and at most: many who wait must not come all at once. */
const soonest = 500
const latest = 2_500

export type Patience = {
  /** Milliseconds that may be waited in all; 0 for one attempt. */
  readonly wait: number
  /** Milliseconds, monotonic. */
  readonly clock: () => number
  /** At least 0, below 1. */
  readonly chance: () => number
  /** Rejects when the wait is to end at once. */
  readonly pause: (milliseconds: number) => Promise<unknown>
}

/**
 * Attempts until one comes out `done` or the time is up; then the last outcome counts. The pauses are of
 * random length, and the last attempt is made when the time is up.
 */
export async function patiently<Outcome>(
  patience: Patience,
  options: {
    readonly attempt: () => Promise<Outcome>
    readonly done: (outcome: Outcome) => boolean
    /** Called before the first pause. */
    readonly waiting?: (outcome: Outcome) => void
  },
): Promise<Outcome> {
  const { wait, clock, chance, pause } = patience
  const began = clock()
  for (let first = true; ; first = false) {
    const outcome = await options.attempt()
    const left = wait - (clock() - began)
    if (options.done(outcome) || left <= 0) return outcome
    if (first) options.waiting?.(outcome)
    await pause(Math.min(left, soonest + chance() * (latest - soonest)))
  }
}
