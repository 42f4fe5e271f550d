import { connectorExamples } from '../../src/contracts/examples/connectorExamples.ts'
import { managerExamples } from '../../src/contracts/examples/managerExamples.ts'
import { replicatorExamples } from '../../src/contracts/examples/replicatorExamples.ts'

const since = '2025-03-10T10:12:18.250Z'

const healthy = {
  ...managerExamples.managerDatasourceStatus.response,
  ...{ since, by: 'manager', checkedAt: '2025-03-10T11:00:00.000Z' },
  ...{ connections: { active: 12, created: 512 }, seqno: 35 },
}

export const db1 = {
  ...healthy,
  name: 'db1',
  role: 'primary',
  state: 'ONLINE',
  host: '10.0.0.11',
  appliedLatency: null,
  follows: null,
}
export const db2 = {
  ...healthy,
  state: 'FAILED',
  host: 'fd00::12',
  reason: 'it refused the connection \u001b[31m',
  connections: null,
  seqno: null,
  appliedLatency: null,
}
export const db3 = {
  ...healthy,
  name: 'db3',
  state: 'SHUNNED',
  host: '10.0.0.13',
  by: 'admin',
  connections: { active: 0, created: 3 },
  appliedLatency: 3,
}

export const alpha = { ...managerExamples.managerServiceStatus.response, datasources: [db1, db2, db3] }

const entry = ({ name, role, state, host, port }: typeof db1 | typeof db2 | typeof db3) => ({
  name,
  host,
  port,
  role,
  state,
})

export const map = { services: [{ name: 'alpha', datasources: [db1, db2, db3].map(entry) }] }

export const twoServices = { services: [...map.services, { name: 'beta', datasources: [entry(db1)] }] }

export const managerStatus = {
  ...managerExamples.managerStatus.response,
  ...{ startTime: since, uptimeSeconds: 7384 },
}

export const connectorStatus = {
  ...connectorExamples.connectorStatus.response,
  ...{ value: 'ONHOLD', since, by: 'admin', held: 4, created: 515, expiresAt: '2025-03-10T10:13:18.250Z' },
  datasources: [
    { service: 'alpha', name: 'db1', active: 12, created: 512 },
    { service: 'alpha', name: 'db3', active: 0, created: 3 },
  ],
}

export const replication = {
  ...replicatorExamples.replicatorStatus.response.alpha,
  ...{ appliedLastSeqno: 35, appliedLatency: 3, dataServerHost: '127.0.0.1' },
}
