import { ProblemError } from '../../api/problemError.ts'

/** No service has the name that the path holds. */
export const noService = (): ProblemError =>
  new ProblemError({
    code: 'not-found',
    detail:
      'The services map of this manager has no service of that name. The call manager/cluster/topology lists them.',
  })

/** No data source of the service has the name that the path holds. */
export const noDataSource = (): ProblemError =>
  new ProblemError({
    code: 'not-found',
    detail:
      'The service has no data source of that name. The call manager/cluster/topology lists those that it has.',
  })

/** Nobody may log in at the data sources to check them. */
export const noMonitor = (): ProblemError =>
  new ProblemError({
    code: 'no-database',
    detail:
      'The manager has no account to check data sources with. Set monitor-user and monitor-password, and install again.',
  })
