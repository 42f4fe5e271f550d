/** Round numbers of days for marks on a line of time. */
const steps = [7, 30, 90, 180, 365, 730, 1825, 3650] as const

/** Returns the end of a line that reaches so many days, and at most four marks on it, in days from today. */
export function timeScale(days: number): { readonly end: number; readonly marks: readonly number[] } {
  const step = steps.find((it) => days <= 3 * it) ?? Math.ceil(days / 3)
  const end = Math.max(1, Math.ceil(days / step)) * step
  return { end, marks: Array.from({ length: end / step + 1 }, (_, index) => index * step) }
}
