import type { ReplicatorStatusPayload, ServicesPayload } from '../../contracts/replicatorPayloads.ts'
import type { DatabaseSettings } from '../../contracts/serverSettings.ts'
import type { Replication } from '../databases/replication.ts'
import { byService } from './byService.ts'
import type { OneAtATime } from './oneAtATime.ts'
import { primaryStatus, replicaStatus } from './serviceStatus.ts'
import { stateOf } from './stateOf.ts'

/** The services of a database server by name, as they are now. A server that is nobody's replica has one while it writes a binary log. */
export async function observe(facts: {
  readonly replication: Replication
  readonly database: DatabaseSettings
  readonly oneAtATime: OneAtATime
}): Promise<ReplicatorStatusPayload> {
  const { replication, oneAtATime } = facts
  const { host, service } = facts.database
  const services = byService(await replication.channels(), service)
  if (services.size === 0) {
    const position = await replication.position()
    return position ? { [service]: primaryStatus(position, host) } : {}
  }
  const running = oneAtATime.running()
  return Object.fromEntries(
    [...services].map(([name, channel]) => {
      const underWay = running?.services.has(name) ? running.operation : undefined
      return [name, replicaStatus({ channel, state: stateOf(channel, underWay), host })]
    }),
  )
}

/** The same as a list, with what a list shows. */
export const listOf = (status: ReplicatorStatusPayload): ServicesPayload =>
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
