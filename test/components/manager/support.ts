import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { ApiContext } from '../../../src/api/apiContext.ts'
import { DatabaseError } from '../../../src/components/databases/databaseError.ts'
import type { Channel } from '../../../src/components/databases/dialect.ts'
import type { ServerReading } from '../../../src/components/databases/probe.ts'
import type { Observation } from '../../../src/components/manager/checkResult.ts'
import { createManager } from '../../../src/components/manager/createManager.ts'
import { serverOf } from '../../../src/components/manager/dataSources.ts'
import { managerApi } from '../../../src/components/manager/manager.ts'
import type { ServedManager } from '../../../src/components/manager/managerCalls.ts'
import { createManagerFeed } from '../../../src/components/manager/managerFeed.ts'
import { type ManagerState, openStateStore, readState } from '../../../src/components/manager/managerState.ts'
import type { Check, Monitor, Server } from '../../../src/components/manager/monitor.ts'
import { createStateFile } from '../../../src/components/stateFile.ts'
import type { Membership } from '../../../src/contracts/serverSettings.ts'
import type { ServicesMap } from '../../../src/contracts/servicesMap.ts'
import { temporaryFolder } from '../../support/temporaryFolder.ts'
import { adminLogin, testApi } from '../../support/testApi.ts'

/** A primary and two replicas. */
export const installed: ServicesMap = {
  services: [
    {
      name: 'alpha',
      datasources: [
        { name: 'db1', host: '10.0.0.1', port: 3306, role: 'primary' },
        { name: 'db2', host: '10.0.0.2', port: 3306, role: 'replica' },
        { name: 'db3', host: '10.0.0.3', port: 3306, role: 'replica' },
      ],
    },
  ],
}

/** Replication that runs. */
export const channel: Channel = {
  name: '',
  source: { host: '10.0.0.1', port: 3306 },
  sourceId: 1,
  receiver: 'running',
  receiverError: null,
  applier: 'running',
  applierError: null,
  secondsBehind: 4,
  received: 'bin.000002:1307',
  applied: 'bin.000002:1307',
  sequence: 35,
  byGtid: true,
  receivedGtids: null,
  delay: 0,
  tls: null,
}

/** A server that takes no writes and follows nobody. */
export const idleReading: ServerReading = {
  version: '10.11.6-MariaDB-log',
  isWritable: false,
  serverId: null,
  uuid: null,
  semiSync: { source: false, replica: false },
  ackGaps: [
    'rpl_semi_sync_master_enabled=1',
    'rpl_semi_sync_master_wait_point=AFTER_SYNC',
    'rpl_semi_sync_master_timeout=86400000',
  ],
  takesOwn: false,
  proxyNetworks: '',
  gtids: null,
  channels: [],
  position: null,
  uptime: null,
  semiSyncClients: 0,
  ackers: null,
  waitingCommits: 0,
  acknowledged: null,
  omissions: [],
}

export const answered = (more: Partial<ServerReading>): Observation => ({
  kind: 'answered',
  reading: { ...idleReading, ...more },
})

export const replicating = (more: Partial<Channel> = {}): Observation =>
  answered({ channels: [{ ...channel, ...more }] })

export const writing: Observation = answered({
  isWritable: true,
  serverId: 1,
  position: { written: 'bin.000002:1307', sequence: 36 },
})

export const broken: Observation = replicating({
  applier: 'stopped',
  applierError: { number: 1062, message: "Duplicate entry '7' for key 'PRIMARY'" },
  secondsBehind: null,
})

export const refusing: Observation = {
  kind: 'failed',
  error: new DatabaseError({
    code: 'unreachable',
    message: 'The database 10.0.0.2:3306 cannot be reached: nothing listens there. Start the database.',
  }),
}

export const lockedOut: Observation = {
  kind: 'unable',
  error: new DatabaseError({
    code: 'refused',
    number: 1045,
    message:
      'The database 10.0.0.2:3306 said ERROR 1045: Access denied. Check monitor-user and monitor-password.',
  }),
}

export type FakeMonitor = {
  readonly open: (seen: (check: Check) => void) => Monitor
  /** What checks of a server find from now on. */
  set(server: Server, observation: Observation | Promise<Observation>): void
  /** Makes checks of the row. */
  tick(server: Server, times?: number): Promise<void>
  readonly followed: () => readonly string[]
  readonly asked: () => number
  readonly isClosed: () => boolean
}

