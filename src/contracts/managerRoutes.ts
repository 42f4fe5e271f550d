import { acceptableReasons } from './choices.ts'
import { BooleanPayload, ChangePayload } from './commonPayloads.ts'
import type { DataSourceOperation } from './dataSourceOperations.ts'
import {
  ChangedDatasourceStatusPayload,
  ChangedServiceStatusPayload,
  ClusterTopologyPayload,
  DatasourceStatusPayload,
  ManagerEventPayload,
  type Policy,
  ServiceStatusPayload,
  StatusPayload,
  type SwitchOperation,
  SwitchPlanPayload,
  TaskPayload,
  taskIdPattern,
} from './managerPayloads.ts'
import { basePath, type Route } from './route.ts'
import { mapNamePattern } from './servicesMap.ts'
import { servicesMapRoutes, sharedProblems, sharedQuery } from './servicesMapRoutes.ts'

const root = `${basePath}/manager` as const
const service = `${root}/control/service/{service}` as const
const dataSource = `${service}/datasource/{datasource}` as const
export const managerMapRoutes = servicesMapRoutes('manager', [])

const to = {
  values: { pattern: mapNamePattern },
  description: 'The data source that becomes the primary; without it the one that is the least behind.',
}

const reason = acceptableReasons.join('|')

const accept = {
  values: { pattern: `^(${reason})(,(${reason}))*$` },
  description:
    'Reasons against the switch that the caller accepts, with commas between them. filter: replication leaves ' +
    'something out. binary-log-filter: so does a binary log. skipped-errors, idempotent: replication overlooks errors. ' +
    'events: the event scheduler of the old primary goes on.',
}

const taskId = {
  values: { pattern: taskIdPattern },
  description: 'Id of the task, by which a caller finds it whose response was lost; without it a new one.',
}

const wait = {
  values: { pattern: '^[0-9]{1,4}$' },
  description: 'Milliseconds that the response waits for the end of the task.',
}

const reading = { method: 'GET', auth: 'basic', guard: false, request: null } as const
const changing = { method: 'POST', auth: 'basic', access: 'operate', guard: true, request: null } as const
/** Of a change that all managers of the service get. */
const shared = { ...changing, query: sharedQuery } as const
const changedService = {
  kind: 'payload',
  payloadType: 'ServiceStatusPayload',
  payload: ChangedServiceStatusPayload,
} as const
const changedDataSource = {
  kind: 'payload',
  payloadType: 'DatasourceStatusPayload',
  payload: ChangedDatasourceStatusPayload,
} as const
const problems = ['not-found', 'operation-running', 'wrong-state'] as const
const sharedWays = ['not-found', ...sharedProblems] as const
/** Of calls that check a database before they change anything. */
const checkProblems = ['database-refused', 'database-unreachable', 'database-timeout'] as const

/** Of a switch and a failover. */
const primaryPlan = {
  ...reading,
  tag: 'Services',
  query: { to, accept },
  response: { kind: 'payload', payloadType: 'SwitchPlanPayload', payload: SwitchPlanPayload },
  problems: ['not-found', 'no-database'],
} as const
const primaryChange = {
  ...changing,
  tag: 'Services',
  query: { to, accept, id: taskId, wait },
  response: { kind: 'payload', payloadType: 'TaskPayload', payload: TaskPayload },
  problems: [...problems, 'no-database', 'manager-unreachable', ...checkProblems],
} as const

