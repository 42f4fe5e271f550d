import type {
  DatasourceStatusPayload,
  Policy,
  ServiceStatusPayload,
  TaskPayload,
} from '../managerPayloads.ts'
import type { managerRoutes } from '../managerRoutes.ts'
import type { RecordedState } from '../servicesMap.ts'
import { type ExamplesOf, mapExamples } from './examplesOf.ts'

const primary: DatasourceStatusPayload = {
  name: 'db1',
  service: 'alpha',
  role: 'primary',
  state: 'ONLINE',
  host: '10.0.0.11',
  port: 3306,
  since: '2025-03-10T10:12:18.000Z',
  by: 'installation',
  code: null,
  reason: null,
  checkedAt: '2025-03-11T08:30:00.000Z',
  connections: { active: 4, created: 1207 },
  seqno: 80_211,
  appliedLatency: null,
  relativeLatency: null,
  follows: null,
  standby: false,
  archive: false,
  witness: false,
}
const replica: DatasourceStatusPayload = {
  ...primary,
  name: 'db2',
  role: 'replica',
  host: '10.0.0.12',
  connections: { active: 8, created: 3504 },
  appliedLatency: 0,
  follows: 'db1',
}

const service: ServiceStatusPayload = {
  name: 'alpha',
  type: 'physical',
  composite: false,
  multimaster: false,
  policy: 'AUTOMATIC',
  writer: { datasource: 'db1', code: null, reason: null, hold: false },
  failover: { automatic: true, reason: null },
  datasources: [primary, replica],
}

const task: TaskPayload = {
  taskId: '1f0ff1f0-93f6-4b1c-8f0e-3f1a5b8b0c55',
  state: 'in_progress',
  operation: 'switch',
  service: 'alpha',
  step: 'check',
  startedAt: '2025-03-11T08:30:00.000Z',
  endedAt: null,
  result: null,
  error: null,
}

const changed = { since: '2025-03-11T08:30:00.000Z', by: 'admin' }
const allTo = (state: RecordedState) => ({
  response: {
    ...service,
    datasources: service.datasources.map((it) => ({ ...it, ...changed, state })),
    changed: true,
  },
})
const oneTo = (state: RecordedState) => ({ response: { ...replica, ...changed, state, changed: true } })
const policyTo = (policy: Policy) => ({ response: { ...service, policy, changed: true } })

export const managerExamples: ExamplesOf<typeof managerRoutes> = {
  managerStatus: {
    response: {
      dataServiceName: 'alpha',
      dataSourceName: 'db1',
      startTime: '2025-03-10T10:12:18.000Z',
      uptimeSeconds: 80_262,
      state: 'ONLINE',
      reason: null,
      isWitness: false,
      managerPID: 4711,
      parentPID: 1,
      policyMode: 'AUTOMATIC',
      tlsEnabled: true,
      tlsCertificateExpiry: '2026-03-10T10:12:18.000Z',
    },
  },
  managerTopology: {
    response: {
      topology: 'clustered',
      name: 'alpha',
      services: [
        {
          name: 'alpha',
          role: 'primary',
          datasources: [
            { name: 'db1', role: 'primary' },
            { name: 'db2', role: 'replica' },
          ],
        },
      ],
      routers: [{ name: 'db1', connections: { active: 12, created: 4711 } }],
    },
  },
  managerServiceStatus: { response: service },
  managerDatasourceStatus: { response: replica },
  managerEvents: {
    response: {
      kind: 'datasource',
      time: '2025-03-11T08:30:00.412Z',
      datasource: {
        ...replica,
        since: '2025-03-11T08:30:00.412Z',
        by: 'manager',
        state: 'FAILED',
        reason: 'The database 10.0.0.12:3306 cannot be reached: nothing listens there. Start the database.',
        seqno: null,
        appliedLatency: null,
      },
    },
  },
  managerPing: { response: { value: true } },
  managerServiceOffline: allTo('OFFLINE'),
  managerServiceOnline: allTo('ONLINE'),
  managerOffline: oneTo('OFFLINE'),
  managerOnline: oneTo('ONLINE'),
  managerShun: oneTo('SHUNNED'),
  managerWelcome: oneTo('ONLINE'),
  managerRecover: oneTo('OFFLINE'),
  managerAutomatic: policyTo('AUTOMATIC'),
  managerManual: policyTo('MANUAL'),
  managerMaintenance: policyTo('MAINTENANCE'),
  managerSwitchPlan: { response: { service: 'alpha', from: 'db1', to: 'db2', loss: null, refusals: [] } },
  managerSwitch: { response: task },
  managerFailoverPlan: {
    response: {
      ...{ service: 'alpha', from: 'db1', to: 'db2', refusals: [] },
      loss: 'db2 has all that db1 told at its last check. What db1 committed after it is lost, where no server received it.',
    },
  },
  managerFailover: { response: { ...task, operation: 'failover' } },
  managerTask: {
    response: {
      ...task,
      state: 'complete',
      step: 'verify',
      endedAt: '2025-03-11T08:30:00.140Z',
      result: { oldPrimary: 'db1', newPrimary: 'db2', heldMilliseconds: 96, remarks: [] },
    },
  },
  managerUndo: { response: { value: true, changed: true } },
  managerServicesMap: mapExamples.servicesMap,
  managerChangeServicesMap: mapExamples.changeServicesMap,
  managerAddDataService: mapExamples.addDataService,
  managerAddDataSource: mapExamples.addDataSource,
  managerReset: mapExamples.reset,
}
