import { ProblemError } from '../api/problemError.ts'
import { hostRoutes, type TriedChannel } from '../contracts/hostRoutes.ts'
import { callOf } from '../contracts/routeCall.ts'
import type { ServerSettings } from '../contracts/serverSettings.ts'
import { callManager } from './callManager.ts'
import { managerEndpoint } from './managerEndpoint.ts'

/** Milliseconds: a person waits. */
const timeout = 5_000

/**
 * Makes one call at each manager that a component's settings name, over its channel, all at the same time. Never rejects: what
 * went wrong is in the result.
 */
export const tryChannels = ({
  managers = [],
  tls,
}: Pick<ServerSettings, 'managers' | 'tls'>): Promise<readonly TriedChannel[]> =>
  Promise.all(
    managers.map(async (it) => {
      const tried = { host: it.name, port: it.port }
      try {
        await callManager({
          title: `the manager of ${it.name}`,
          endpoint: () => managerEndpoint(it, tls),
          route: hostRoutes.replication,
          call: callOf(hostRoutes.replication),
          authorization: undefined,
          timeout,
        })
        return tried
      } catch (error) {
        if (!(error instanceof ProblemError)) throw error
        return { ...tried, error: error.message }
      }
    }),
  )
