import { setTimeout as wait } from 'node:timers/promises'
import { commonCalls } from '../../api/calls/commonCalls.ts'
import { ready } from '../../api/calls/health.ts'
import { metrics } from '../../api/calls/metrics.ts'
import type { ComponentApi, ServedRoute } from '../../api/serve.ts'
import type { ServerSettings } from '../../contracts/serverSettings.ts'
import { openReplication } from '../databases/replication.ts'
import { createStateFile } from '../stateFile.ts'
import { createReplicator, type Replicator } from './createReplicator.ts'
import { openOfflineMarks } from './offlineMarks.ts'
import { readyWithDatabase, replicatorCalls } from './replicatorCalls.ts'
import { metricsRoute } from './replicatorMetrics.ts'

/**
 * Milliseconds. A caller that waits ten seconds gets a response, whatever the database does. A password that the database
 * rejects shows within `age`, not first when the connection is lost.
 */
const limits = { connect: 2000, query: 2500, age: 8000, change: 10 * 60_000 }
const timing = { effect: 6000, settle: 1000, poll: 100, now: () => performance.now(), wait }

/** The API of a replicator without a database. */
export const replicator: ComponentApi = {
  component: 'replicator',
  served: [...commonCalls, ...replicatorCalls(undefined)],
}

/** Returns the API of a replicator with a database, which readiness and measurements look at, too. */
export function replicatorApi(opened: Replicator): ComponentApi {
  const { route, families } = metricsRoute(opened)
  const own = new Map<ServedRoute, ServedRoute>([
    [ready, readyWithDatabase(opened)],
    [metrics, route],
  ])
  const common = commonCalls.map((served) => own.get(served) ?? served)
  return { component: 'replicator', served: [...common, ...replicatorCalls(opened)], metrics: families }
}

/**
 * Opens the replicator of the settings; the database is not contacted before the first call. Throws
 * a `StartError` where its password or its state cannot be read.
 */
export function openReplicator(
  settings: Pick<ServerSettings, 'database' | 'databaseProof' | 'secretsFile' | 'stateFile'>,
  log: { error(facts: object, message: string): void },
): {
  readonly api: ComponentApi
  /** Ends its connections to the database. */
  close(): void
} {
  const { database, secretsFile, stateFile } = settings
  if (!database || secretsFile === undefined) return { api: replicator, close: () => undefined }
  const marks = openOfflineMarks(stateFile === undefined ? undefined : createStateFile(stateFile), log)
  const replication = openReplication({ ...settings, database, secretsFile, limits })
  const opened = createReplicator({ replication, database, timing, marks, now: () => new Date() })
  return { api: replicatorApi(opened), close: () => replication.close() }
}
