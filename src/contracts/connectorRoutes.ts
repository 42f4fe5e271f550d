import { ChangedConnectorStatusPayload, ConnectorStatusPayload } from './connectorPayloads.ts'
import { basePath, dryRun, type Route } from './route.ts'
import { servicesMapRoutes } from './servicesMapRoutes.ts'

const root = `${basePath}/connector` as const
/** A connector that follows a manager passes the calls of the map on to it. */
export const connectorMapRoutes = servicesMapRoutes('connector', [
  'no-database',
  'follows-manager',
  'manager-unreachable',
])

const changing = {
  method: 'POST',
  auth: 'basic',
  access: 'operate',
  guard: true,
  query: dryRun,
  request: null,
  tag: 'Connector',
} as const
const changed = {
  kind: 'payload',
  payloadType: 'ConnectorStatusPayload',
  payload: ChangedConnectorStatusPayload,
} as const
const problems = ['no-database', 'operation-running'] as const

/** The calls of the connector (contract.md, "Connector"). */
export const connectorRoutes = {
  connectorStatus: {
    name: 'connectorStatus',
    tag: 'Connector',
    method: 'GET',
    path: `${root}/status`,
    auth: 'basic',
    guard: false,
    summary:
      'Reads the state of the connector and counts its connections. Without a database it is OFFLINE, with a ' +
      'reason.',
    request: null,
    response: { kind: 'payload', payloadType: 'ConnectorStatusPayload', payload: ConnectorStatusPayload },
    problems: [],
  },
  connectorOnline: {
    ...changing,
    name: 'connectorOnline',
    path: `${root}/online`,
    summary: 'Accepts and forwards connections; releases held ones in order.',
    response: changed,
    problems,
  },
  connectorOnhold: {
    ...changing,
    name: 'connectorOnhold',
    path: `${root}/onhold`,
    summary:
      'Accepts new connections and holds them without a connection to the database; existing ones continue.',
    response: changed,
    problems,
  },
  connectorOffline: {
    ...changing,
    name: 'connectorOffline',
    path: `${root}/offline`,
    query: {
      immediate: {
        values: ['true', 'false'],
        description: 'true: close existing connections at once instead of letting them drain.',
      },
      ...dryRun,
    },
    summary:
      'Refuses new connections at once; existing ones drain until the configured timeout, or are closed at once.',
    response: changed,
    problems,
  },
  connectorServicesMap: connectorMapRoutes.servicesMap,
  connectorChangeServicesMap: connectorMapRoutes.changeServicesMap,
  connectorAddDataService: connectorMapRoutes.addDataService,
  connectorAddDataSource: connectorMapRoutes.addDataSource,
  connectorReset: connectorMapRoutes.reset,
} as const satisfies Readonly<Record<string, Route>>
