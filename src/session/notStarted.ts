import type { HostOutcome } from '../deployment/events.ts'

/** How a host came out on which nothing was begun. */
export const notStarted = (host: string): HostOutcome => ({
  host,
  result: 'not-started',
  applied: [],
  seconds: {},
})
