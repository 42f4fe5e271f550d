import type { ApiContext } from '../../api/apiContext.ts'
import { readyWith } from '../../api/calls/health.ts'
import { ProblemError } from '../../api/problemError.ts'
import { type Call, isDry, type ServedRoute, serve } from '../../api/serve.ts'
import { withoutDatabase } from '../../contracts/component.ts'
import type { ConnectorMode, ConnectorStatusPayload } from '../../contracts/connectorPayloads.ts'
import { connectorRoutes as routes } from '../../contracts/connectorRoutes.ts'
import { hostRoutes } from '../../contracts/hostRoutes.ts'
import { managerRoutes } from '../../contracts/managerRoutes.ts'
import type { DataSourceEntry } from '../../contracts/servicesMap.ts'
import { unreachable } from '../callManager.ts'
import { addDataSource, addService, replaceMap } from '../editMap.ts'
import type { Connector } from './createConnector.ts'
import type { PassOn } from './passOn.ts'
import { type MapInEffect, withoutStates } from './routing.ts'

/**
 * Readiness of every component, and of forwarding or holding clients of the database. Whoever asks
 * this learns of OFFLINE, which an attempt to connect would not show.
 */
export const readyToForward = (connector: Connector): ServedRoute =>
  readyWith(() => ({
    reasons: [connector.notReadyReason() ?? []].flat(),
    notes: [connector.degradedReason() ?? []].flat(),
  }))

type ServiceEntry = { name: string; datasources: DataSourceEntry[] }

const noDatabase = (): ProblemError =>
  new ProblemError({
    code: 'no-database',
    detail:
      `${withoutDatabase.connector}. Set datasource-type for the hosts of a service that this host is a ` +
      'connector of, and install again.',
  })

/** State of a connector without a database: it is so since the process started. */
const idleStatus = ({ now, uptime }: Pick<ApiContext, 'now' | 'uptime'>): ConnectorStatusPayload => ({
  value: 'OFFLINE',
  since: new Date(now().getTime() - uptime()).toISOString(),
  by: 'installation',
  reason: withoutDatabase.connector,
  active: 0,
  held: 0,
  created: 0,
  expiresAt: null,
  datasources: [],
})

/** Returns the entries of a payload, with arrays of their own. */
const entriesOf = ({ services }: MapInEffect): ServiceEntry[] =>
  services.map(({ name, datasources }) => ({ name, datasources: [...datasources] }))

const serviceOf = (map: MapInEffect, name: string): ServiceEntry | undefined =>
  entriesOf(map).find((it) => it.name === name)

/** Returns the call with which the manager of the host puts a change into effect at once. */
export const followedRouting = (
  connector: Connector,
  askManager: () => Promise<{ readonly reason: string } | undefined>,
): ServedRoute =>
  serve(hostRoutes.followedRouting, async () => {
    const problem = await askManager()
    if (problem) throw unreachable(`It does not hear from the manager of its host. ${problem.reason}`)
    const { services } = connector.routing()
    return { services: services.map((it) => ({ ...it, datasources: [...it.datasources] })) }
  })

/**
 * The calls of a connector; without one status is OFFLINE, and every other call a `no-database` problem. Where there is
 * a manager, those of the map are its.
 */
export function connectorCalls(connector: Connector | undefined, passOn?: PassOn): readonly ServedRoute[] {
  const opened = (): Connector => {
    if (!connector) throw noDatabase()
    return connector
  }
  const change =
    (to: ConnectorMode) =>
    (call: Call<null>): ConnectorStatusPayload & { readonly changed: boolean } => {
      const { caller, query, audit } = call
      const immediate = query.immediate === 'true'
      if (query.immediate !== undefined) audit({ parameters: { immediate } })
      return opened().change({ to, immediate, caller, audit, dry: isDry(call) })
    }

  return [
    serve(routes.connectorStatus, (_call, context) => connector?.status() ?? idleStatus(context)),
    serve(routes.connectorOnline, change('ONLINE')),
    serve(routes.connectorOnhold, change('ONHOLD')),
    serve(routes.connectorOffline, change('OFFLINE')),
    ...(passOn ? passedCalls(passOn) : ownMapCalls(opened)),
  ]
}

const passedCalls = (passOn: PassOn): readonly ServedRoute[] => [
  serve(routes.connectorServicesMap, (call) => passOn(call, managerRoutes.managerServicesMap)),
  serve(routes.connectorChangeServicesMap, (call) => passOn(call, managerRoutes.managerChangeServicesMap)),
  serve(routes.connectorAddDataService, (call) => passOn(call, managerRoutes.managerAddDataService)),
  serve(routes.connectorAddDataSource, (call) => passOn(call, managerRoutes.managerAddDataSource)),
  serve(routes.connectorReset, (call) => passOn(call, managerRoutes.managerReset)),
]

/** Returns true for a change that is only to be tried; `peers=check` asks this connector alone, since it has no others. */
const isTried = (call: Pick<Call, 'query'>): boolean => isDry(call) || call.query.peers === 'check'

/** The calls of the map that the connector itself keeps. */
const ownMapCalls = (opened: () => Connector): readonly ServedRoute[] => [
  serve(routes.connectorServicesMap, () => ({ services: entriesOf(opened().map()) })),
  serve(routes.connectorChangeServicesMap, (call) => {
    const { body, audit } = call
    const it = opened()
    const next = body.payload
    audit({ parameters: next, before: withoutStates(it.map()) })
    const { map, inEffect, changed } = it.changeMap((old) => replaceMap(old, next), isTried(call))
    audit({ after: map })
    return { services: entriesOf(inEffect), changed }
  }),
  serve(routes.connectorAddDataService, (call) => {
    const { body, audit } = call
    const wanted = body.payload
    audit({ parameters: wanted, before: serviceOf(opened().map(), wanted.name) ?? null })
    const { inEffect, changed } = opened().changeMap((old) => addService(old, wanted), isTried(call))
    const after = serviceOf(inEffect, wanted.name) ?? { name: wanted.name, datasources: [] }
    audit({ after })
    return { ...after, changed }
  }),
  serve(routes.connectorAddDataSource, (call) => {
    const { body, audit } = call
    const wanted = body.payload
    const sourceIn = (map: MapInEffect): DataSourceEntry | undefined =>
      serviceOf(map, wanted.service)?.datasources.find(({ name }) => name === wanted.name)
    audit({ parameters: wanted, before: sourceIn(opened().map()) ?? null })
    const { inEffect, changed } = opened().changeMap((old) => addDataSource(old, wanted), isTried(call))
    const after = sourceIn(inEffect)
    audit({ after })
    return { ...wanted, state: after?.state ?? 'UNKNOWN', changed }
  }),
  serve(routes.connectorReset, (call) => {
    const { audit } = call
    const it = opened()
    audit({ before: withoutStates(it.map()) })
    const { map, inEffect, changed } = it.reset(isTried(call))
    audit({ after: map })
    return { services: entriesOf(inEffect), changed }
  }),
]
