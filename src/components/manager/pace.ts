/** How often servers are checked; milliseconds. */
export type Pace = {
  /** From the end of one check to the begin of the next. */
  readonly interval: number
  /** The longest that a server is left alone that does not answer. */
  readonly longest: number
  /** Checks without an answer in a row before it is left alone for longer: until then it counts to be quick. */
  readonly patience: number
}

export const usualPace: Pace = { interval: 2000, longest: 15_000, patience: 3 }

/** How far a delay is off its mark at most, either way, so that managers do not all ask at once. */
const jitter = 0.2

/** Milliseconds until the next check after this many in a row brought no answer; `random` is from 0 to 1. */
export function delayOf(facts: {
  readonly pace: Pace
  readonly unanswered: number
  readonly random: number
}): number {
  const { pace, unanswered, random } = facts
  const doublings = Math.max(0, unanswered - pace.patience + 1)
  const delay = Math.min(pace.longest, pace.interval * 2 ** doublings)
  return Math.round(delay * (1 - jitter + 2 * jitter * random))
}
