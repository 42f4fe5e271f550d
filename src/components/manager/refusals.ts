import { ProblemError } from '../../api/problemError.ts'
import type { ServicesMap } from '../../contracts/servicesMap.ts'
import { hasDatabase, withoutDatabase } from '../../contracts/withoutDatabase.ts'

/** No service has the name that the path holds. */
export const noService = (): ProblemError =>
  new ProblemError({
    code: 'not-found',
    detail:
      'The services map of this manager has no service of that name. The call manager/cluster/topology lists them.',
  })

/** No data source of the service has the name that the path holds. */
export const noDataSource = ({ services }: ServicesMap): ProblemError =>
  new ProblemError({
    code: 'not-found',
    detail: hasDatabase({ component: 'manager', services })
      ? 'The service has no data source of that name. The call manager/cluster/topology lists those that it has.'
      : `The service has no data source; ${withoutDatabase.manager}.`,
  })

/** Nobody may log in at the data sources to check them. */
export const noMonitor = (): ProblemError =>
  new ProblemError({
    code: 'no-database',
    detail:
      'The manager has no account to check data sources with. Set monitor-user and monitor-password, and install again.',
  })
