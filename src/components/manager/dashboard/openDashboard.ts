import type { ApiContext } from '../../../api/apiContext.ts'
import { hostCheck } from '../../../api/requestHeaders.ts'
import type { ServedPages } from '../../../api/serve.ts'
import { createLagRecorder, type LagRecorder } from '../../../client/lagHistory.ts'
import type { DashboardHost, ServerSettings } from '../../../contracts/serverSettings.ts'
import type { DashboardAssets } from '../../../web/assets.ts'
import { createDashboard, isDashboardTarget } from '../../../web/dashboardHandler.ts'
import type { Manager } from '../createManager.ts'
import type { ManagerLog } from '../serviceAssessments.ts'
import { serviceStatus } from '../statusPayloads.ts'
import { followHosts } from './followHosts.ts'
import { createHostApis } from './hostApis.ts'
import { managerBackend } from './managerBackend.ts'

/** Settings of a manager that shows the dashboard. */
type DashboardSettings = Pick<
  ServerSettings,
  'cluster' | 'host' | 'tls' | 'socket' | 'connectorSocket' | 'replicatorSocket' | 'auditFile'
> & { readonly hosts: readonly DashboardHost[] }

/** Milliseconds between two looks at the lags, which are whole seconds. */
const lagInterval = 1000

function lagsOf(manager: Manager, recorder: LagRecorder): void {
  const services = manager
    .map()
    .services.map(({ name: service }) => serviceStatus({ manager, service, connector: null }))
  recorder.record(
    services.flatMap(({ datasources }) => datasources),
    new Date(),
  )
}

/**
 * Returns the way to open the dashboard of a manager. The lags of its data sources are kept from then on, whether somebody
 * looks or not.
 */
export function openDashboard(
  settings: DashboardSettings,
  more: { readonly manager: Manager; readonly log: ManagerLog; readonly assets: DashboardAssets },
): (context: ApiContext) => ServedPages {
  const { hosts, cluster, host: own } = settings
  const { manager, log, assets } = more
  return (context) => {
    const apis = createHostApis({ ...settings, hosts })
    const recorder = createLagRecorder()
    const lagTimer = setInterval(() => lagsOf(manager, recorder), lagInterval).unref()
    const dashboard = createDashboard({
      backend: managerBackend({
        ...{ settings, hosts, apis, context, log },
        follow: (changed) => ({
          ...followHosts({
            ...{ cluster, own, hosts, apis, changed },
            map: () => manager.map().services,
          }),
          lags: () => recorder.read(new Date()),
        }),
      }),
      assets,
      own: { scheme: 'https', isOwnHost: hostCheck(context.allowedHosts) },
      needsToken: false,
      onFault: (error) => log.error({ err: error }, 'a fault of the dashboard'),
    })
    return {
      isFor: isDashboardTarget,
      handle: dashboard.handle,
      close: () => {
        clearInterval(lagTimer)
        dashboard.close()
      },
    }
  }
}
