/** The slow suite says it, which runs the properties again (`test/scenarios/vitest.config.ts`). */
export const isThorough = process.env.PROPERTIES === 'thorough'

/** Runs of a property: as many as given in the slow suite, a tenth of them in the fast one, though 20 at least. */
export const propertyRuns = (thorough: number): number =>
  isThorough ? thorough : Math.min(thorough, Math.max(20, Math.ceil(thorough / 10)))
