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
  ONLINE: 'Clients are served already.',
  OFFLINE: 'Bring it online with online.',
  FAILED: 'Repair what failed, then recover makes it OFFLINE and online brings it back.',
  SHUNNED: 'Take it back with welcome, or make it OFFLINE with recover.',
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
  return `${name} is ${state}, and ${operation} is not for that state. ${fixes[state]}${why}`
}
