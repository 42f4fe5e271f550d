const since = '2025-03-10T10:12:18.250Z'

const healthy = {
  service: 'alpha',
  port: 3306,
  since,
  by: 'manager',
  code: null,
  reason: null,
  checkedAt: '2025-03-10T11:00:00.000Z',
  connections: { active: 12, created: 512 },
  seqno: 35,
  relativeLatency: null,
  follows: 'db1',
  standby: false,
  archive: false,
  witness: false,
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
  name: 'db2',
  role: 'replica',
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
  role: 'replica',
  state: 'SHUNNED',
  host: '10.0.0.13',
  by: 'admin',
  connections: { active: 0, created: 3 },
  appliedLatency: 3,
}

export const alpha = {
  name: 'alpha',
  type: 'physical',
  composite: false,
  multimaster: false,
  policy: 'AUTOMATIC',
  writer: { datasource: 'db1', code: null, reason: null, hold: false },
  datasources: [db1, db2, db3],
}

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
  dataServiceName: 'alpha',
  dataSourceName: 'db1',
  startTime: since,
  uptimeSeconds: 7384,
  state: 'ONLINE',
  isWitness: false,
  reason: null,
  managerPID: 4711,
  parentPID: 1,
  policyMode: 'AUTOMATIC',
  tlsEnabled: true,
  tlsCertificateExpiry: '2026-03-10T10:12:18.000Z',
}

export const connectorStatus = {
  value: 'ONHOLD',
  since,
  by: 'admin',
  reason: null,
  active: 12,
  held: 4,
  created: 515,
  expiresAt: '2025-03-10T10:13:18.250Z',
  datasources: [
    { service: 'alpha', name: 'db1', active: 12, created: 512 },
    { service: 'alpha', name: 'db3', active: 0, created: 3 },
  ],
}

export const replication = {
  role: 'replica',
  state: 'ONLINE',
  appliedLastSeqno: 35,
  appliedLatency: 3,
  relativeLatency: null,
  masterConnectUri: 'mysql://10.0.0.11:3306',
  receiver: 'running',
  applier: 'running',
  positioning: 'gtid',
  appliedLastEventId: 'bin.000002:1307',
  currentEventId: 'bin.000002:1307',
  pendingError: null,
  pendingErrorCode: null,
  pendingExceptionMessage: null,
  dataServerHost: '127.0.0.1',
  takenOffline: null,
}
