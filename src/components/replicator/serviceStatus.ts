import type {
  ReplicatorState,
  ReplicatorStatusPayload,
  ServiceStatus,
  ServicesPayload,
  TakenOffline,
} from '../../contracts/replicatorPayloads.ts'
import type { DatabaseSettings } from '../../contracts/serverSettings.ts'
import { placeOf } from '../databases/connection.ts'
import type { Channel, Position } from '../databases/dialect.ts'
import type { Replication } from '../databases/replication.ts'
import { pendingErrorOf, stateOf } from './channelState.ts'
import type { OfflineMarks } from './offlineMarks.ts'
import type { OperationLock } from './operationLock.ts'

/** A channel as the API shows it. */
export function replicaStatus(facts: {
  readonly channel: Channel
  readonly state: ReplicatorState
  /** Host of the server that applies. */
  readonly host: string
  readonly takenOffline: TakenOffline | null
}): ServiceStatus {
  const { channel, state, host, takenOffline } = facts
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
    takenOffline,
    masterConnectUri: `mysql://${placeOf(channel.source)}`,
  }
}

/** A server that is nobody's replica and writes a binary log, as the API shows it. */
const primaryStatus = (position: Position, host: string): ServiceStatus => ({
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
  takenOffline: null,
  masterConnectUri: null,
})

/**
 * Channels by the names of their services: a channel's own name, and for the one without a name that of the data
 * service, or `<data service>-default` where another channel has that (names of channels ignore case).
 */
export function channelsByService(
  channels: readonly Channel[],
  service: string,
): ReadonlyMap<string, Channel> {
  const isTaken = channels.some(({ name }) => name.toLowerCase() === service.toLowerCase())
  const unnamed = isTaken ? `${service}-default` : service
  return new Map(channels.map((channel) => [channel.name === '' ? unnamed : channel.name, channel]))
}

/** Returns the services of a database server by name, as they are now. A server that is nobody's replica has one while it writes a binary log. */
export async function observe(facts: {
  readonly replication: Replication
  readonly database: DatabaseSettings
  readonly operationLock: OperationLock
  readonly marks: OfflineMarks
}): Promise<ReplicatorStatusPayload> {
  const { replication, operationLock, marks } = facts
  const { host, service } = facts.database
  const services = channelsByService(await replication.channels(), service)
  const running = operationLock.running()
  // Marked before it is stopped.
  if (running === undefined) marks.endStarted(services)
  if (services.size === 0) {
    const position = await replication.position()
    return position ? { [service]: primaryStatus(position, host) } : {}
  }
  return Object.fromEntries(
    [...services].map(([name, channel]) => {
      const underWay = running?.services.has(name) ? running.operation : undefined
      return [
        name,
        replicaStatus({ channel, state: stateOf(channel, underWay), host, takenOffline: marks.of(name) }),
      ]
    }),
  )
}

/** Returns the same as a list with fewer members. */
export const serviceList = (status: ReplicatorStatusPayload): ServicesPayload =>
  Object.entries(status).map(([serviceName, it]) => ({
    serviceName,
    serviceType: 'local',
    role: it.role,
    state: it.state,
    started: it.receiver !== 'stopped' || it.applier !== 'stopped',
    appliedLastSeqno: it.appliedLastSeqno,
    appliedLatency: it.appliedLatency,
    relativeLatency: it.relativeLatency,
    masterConnectUri: it.masterConnectUri,
  }))
