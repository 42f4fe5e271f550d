import type { ConnectorMode, ConnectorStatusPayload } from '../connectorPayloads.ts'
import type { connectorRoutes } from '../connectorRoutes.ts'
import { type ExamplesOf, mapExamples } from './examplesOf.ts'

const status: ConnectorStatusPayload = {
  value: 'ONLINE',
  since: '2025-03-10T10:12:18.000Z',
  by: 'installation',
  reason: null,
  active: 12,
  held: 0,
  created: 4711,
  expiresAt: null,
  datasources: [
    { service: 'alpha', name: 'db1', active: 4, created: 1207 },
    { service: 'alpha', name: 'db2', active: 8, created: 3504 },
  ],
}

const changedTo = (value: ConnectorMode) => ({
  response: { ...status, value, since: '2025-03-11T08:30:00.000Z', by: 'admin', changed: true },
})

export const connectorExamples: ExamplesOf<typeof connectorRoutes> = {
  connectorStatus: { response: status },
  connectorOnline: changedTo('ONLINE'),
  connectorOnhold: changedTo('ONHOLD'),
  connectorOffline: changedTo('OFFLINE'),
  connectorServicesMap: mapExamples.servicesMap,
  connectorChangeServicesMap: mapExamples.changeServicesMap,
  connectorAddDataService: mapExamples.addDataService,
  connectorAddDataSource: mapExamples.addDataSource,
  connectorReset: mapExamples.reset,
}
