import { hostname } from 'node:os'
import { processRuns, processStart } from '../../accounts/processStart.ts'

/** Who holds a lock: a process cannot be mistaken for a later one with the same pid. */
export type ProcessIdentity = {
  readonly pid: number
  /** Clock ticks since boot; absent where there is no /proc. */
  readonly started?: string
  readonly machine: string
}

export function ownIdentity(): ProcessIdentity {
  const started = processStart('self')
  return { pid: process.pid, machine: hostname(), ...(started === undefined ? {} : { started }) }
}

/** Whether that process still runs; one of another machine counts as running, for nobody can tell from here. */
export const isRunning = (one: ProcessIdentity): boolean =>
  one.machine !== hostname() || processRuns(one.pid, one.started)
