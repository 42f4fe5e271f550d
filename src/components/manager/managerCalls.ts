import type { ApiContext } from '../../api/apiContext.ts'
import { readyWith } from '../../api/calls/health.ts'
import { ProblemError } from '../../api/problemError.ts'
import { type Call, type ServedRoute, serve } from '../../api/serve.ts'
import { hasDatabase, withoutDatabase } from '../../contracts/component.ts'
import type { DataSourceOperation } from '../../contracts/dataSourceOperations.ts'
import type { Policy, StatusPayload } from '../../contracts/managerPayloads.ts'
import { managerRoutes as routes } from '../../contracts/managerRoutes.ts'
import type { Membership } from '../../contracts/serverSettings.ts'
import type { AskConnector } from './askConnector.ts'
import type { Manager } from './createManager.ts'
import type { DataSourceKey } from './dataSources.ts'
import { noMonitor } from './dataSourceTable.ts'
import { holdCalls } from './holdCalls.ts'
import { authorOf, mapCalls } from './mapCalls.ts'
import { bringServiceOnline, type Order, operate, takeServiceOffline } from './operate.ts'
import { dataSourceStatus, serviceStatus } from './statusPayloads.ts'
import { describeRepoint } from './switch/repointSource.ts'
import { switchCalls } from './switch/switchCalls.ts'
import type { Switcher } from './switch/switcher.ts'

/** Readiness of every component and of the manager's own work. A failed data source is no reason against it. */
export const readyToManage = (manager: Manager): ServedRoute =>
  readyWith(() => ({ reasons: manager.notReadyReasons() }))

/** A manager with the identity and the connector of its host. */
export type ServedManager = {
  readonly manager: Manager
  readonly identity: {
    readonly cluster: string
    readonly host: string
    /** The service of this host and its data source there. */
    readonly member: Membership
    readonly parentPid: () => number
  }
  /** Absent where the host has no connector. */
  readonly askConnector: AskConnector | undefined
  /** Absent where the host has no connector. */
  readonly updateConnector?: (() => Promise<void>) | undefined
  /** Absent where the manager has no account to switch primaries with. */
  readonly switcher?: Switcher | undefined
}

/**
 * Lets a data source that is to be recovered follow the writer, where it follows nobody or somebody else. Returns false where it
 * does. Throws a `wrong-state` problem with what it would do where the caller did not ask for it.
 */
async function repointFirst(
  { manager, switcher }: ServedManager,
  key: DataSourceKey,
  { query, audit }: Pick<Call, 'query' | 'audit'>,
): Promise<boolean> {
  const words = switcher && describeRepoint(manager, key)
  if (query.repoint !== undefined) audit({ parameters: { repoint: query.repoint } })
  if (words === undefined) return false
  if (query.repoint === undefined) {
    // By this tapi knows that it may offer it.
    const errors = [{ path: '?repoint', message: 'is missing' }]
    throw new ProblemError({ code: 'wrong-state', detail: words, errors })
  }
  await switcher?.repoint(key)
  return true
}

