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