/** Checks that find what they are told; a primary writes and a replica replicates unless told. */
export function fakeMonitor(): FakeMonitor {
  const found = new Map<string, Observation | Promise<Observation>>()
  let seen: (check: Check) => void = () => undefined
  let followed: readonly string[] = []
  let asked = 0
  let closed = false
  const look = async (server: Server): Promise<Observation> =>
    found.get(serverOf(server)) ?? (server.host === '10.0.0.1' ? writing : replicating())
  return {
    open: (told) => {
      seen = told
      return {
        follow: (servers) => {
          followed = servers.map(serverOf)
        },
        check: async (server) => {
          asked += 1
          return followed.includes(serverOf(server)) ? look(server) : undefined
        },
        close: () => {
          closed = true
        },
      }
    },
    set: (server, observation) => void found.set(serverOf(server), observation),
    tick: async (server, times = 1) => {
      for (let made = 0; made < times; made += 1) {
        seen({ server, observation: await look(server), milliseconds: 12 })
      }
    },
    followed: () => followed,
    asked: () => asked,
    isClosed: () => closed,
  }
}

export const place = (name: 'db1' | 'db2' | 'db3'): Server => ({
  host: `10.0.0.${name.slice(2)}`,
  port: 3306,
})

export const headers = { authorization: adminLogin }
export const sure = '?i-am-sure=true'

/** A manager behind its API, in a folder that may be that of one before it. */
export async function managerIn(
  more: {
    readonly folder?: string
    readonly map?: ServicesMap
    readonly monitor?: FakeMonitor | null
    readonly member?: Membership
    readonly askConnector?: ServedManager['askConnector']
    readonly updateConnector?: ServedManager['updateConnector']
    readonly others?: ServedManager['others']
    readonly host?: string
    readonly context?: Partial<ApiContext>
    readonly listener?: 'tcp' | 'socket'
    readonly askReplicator?: Parameters<typeof createManager>[0]['askReplicator']
  } = {},
) {
  const {
    folder = temporaryFolder(),
    map = installed,
    member = { service: 'alpha', datasource: 'db1', witness: false },
  } = more
  const monitor = more.monitor === undefined ? fakeMonitor() : more.monitor
  const path = join(folder, 'manager.json')
  const file = createStateFile(path)
  const kept = (): ManagerState => {
    const state = readState(file.read(), path)
    if (!state) throw new Error('there is no state')
    return state
  }
  const lines: { readonly level: string; readonly message: string; readonly facts: object }[] = []
  const line = (level: string) => (facts: object, message: string) =>
    void lines.push({ level, message, facts })
  let time = Date.parse('2025-03-10T10:00:00Z')
  // Every look at the clock is a second later.
  const now = (): Date => {
    time += 1000
    return new Date(time)
  }
  const log = { info: line('info'), warn: line('warn'), error: line('error') }
  const manager = createManager({
    installed: map,
    kept: openStateStore({ file, path, installed: map, now: now() }),
    monitor: monitor?.open,
    now,
    log,
    ...(more.askReplicator && { askReplicator: more.askReplicator }),
  })
  onTestFinished(() => manager.close())
  const identity = { cluster: 'cluster', host: more.host ?? 'host1', member, parentPid: () => 42 }
  const told: ServedManager = {
    manager,
    identity,
    askConnector: more.askConnector,
    updateConnector: more.updateConnector,
    others: more.others,
  }
  const feed = createManagerFeed(told, { log })
  onTestFinished(() => feed.close())
  const { served, peers = [], metrics } = managerApi(told, feed, new Set(['db2', 'db3']))
  const context = { ...(metrics ? { componentMetrics: metrics } : {}), ...more.context }
  const api = await testApi({
    served: [...served, ...peers],
    context,
    ...(more.listener ? { listener: more.listener } : {}),
  })

  const get = async (path: string) => {
    const answer = await api.call({ url: `/api/v2/manager/${path}`, headers })
    return { status: answer.statusCode, payload: answer.json().payload }
  }
  const post = async (
    path: string,
    payload?: { readonly type: string; readonly body: object },
    guard = sure,
  ) => {
    const body = payload && { payloadType: payload.type, payload: payload.body }
    const answer = await api.call({
      method: 'POST',
      url: `/api/v2/manager/${path}${guard}`,
      headers,
      ...(body ? { payload: body } : {}),
    })
    return { status: answer.statusCode, payload: answer.json().payload }
  }
  return {
    api,
    manager,
    folder,
    path,
    kept,
    lines,
    get,
    post,
    monitor: monitor ?? fakeMonitor(),
    /** The states of all data sources, in order. */
    states: async () =>
      (await get('configuration/module/servicesmap')).payload.services.flatMap(
        (it: { datasources: { state: string }[] }) => it.datasources.map(({ state }) => state),
      ),
    /** One call of a data source of alpha. */
    control: (name: string, operation: string, guard = sure) =>
      post(`control/service/alpha/datasource/${name}/${operation}`, undefined, guard),
    status: async (name: string) => (await get(`status/service/alpha/datasource/${name}`)).payload,
  }
}