/** The calls of a manager, beside the common ones. */
export function managerCalls(served: ServedManager): readonly ServedRoute[] {
  const { manager, askConnector } = served
  const orderOf = (operation: DataSourceOperation, { caller, audit }: Call<null>): Order => ({
    manager,
    operation,
    by: authorOf(caller),
    audit,
  })
  /** Read first, so that the states in a response are those that the call has just set. */
  const connectorStatus = async () => (await askConnector?.()) ?? null

  /** Responds once the connector of the host forwards by the change, also by one of a call just before. */
  const onceInEffect = async <Answer>(answer: Answer): Promise<Answer> => {
    await served.updateConnector?.()
    return answer
  }

  const onDataSource = (operation: DataSourceOperation) => async (call: Call<null>) => {
    const { service = '', datasource: name = '' } = call.params
    const key = { service, name }
    const connector = await connectorStatus()
    const isRepointed = operation === 'recover' && (await repointFirst(served, key, call))
    const changed = (await operate(orderOf(operation, call), key)) || isRepointed
    return onceInEffect({ ...dataSourceStatus({ manager, key, connector }), changed })
  }
  const onService =
    (operation: DataSourceOperation, work: (order: Order, service: string) => boolean | Promise<boolean>) =>
    async (call: Call<null>) => {
      const { service = '' } = call.params
      const connector = await connectorStatus()
      let changed: boolean
      try {
        changed = await work(orderOf(operation, call), service)
      } catch (error) {
        // Some of them may have changed all the same.
        await onceInEffect(undefined)
        throw error
      }
      return onceInEffect({ ...serviceStatus({ manager, service, connector }), changed })
    }
  const setPolicy = (policy: Policy) => async (call: Call<null>) => {
    const { service = '' } = call.params
    const connector = await connectorStatus()
    const before = manager.policy(service)
    const changed = manager.setPolicy(service, policy)
    call.audit({ before, after: policy, changed })
    return { ...serviceStatus({ manager, service, connector }), changed }
  }

  return [
    ...readCalls(served),
    serve(routes.managerServiceOffline, onService('offline', takeServiceOffline)),
    serve(routes.managerServiceOnline, onService('online', bringServiceOnline)),
    serve(routes.managerOffline, onDataSource('offline')),
    serve(routes.managerOnline, onDataSource('online')),
    serve(routes.managerShun, onDataSource('shun')),
    serve(routes.managerWelcome, onDataSource('welcome')),
    serve(routes.managerRecover, onDataSource('recover')),
    serve(routes.managerAutomatic, setPolicy('AUTOMATIC')),
    serve(routes.managerManual, setPolicy('MANUAL')),
    serve(routes.managerMaintenance, setPolicy('MAINTENANCE')),
    ...switchCalls(served.switcher),
    ...holdCalls(manager, onceInEffect),
    ...mapCalls(manager, onceInEffect),
  ]
}

/** Returns why the manager cannot do its work; null if it can. */
function reasonOf(manager: Manager): string | null {
  const { services } = manager.map()
  const idle = hasDatabase({ component: 'manager', services })
    ? manager.isMonitoring
      ? []
      : ['not monitoring: monitor-user is not set']
    : [withoutDatabase.manager]
  const reasons = [...idle, ...manager.notReadyReasons()]
  return reasons.length > 0 ? reasons.join('; ') : null
}

/** Returns the status of the manager. A service that is no longer in the map has the default policy. */
export function managerStatus(
  { manager, identity }: Pick<ServedManager, 'manager' | 'identity'>,
  context: Pick<ApiContext, 'uptime' | 'now' | 'pid' | 'certificate'>,
): StatusPayload {
  const { member, parentPid } = identity
  const uptime = Math.floor(context.uptime() / 1000)
  const certificate = context.certificate?.()
  const isMapped = manager.map().services.some(({ name }) => name === member.service)
  return {
    dataServiceName: member.service,
    dataSourceName: member.datasource,
    startTime: new Date(context.now().getTime() - context.uptime()).toISOString(),
    uptimeSeconds: uptime,
    state: manager.isMonitoring ? 'ONLINE' : 'OFFLINE',
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
function readCalls(served: ServedManager): readonly ServedRoute[] {
  const { manager, identity, askConnector } = served
  return [
    serve(routes.managerStatus, (_call, context) => managerStatus(served, context)),
    serve(routes.managerTopology, async ({ query }) => {
      const routers = query.includeRouters === 'no' ? undefined : await routersOf(identity.host, askConnector)
      return {
        topology: 'clustered' as const,
        name: identity.cluster,
        services: manager.map().services.map(({ name: service, datasources }) => ({
          name: service,
          role: 'primary' as const,
          datasources: datasources.map(({ name }) => ({
            name,
            role: manager.assessment({ service, name }).role,
          })),
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
      if (!manager.isMonitoring) throw noMonitor()
      const checked = await manager.check(key)
      // A refused login is a response, too.
      return { value: checked !== undefined && checked.observation.kind !== 'failed' }
    }),
  ]
}

/** Returns the connector of this host, if it has one. */
async function routersOf(name: string, askConnector: ServedManager['askConnector']) {
  if (!askConnector) return []
  const status = await askConnector()
  return [{ name, connections: status && { active: status.active, created: status.created } }]
}
