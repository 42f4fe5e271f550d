import type { ApiContext } from '../../api/apiContext.ts'
import { readyWith } from '../../api/calls/health.ts'
import { ProblemError } from '../../api/problemError.ts'
import { type Call, isDry, type ServedRoute, serve } from '../../api/serve.ts'
import { withDot } from '../../base/words.ts'
import { hasDatabase, withoutDatabase } from '../../contracts/component.ts'
import type { DataSourceOperation } from '../../contracts/dataSourceOperations.ts'
import type { Policy, StatusPayload } from '../../contracts/managerPayloads.ts'
import { dataSourceRoutes, policyRoutes, managerRoutes as routes } from '../../contracts/managerRoutes.ts'
import { callOf } from '../../contracts/routeCall.ts'
import type { Membership } from '../../contracts/serverSettings.ts'
import type { AskConnector, UpdateConnector } from './askConnector.ts'
import type { Manager } from './createManager.ts'
import type { DataSourceKey } from './dataSources.ts'
import { noMonitor } from './dataSourceTable.ts'
import { mapCalls, type OnceSeen } from './mapCalls.ts'
import {
  applyOperation,
  bringServiceOnline,
  checkOperation,
  type Order,
  takeServiceOffline,
} from './operate.ts'
import { authorOf, createSharedChanges, type Reach } from './sharedChanges.ts'
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
  readonly updateConnector?: UpdateConnector | undefined
  /** Absent where the manager has no account to switch primaries with. */
  readonly switcher?: Switcher | undefined
  /** The other managers of the service, which get every change, too; absent where it knows none. */
  readonly others?: Parameters<typeof createSharedChanges>[0]['others']
}

/** Returns what a data source would have to follow instead, to be recovered; undefined where it follows the writer. */
const describeNeededRepoint = (
  { manager, switcher }: ServedManager,
  key: DataSourceKey,
): string | undefined => switcher && describeRepoint(manager, key)

/**
 * Throws a `wrong-state` problem where a data source that is to be recovered follows nobody or somebody else, and the
 * caller did not ask to let it follow the writer. Another manager that leads the change lets it follow itself.
 */
function refuseUnasked(served: ServedManager, key: DataSourceKey, { query }: Pick<Call, 'query'>): void {
  const words = describeNeededRepoint(served, key)
  if (words === undefined || query.repoint !== undefined || query.change !== undefined) return
  // By this tapi knows that it may offer it.
  const errors = [{ path: '?repoint', message: 'is missing' }]
  throw new ProblemError({ code: 'wrong-state', detail: words, errors })
}

/** Lets a data source follow the writer, where it follows nobody or somebody else; resolves to false where it does. */
async function repointFirst(served: ServedManager, key: DataSourceKey): Promise<boolean> {
  if (describeNeededRepoint(served, key) === undefined) return false
  await served.switcher?.repoint(key)
  return true
}

/** Returns what responds once the connector of the host forwards by a change, also by one of a call just before. */
export const onceInEffectOf =
  ({ updateConnector }: Pick<ServedManager, 'updateConnector'>) =>
  async <Answer>(answer: Answer): Promise<Answer> => {
    await updateConnector?.()
    return answer
  }

