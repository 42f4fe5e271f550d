import type { AuditFacts } from '../../api/audit/auditEntry.ts'
import type {
  ChangedReplicatorStatusPayload,
  ReplicatorStatusPayload,
  ServicesPayload,
} from '../../contracts/replicatorPayloads.ts'
import type { DatabaseSettings } from '../../contracts/serverSettings.ts'
import { DatabaseError } from '../databases/databaseError.ts'
import type { Replication } from '../databases/replication.ts'
import type { OfflineMarks } from './offlineMarks.ts'
import { type OperationTiming, operate } from './operate.ts'
import { createOperationLock, type Operation } from './operationLock.ts'
import { notConfigured, type Services, unknownService } from './replicatorProblems.ts'
import { channelsByService, observe, serviceList } from './serviceStatus.ts'

/** Replicator of one database server. Every result is what the server reports now, and who took it offline. */
export type Replicator = {
  services(): Promise<ServicesPayload>
  /** All services, or the one of that name. */
  status(service?: string): Promise<ReplicatorStatusPayload>
  /** Changes all services, or the one of that name. */
  change(order: {
    readonly operation: Operation
    readonly service: string | undefined
    /** Name of the caller. */
    readonly by: string
    /** True: only finds out what it would change. */
    readonly dry: boolean
    readonly audit: (facts: AuditFacts) => void
  }): Promise<ChangedReplicatorStatusPayload>
  /** Returns why it is not ready; undefined if it is. */
  notReadyReason(): Promise<string | undefined>
}

/** Looks after the replication of a database server; failures are problems or a `DatabaseError`. */
export function createReplicator(options: {
  readonly replication: Replication
  readonly database: DatabaseSettings
  readonly timing: OperationTiming
  readonly marks: OfflineMarks
  readonly now: () => Date
}): Replicator {
  const { replication, database, timing, marks, now } = options
  const operationLock = createOperationLock()
  const look = () => observe({ replication, database, operationLock, marks })

  async function selectServices(service: string | undefined): Promise<Services> {
    const services = channelsByService(await replication.channels(), database.service)
    if (services.size === 0 && (service === undefined || service === database.service)) throw notConfigured()
    if (service === undefined) return services
    const channel = services.get(service)
    if (!channel) throw unknownService()
    return new Map([[service, channel]])
  }

  return {
    services: async () => serviceList(await look()),
    status: async (service) => {
      const all = await look()
      if (service === undefined) return all
      const found = Object.entries(all).find(([name]) => name === service)
      if (!found) throw unknownService()
      return Object.fromEntries([found])
    },
    change: ({ operation, service, by, dry, audit }) =>
      operate({
        operation,
        replication,
        operationLock,
        timing,
        host: database.host,
        read: () => selectServices(service),
        marks,
        mark: { by, since: now().toISOString() },
        dry,
        audit,
      }),
    notReadyReason: async () => {
      try {
        await replication.channels()
        return undefined
      } catch (error) {
        if (error instanceof DatabaseError) return error.message
        throw error
      }
    },
  }
}