/** The calls of the manager (contract.md, "Manager"). */
export const managerRoutes = {
  managerStatus: {
    ...reading,
    name: 'managerStatus',
    tag: 'Status',
    path: `${root}/status`,
    summary: 'Reads the state of the manager itself.',
    response: { kind: 'payload', payloadType: 'StatusPayload', payload: StatusPayload },
    problems: [],
  },
  managerTopology: {
    ...reading,
    name: 'managerTopology',
    tag: 'Status',
    path: `${root}/cluster/topology`,
    query: {
      includeRouters: { values: ['yes', 'no'], description: 'no: leave the connector of this host out.' },
    },
    summary: 'Lists services, data sources and the connector of this host.',
    response: { kind: 'payload', payloadType: 'ClusterTopologyPayload', payload: ClusterTopologyPayload },
    problems: [],
  },
  managerServiceStatus: {
    ...reading,
    name: 'managerServiceStatus',
    tag: 'Status',
    path: `${root}/status/service/{service}`,
    summary: 'Reads the state of a service and of its data sources.',
    response: { kind: 'payload', payloadType: 'ServiceStatusPayload', payload: ServiceStatusPayload },
    problems: ['not-found'],
  },
  managerDatasourceStatus: {
    ...reading,
    name: 'managerDatasourceStatus',
    tag: 'Status',
    path: `${root}/status/service/{service}/datasource/{datasource}`,
    summary: 'Reads the state of a data source.',
    response: { kind: 'payload', payloadType: 'DatasourceStatusPayload', payload: DatasourceStatusPayload },
    problems: ['not-found'],
  },
  managerEvents: {
    ...reading,
    name: 'managerEvents',
    tag: 'Status',
    path: `${root}/events`,
    summary:
      'Sends everything that the manager knows, then each change as it sees it (server-sent events), and a comment at ' +
      'least every 15 s. With the header Last-Event-ID it goes on after that event, or with a new snapshot.',
    response: { kind: 'events', payloadType: 'ManagerEventPayload', payload: ManagerEventPayload },
    problems: [],
  },
  managerPing: {
    ...reading,
    name: 'managerPing',
    tag: 'Status',
    path: `${root}/service/{service}/datasource/{datasource}/ping`,
    summary: 'Checks whether the data source responds.',
    response: { kind: 'payload', payloadType: 'BooleanPayload', payload: BooleanPayload },
    problems: ['not-found', 'no-database'],
  },
  managerServiceOffline: {
    ...shared,
    name: 'managerServiceOffline',
    tag: 'Services',
    path: `${service}/offline`,
    summary: 'Takes every online data source of a service offline.',
    response: changedService,
    problems: sharedWays,
  },
  managerServiceOnline: {
    ...shared,
    name: 'managerServiceOnline',
    tag: 'Services',
    path: `${service}/online`,
    summary: 'Brings every offline data source of a service online.',
    response: changedService,
    problems: sharedWays,
  },
  managerOffline: {
    ...shared,
    name: 'managerOffline',
    tag: 'Data sources',
    path: `${dataSource}/offline`,
    summary:
      'Takes an online data source offline. Under AUTOMATIC it comes back by itself; shun keeps it out.',
    response: changedDataSource,
    problems: sharedWays,
  },
  managerOnline: {
    ...shared,
    name: 'managerOnline',
    tag: 'Data sources',
    path: `${dataSource}/online`,
    summary: 'Brings an offline data source online, if it passes its check.',
    response: changedDataSource,
    problems: [...sharedWays, ...checkProblems],
  },
  managerShun: {
    ...shared,
    name: 'managerShun',
    tag: 'Data sources',
    path: `${dataSource}/shun`,
    summary: 'Keeps a data source out until it is welcomed back.',
    response: changedDataSource,
    problems: sharedWays,
  },
  managerWelcome: {
    ...shared,
    name: 'managerWelcome',
    tag: 'Data sources',
    path: `${dataSource}/welcome`,
    summary: 'Brings a shunned data source back online, if it passes its check.',
    response: changedDataSource,
    problems: [...sharedWays, ...checkProblems],
  },
  managerRecover: {
    ...shared,
    name: 'managerRecover',
    tag: 'Data sources',
    path: `${dataSource}/recover`,
    query: {
      ...sharedQuery,
      repoint: {
        values: ['yes'],
        description: 'yes: let a healthy server that follows the wrong source follow the primary by GTID.',
      },
    },
    summary: 'Makes a failed or shunned data source offline; under AUTOMATIC it then comes online by itself.',
    response: changedDataSource,
    problems: sharedWays,
  },
  managerAutomatic: {
    ...shared,
    name: 'managerAutomatic',
    tag: 'Policies',
    path: `${service}/policy/automatic`,
    summary:
      'Monitors, fences failed data sources and brings them back. Does not make another server the primary.',
    response: changedService,
    problems: sharedWays,
  },
  managerManual: {
    ...shared,
    name: 'managerManual',
    tag: 'Policies',
    path: `${service}/policy/manual`,
    summary: 'Monitors and fences failed data sources; does not bring them back.',
    response: changedService,
    problems: sharedWays,
  },
  managerMaintenance: {
    ...shared,
    name: 'managerMaintenance',
    tag: 'Policies',
    path: `${service}/policy/maintenance`,
    summary: 'Only monitors.',
    response: changedService,
    problems: sharedWays,
  },
  managerSwitchPlan: {
    ...primaryPlan,
    name: 'managerSwitchPlan',
    path: `${root}/status/service/{service}/switch`,
    summary: 'Reads what a switch of the primary would do now, and why it would be refused.',
  },
  managerSwitch: {
    ...primaryChange,
    name: 'managerSwitch',
    path: `${service}/switch`,
    summary: 'Makes another data source the primary, while clients wait; answers with the task that does it.',
  },
  managerFailoverPlan: {
    ...primaryPlan,
    name: 'managerFailoverPlan',
    path: `${root}/status/service/{service}/failover`,
    summary: 'Reads what a failover would do now, what it may lose, and why it would be refused.',
  },
  managerFailover: {
    ...primaryChange,
    name: 'managerFailover',
    path: `${service}/failover`,
    summary:
      'Makes a survivor the primary in place of one that is lost, while clients wait; answers with the task that does it.',
  },
  managerTask: {
    ...reading,
    name: 'managerTask',
    tag: 'Services',
    path: `${root}/task/{task}`,
    query: { wait },
    summary: 'Reads how far a task is.',
    response: { kind: 'payload', payloadType: 'TaskPayload', payload: TaskPayload },
    problems: ['not-found'],
  },
  managerUndo: {
    ...changing,
    name: 'managerUndo',
    tag: 'Services map',
    path: `${root}/control/change/{change}/undo`,
    summary:
      'Takes back a change that the same user made by another manager, because not all managers took it; one that was ' +
      'only checked is given up.',
    response: { kind: 'payload', payloadType: 'BooleanPayload', payload: ChangePayload },
    problems: ['not-found', 'wrong-state'],
  },
  managerServicesMap: managerMapRoutes.servicesMap,
  managerChangeServicesMap: managerMapRoutes.changeServicesMap,
  managerAddDataService: managerMapRoutes.addDataService,
  managerAddDataSource: managerMapRoutes.addDataSource,
  managerReset: managerMapRoutes.reset,
} as const satisfies Readonly<Record<string, Route>>

/** The calls that change a data source. */
export const dataSourceRoutes = {
  online: managerRoutes.managerOnline,
  offline: managerRoutes.managerOffline,
  shun: managerRoutes.managerShun,
  welcome: managerRoutes.managerWelcome,
  recover: managerRoutes.managerRecover,
} as const satisfies Readonly<Record<DataSourceOperation, Route>>

/** The calls that set the policy of a service. */
export const policyRoutes = {
  AUTOMATIC: managerRoutes.managerAutomatic,
  MANUAL: managerRoutes.managerManual,
  MAINTENANCE: managerRoutes.managerMaintenance,
} as const satisfies Readonly<Record<Policy, Route>>

/** The calls that make another data source the primary. */
export const switchRoutes = {
  switch: managerRoutes.managerSwitch,
  failover: managerRoutes.managerFailover,
} as const satisfies Readonly<Record<SwitchOperation, Route>>

/** The calls that read what they would do. */
export const planRoutes = {
  switch: managerRoutes.managerSwitchPlan,
  failover: managerRoutes.managerFailoverPlan,
} as const satisfies Readonly<Record<SwitchOperation, Route>>
