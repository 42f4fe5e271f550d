import type { RecordedState } from './servicesMap.ts'

/** Operations on a data source. */
export type DataSourceOperation = 'offline' | 'online' | 'shun' | 'welcome' | 'recover'

/** The state that each operation leads to; where a state is missing, the operation is not for it. */
const transitions: Readonly<
  Record<DataSourceOperation, Readonly<Partial<Record<RecordedState, RecordedState>>>>
> = {
  offline: { ONLINE: 'OFFLINE', OFFLINE: 'OFFLINE' },
  online: { ONLINE: 'ONLINE', OFFLINE: 'ONLINE' },
  shun: { ONLINE: 'SHUNNED', OFFLINE: 'SHUNNED', FAILED: 'SHUNNED', SHUNNED: 'SHUNNED' },
  welcome: { ONLINE: 'ONLINE', SHUNNED: 'ONLINE' },
  recover: { ONLINE: 'ONLINE', OFFLINE: 'OFFLINE', FAILED: 'OFFLINE', SHUNNED: 'OFFLINE' },
}

/** Returns the state after an operation; undefined if the operation is refused (contract.md, "Manager"). */
export const stateAfter = (operation: DataSourceOperation, state: RecordedState): RecordedState | undefined =>
  transitions[operation][state]

const fixes: Readonly<Record<RecordedState, string>> = {
  ONLINE: 'It already serves clients.',
  OFFLINE: 'Use online to bring it back.',
  FAILED: 'Repair it, then use recover to make it OFFLINE and online to bring it back.',
  SHUNNED: 'Use welcome to bring it back, or recover to make it OFFLINE.',
}

/** Returns why an operation is refused, and the fix: the detail of a `wrong-state` problem. */
export function wrongState(facts: {
  readonly operation: DataSourceOperation
  readonly name: string
  readonly state: RecordedState
  readonly reason: string | null
}): string {
  const { operation, name, state, reason } = facts
  const why = reason === null ? '' : ` Reason: ${reason}`
  return `${name} is ${state}, and ${operation} is not possible in this state. ${fixes[state]}${why}`
}
