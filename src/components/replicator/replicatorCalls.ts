import { callerName } from '../../api/caller.ts'
import { readyWith } from '../../api/calls/health.ts'
import { ProblemError } from '../../api/problemError.ts'
import { type Call, isDry, type ServedRoute, serve } from '../../api/serve.ts'
import { withoutDatabase } from '../../contracts/component.ts'
import type { ChangedReplicatorStatusPayload } from '../../contracts/replicatorPayloads.ts'
import { replicatorRoutes as routes } from '../../contracts/replicatorRoutes.ts'
import { withDatabaseProblems } from '../databases/databaseProblem.ts'
import type { Replicator } from './createReplicator.ts'
import type { Operation } from './operationLock.ts'

/** Readiness of every component and of the database. */
export const readyWithDatabase = (replicator: Replicator): ServedRoute =>
  readyWith(async () => ({ reasons: [(await replicator.notReadyReason()) ?? []].flat() }))

const noDatabase = (): ProblemError =>
  new ProblemError({
    code: 'no-database',
    detail:
      `${withoutDatabase.replicator}. Set datasource-type, replication-user and replication-password for this ` +
      'host, and install again.',
  })

/** The calls of a replicator; without one all but the list of services say that there is no database. */
export function replicatorCalls(replicator: Replicator | undefined): readonly ServedRoute[] {
  const withDatabase = <Result>(work: (replicator: Replicator) => Promise<Result>): Promise<Result> => {
    if (!replicator) throw noDatabase()
    return withDatabaseProblems(() => work(replicator))
  }
  const change =
    (operation: Operation) =>
    (call: Call<null>): Promise<ChangedReplicatorStatusPayload> => {
      const { params, caller, audit } = call
      const by = callerName(caller)
      return withDatabase((it) =>
        it.change({ operation, service: params.service, by, dry: isDry(call), audit }),
      )
    }

  return [
    serve(routes.replicatorServices, async () =>
      replicator ? [...(await withDatabaseProblems(() => replicator.services()))] : [],
    ),
    serve(routes.replicatorStatus, () => withDatabase((it) => it.status())),
    serve(routes.replicatorServiceStatus, ({ params }) => withDatabase((it) => it.status(params.service))),
    serve(routes.replicatorOnline, change('online')),
    serve(routes.replicatorServiceOnline, change('online')),
    serve(routes.replicatorOffline, change('offline')),
    serve(routes.replicatorServiceOffline, change('offline')),
    serve(routes.replicatorReset, change('reset')),
    serve(routes.replicatorServiceReset, change('reset')),
  ]
}