/** The calls of a manager, beside the common ones. */
export function managerCalls(served: ServedManager): readonly ServedRoute[] {
  const { manager, askConnector, others, identity } = served
  const shared = createSharedChanges({ manager, host: identity.host, others })
  const orderOf = (operation: DataSourceOperation, { caller, audit }: Call<null>): Order => ({
    manager,
    operation,
    by: authorOf(caller),
    audit,
  })
  /** Read first, so that the states in a response are those that the call has just set. */
  const connectorStatus = async () => (await askConnector?.()) ?? null

  const onceInEffect = onceInEffectOf(served)
  /** Returns the answer of a change then, and names the connector in it where that is not known to act on it. */
  const onceSeen: OnceSeen = async (call, answer) => {
    if (isDry(call)) return answer
    const reason = await served.updateConnector?.()
    if (reason === undefined) return answer
    const remark = `The connector of ${identity.host} is not known to act on the change yet: ${withDot(reason)}`
    return { ...answer, remarks: [...(answer.remarks ?? []), remark] }
  }

  /** Changes one data source at all managers. */
  const changeDataSource = (
    call: Call<null>,
    { operation, key }: { operation: DataSourceOperation; key: DataSourceKey },
  ): Promise<Reach> => {
    const order = orderOf(operation, call)
    const route = dataSourceRoutes[operation]
    const { service, name: datasource } = key
    const isRecovered = operation === 'recover'
    if (call.query.repoint !== undefined) call.audit({ parameters: { repoint: call.query.repoint } })
    return shared.make(call, {
      order: (query) => ({ route, call: callOf(route, { service, datasource }, { query }) }),
      ...((operation === 'shun' || operation === 'offline') && { without: new Set([key.name]) }),
      check: async () => {
        if (isRecovered) refuseUnasked(served, key, call)
        const isOther = await checkOperation(order, key)
        return isOther || (isRecovered && describeNeededRepoint(served, key) !== undefined)
      },
      ...(isRecovered && call.query.change === undefined && { before: () => repointFirst(served, key) }),
      apply: () => applyOperation(order, key),
    })
  }
  const onDataSource = (operation: DataSourceOperation) => async (call: Call<null>) => {
    const { service = '', datasource: name = '' } = call.params
    const key = { service, name }
    const connector = await connectorStatus()
    const reach = await changeDataSource(call, { operation, key })
    return onceSeen(call, { ...dataSourceStatus({ manager, key, connector }), ...reach })
  }
  const onService =
    (
      operation: DataSourceOperation,
      work: (order: Order, service: string, call: Call<null>) => Promise<Reach>,
    ) =>
    async (call: Call<null>) => {
      const { service = '' } = call.params
      const connector = await connectorStatus()
      let reach: Reach
      try {
        reach = await work(orderOf(operation, call), service, call)
      } catch (error) {
        // Some of them may have changed all the same.
        await onceInEffect(undefined)
        throw error
      }
      return onceSeen(call, { ...serviceStatus({ manager, service, connector }), ...reach })
    }
  const takeOffline = (order: Order, service: string, call: Call<null>): Promise<Reach> => {
    const route = routes.managerServiceOffline
    return shared.make(call, {
      order: (query) => ({ route, call: callOf(route, { service }, { query }) }),
      check: () => manager.views(service).some(({ state }) => state === 'ONLINE'),
      apply: () => takeServiceOffline(order, service),
    })
  }
  const bringOnline = async (order: Order, service: string, call: Call<null>): Promise<Reach> => {
    // The check of a database is part of bringing it online.
    if (isDry(call)) return { changed: manager.views(service).some(({ state }) => state === 'OFFLINE') }
    if (!shared.isLed(call)) return { changed: await bringServiceOnline(order, service) }
    const reaches: Reach[] = []
    const nobody = { ...call, audit: () => undefined }
    const changed = await bringServiceOnline(order, service, async (key) => {
      const reach = await changeDataSource(nobody, { operation: 'online', key })
      reaches.push(reach)
      return reach.changed
    })
    const remarks = [...new Set(reaches.flatMap((it) => it.remarks ?? []))]
    const managers = reaches.at(-1)?.managers
    return { changed, ...(managers && { managers }), ...(remarks.length > 0 && { remarks }) }
  }
  const setPolicy = (policy: Policy) => async (call: Call<null>) => {
    const { service = '' } = call.params
    const connector = await connectorStatus()
    const before = manager.policy(service)
    const route = policyRoutes[policy]
    const reach = await shared.make(call, {
      order: (query) => ({ route, call: callOf(route, { service }, { query }) }),
      check: () => manager.policy(service) !== policy,
      apply: () => manager.setPolicy(service, policy),
    })
    call.audit({ before, ...(isDry(call) ? {} : { after: policy, changed: reach.changed }) })
    return { ...serviceStatus({ manager, service, connector }), ...reach }
  }

  return [
    ...readCalls(served),
    serve(routes.managerServiceOffline, onService('offline', takeOffline)),
    serve(routes.managerServiceOnline, onService('online', bringOnline)),
    serve(routes.managerOffline, onDataSource('offline')),
    serve(routes.managerOnline, onDataSource('online')),
    serve(routes.managerShun, onDataSource('shun')),
    serve(routes.managerWelcome, onDataSource('welcome')),
    serve(routes.managerRecover, onDataSource('recover')),
    serve(routes.managerAutomatic, setPolicy('AUTOMATIC')),
    serve(routes.managerManual, setPolicy('MANUAL')),
    serve(routes.managerMaintenance, setPolicy('MAINTENANCE')),
    serve(routes.managerUndo, ({ params: { change = '' }, caller, audit }) => {
      const changed = shared.undo(change, authorOf(caller))
      audit({ changed })
      return onceInEffect({ value: true, changed })
    }),
    ...switchCalls(served.switcher),
    ...mapCalls(manager, { onceSeen, shared }),
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
