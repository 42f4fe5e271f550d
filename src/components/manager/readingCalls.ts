import type { ApiContext } from '../../api/apiContext.ts'
import { type ServedRoute, serve } from '../../api/serve.ts'
import type { StatusPayload } from '../../contracts/managerPayloads.ts'
import { managerRoutes as routes } from '../../contracts/managerRoutes.ts'
import { hasDatabase, withoutDatabase } from '../../contracts/withoutDatabase.ts'
import type { Manager } from './createManager.ts'
import type { ServedManager } from './managerCalls.ts'
import { noMonitor } from './refusals.ts'
import { dataSourceStatus, serviceStatus } from './statusPayloads.ts'

/** What keeps the manager from its work; null when nothing does. */
function reasonOf(manager: Manager): string | null {
  const { services } = manager.map()
  const idle = hasDatabase({ component: 'manager', services })
    ? manager.monitors
      ? []
      : ['not monitoring: monitor-user is not set']
    : [withoutDatabase.manager]
  const reasons = [...idle, ...manager.reasonsAgainst()]
  return reasons.length > 0 ? reasons.join('; ') : null
}

/** The manager itself. A service that calls took out of the map has the policy of one that nobody set. */
function statusOf({ manager, identity }: ServedManager, context: ApiContext): StatusPayload {
  const { member, parentPid } = identity
  const uptime = Math.floor(context.uptime() / 1000)
  const certificate = context.certificate?.()
  const isMapped = manager.map().services.some(({ name }) => name === member.service)
  return {
    dataServiceName: member.service,
    dataSourceName: member.datasource,
    startTime: new Date(context.now().getTime() - context.uptime()).toISOString(),
    uptimeSeconds: uptime,
    state: manager.monitors ? 'ONLINE' : 'OFFLINE',
    reason: reasonOf(manager),
    isWitness: member.witness,
    managerPID: context.pid,
    parentPID: parentPid(),
    policyMode: isMapped ? manager.policy(member.service) : 'AUTOMATIC',
    tlsEnabled: certificate !== undefined,
    tlsCertificateExpiry: certificate?.expiry.toISOString() ?? null,
  }
}

/** The calls that change nothing, but for those of the map. */
export function readingCalls(served: ServedManager): readonly ServedRoute[] {
  const { manager, identity, askConnector } = served
  return [
    serve(routes.managerStatus, (_call, context) => statusOf(served, context)),
    serve(routes.managerTopology, async ({ query }) => {
      const routers = query.includeRouters === 'no' ? undefined : await routersOf(identity.host, askConnector)
      return {
        topology: 'clustered' as const,
        name: identity.cluster,
        services: manager.map().services.map(({ name, datasources }) => ({
          name,
          role: 'primary' as const,
          datasources: datasources.map(({ name, role }) => ({ name, role })),
        })),
        ...(routers ? { routers } : {}),
      }
    }),
    serve(routes.managerServiceStatus, async ({ params: { service = '' } }) => {
      manager.views(service)
      return serviceStatus({ manager, service, connector: (await askConnector?.()) ?? null })
    }),
    serve(routes.managerDatasourceStatus, async ({ params: { service = '', datasource: name = '' } }) => {
      const key = { service, name }
      manager.view(key)
      return dataSourceStatus({ manager, key, connector: (await askConnector?.()) ?? null })
    }),
    serve(routes.managerPing, async ({ params: { service = '', datasource: name = '' } }) => {
      const key = { service, name }
      manager.view(key)
      if (!manager.monitors) throw noMonitor()
      const observation = await manager.check(key)
      // To refuse our login is an answer, too.
      return { value: observation !== undefined && observation.kind !== 'failed' }
    }),
  ]
}

/** The connector of this host, if it has one. */
async function routersOf(name: string, askConnector: ServedManager['askConnector']) {
  if (!askConnector) return []
  const status = await askConnector()
  return [{ name, connections: status && { active: status.active, created: status.created } }]
}
