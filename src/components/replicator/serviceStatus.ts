import type { ReplicatorState, ServiceStatus } from '../../contracts/replicatorPayloads.ts'
import type { Channel, Position } from '../databases/channel.ts'
import { placeOf } from '../databases/connection.ts'
import { pendingErrorOf } from './stateOf.ts'

/** A channel as the API shows it. */
export function replicaStatus(facts: {
  readonly channel: Channel
  readonly state: ReplicatorState
  /** Host of the server that applies. */
  readonly host: string
}): ServiceStatus {
  const { channel, state, host } = facts
  const error = pendingErrorOf(channel)
  return {
    role: 'replica',
    state,
    receiver: channel.receiver,
    applier: channel.applier,
    positioning: channel.byGtid ? 'gtid' : 'file',
    appliedLastEventId: channel.applied,
    appliedLastSeqno: channel.sequence,
    appliedLatency: channel.secondsBehind,
    relativeLatency: null,
    currentEventId: channel.received,
    pendingError: error?.sentence ?? null,
    pendingErrorCode: error?.number ?? null,
    pendingExceptionMessage: error?.message ?? null,
    dataServerHost: host,
    masterConnectUri: `mysql://${placeOf(channel.source)}`,
  }
}

/** A server that is nobody's replica and writes a binary log, as the API shows it. */
export const primaryStatus = (position: Position, host: string): ServiceStatus => ({
  role: 'primary',
  state: 'ONLINE',
  receiver: 'stopped',
  applier: 'stopped',
  positioning: null,
  appliedLastEventId: position.written,
  appliedLastSeqno: position.sequence,
  appliedLatency: null,
  relativeLatency: null,
  currentEventId: position.written,
  pendingError: null,
  pendingErrorCode: null,
  pendingExceptionMessage: null,
  dataServerHost: host,
  masterConnectUri: null,
})
