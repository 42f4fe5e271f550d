import type { ProblemCode } from './problems.ts'
import {
  ChangedReplicatorStatusPayload,
  ReplicatorStatusPayload,
  ServicesPayload,
} from './replicatorPayloads.ts'
import { basePath, dryRun, type Route } from './route.ts'

const databaseProblems = [
  'database-refused',
  'database-unreachable',
  'database-timeout',
] as const satisfies readonly ProblemCode[]
const stateProblems = ['no-database', ...databaseProblems] as const
const changeProblems = [
  ...stateProblems,
  'not-configured',
  'operation-running',
  'wrong-state',
] as const satisfies readonly ProblemCode[]

const reading = { method: 'GET', auth: 'basic', guard: false, request: null, tag: 'Replication' } as const
const changing = {
  method: 'POST',
  auth: 'basic',
  guard: true,
  query: dryRun,
  request: null,
  tag: 'Replication',
} as const
const status = {
  kind: 'payload',
  payloadType: 'ReplicatorStatusPayload',
  payload: ReplicatorStatusPayload,
} as const
const changed = {
  kind: 'payload',
  payloadType: 'ReplicatorStatusPayload',
  payload: ChangedReplicatorStatusPayload,
} as const

const whole = `${basePath}/replicator` as const
const one = `${whole}/service/{service}` as const

const online = 'responds when both threads have run for a moment without an error'
const offline =
  'responds when both threads are stopped; a pending error stays. When the database server restarts, it starts ' +
  'replication again, unless skip-slave-start (skip-replica-start) is set'
const reset =
  'discards the replication position, only while both threads are stopped. With GTIDs the server keeps its ' +
  "position; without, it starts over at the primary's oldest binary log"

/** The calls of the replicator (contract.md, "Replicator"). */
export const replicatorRoutes = {
  replicatorServices: {
    ...reading,
    name: 'replicatorServices',
    path: `${whole}/services`,
    summary: 'Lists the replication services of this host; none without database options.',
    response: { kind: 'payload', payloadType: 'ServicesPayload', payload: ServicesPayload },
    problems: databaseProblems,
  },
  replicatorStatus: {
    ...reading,
    name: 'replicatorStatus',
    path: `${whole}/status`,
    summary: 'Reads the state of every service.',
    response: status,
    problems: stateProblems,
  },
  replicatorServiceStatus: {
    ...reading,
    name: 'replicatorServiceStatus',
    path: `${one}/status`,
    summary: 'Reads the state of one service.',
    response: status,
    problems: [...stateProblems, 'not-found'],
  },
  replicatorOnline: {
    ...changing,
    access: 'operate',
    name: 'replicatorOnline',
    path: `${whole}/online`,
    summary: `Starts the replication of every service: ${online}.`,
    response: changed,
    problems: [...changeProblems, 'replication-broken'],
  },
  replicatorServiceOnline: {
    ...changing,
    access: 'operate',
    name: 'replicatorServiceOnline',
    path: `${one}/online`,
    summary: `Starts the replication of one service: ${online}.`,
    response: changed,
    problems: [...changeProblems, 'replication-broken', 'not-found'],
  },
  replicatorOffline: {
    ...changing,
    access: 'operate',
    name: 'replicatorOffline',
    path: `${whole}/offline`,
    summary: `Stops the replication of every service: ${offline}.`,
    response: changed,
    problems: changeProblems,
  },
  replicatorServiceOffline: {
    ...changing,
    access: 'operate',
    name: 'replicatorServiceOffline',
    path: `${one}/offline`,
    summary: `Stops the replication of one service: ${offline}.`,
    response: changed,
    problems: [...changeProblems, 'not-found'],
  },
  replicatorReset: {
    ...changing,
    name: 'replicatorReset',
    path: `${whole}/reset`,
    summary: `Resets the replication of every service: ${reset}.`,
    response: changed,
    problems: changeProblems,
  },
  replicatorServiceReset: {
    ...changing,
    name: 'replicatorServiceReset',
    path: `${one}/reset`,
    summary: `Resets the replication of one service: ${reset}.`,
    response: changed,
    problems: [...changeProblems, 'not-found'],
  },
} as const satisfies Readonly<Record<string, Route>>
