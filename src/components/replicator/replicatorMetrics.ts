import { metrics } from '../../api/calls/metrics.ts'
import type { MetricFamily } from '../../api/metricFamilies.ts'
import type { TextResponse } from '../../api/response.ts'
import { type ServedRoute, serve } from '../../api/serve.ts'
import { commonRoutes } from '../../contracts/commonRoutes.ts'
import { type ReplicatorStatusPayload, replicatorStates } from '../../contracts/replicatorPayloads.ts'
import { DatabaseError } from '../databases/databaseError.ts'
import type { Replicator } from './createReplicator.ts'

/** Metrics of a database with this status; without one it did not answer. */
export function replicatorMetrics(status: ReplicatorStatusPayload | undefined): readonly MetricFamily[] {
  const services = Object.entries(status ?? {})
  return [
    {
      name: 'muster_replicator_database_up',
      type: 'gauge',
      help: 'Whether the database answered.',
      samples: [{ value: status ? 1 : 0 }],
    },
    {
      name: 'muster_replicator_state',
      type: 'gauge',
      help: 'State of each service: 1 for the one that it is in.',
      samples: services.flatMap(([service, it]) =>
        replicatorStates.map((state) => ({ labels: { service, state }, value: it.state === state ? 1 : 0 })),
      ),
    },
    {
      name: 'muster_replicator_applied_latency_seconds',
      type: 'gauge',
      help: 'Seconds by which the applier of a service is behind; absent while the database cannot say.',
      samples: services.flatMap(([service, { appliedLatency: value }]) =>
        value === null ? [] : [{ labels: { service }, value }],
      ),
    },
  ]
}

/** Serves the metrics of every component and those of the replicator, for which it reads the database. */
export function metricsRoute(replicator: Replicator): {
  readonly route: ServedRoute
  /** Metrics of the last look at the database. */
  readonly families: () => readonly MetricFamily[]
} {
  let found: ReplicatorStatusPayload | undefined
  const route = serve(commonRoutes.metrics, async (call, context) => {
    found = await replicator.status().catch((error) => {
      if (error instanceof DatabaseError) return undefined
      throw error
    })
    return (await metrics.handle(call, context)) as TextResponse
  })
  return { route, families: () => replicatorMetrics(found) }
}
