import { shownPayload } from '../../src/client/shownPayload.ts'
import type {
  ClusterPicture,
  PictureDataSource,
  PictureHost,
  PictureProblem,
  PictureService,
} from '../../src/contracts/clusterPicture.ts'
import { ShownConnector } from '../../src/contracts/connectorPayloads.ts'
import type { LagHistory } from '../../src/contracts/dashboard.ts'
import { connectorExamples } from '../../src/contracts/examples/connectorExamples.ts'
import { managerExamples } from '../../src/contracts/examples/managerExamples.ts'
import { ShownDataSource } from '../../src/contracts/managerPayloads.ts'

/** The server's time in all of these pictures. */
export const start = '2026-03-10T10:00:00.000Z'

export const atSecond = (second: number): string => new Date(Date.parse(start) + second * 1000).toISOString()

export function dataSource(
  changed: Partial<PictureDataSource> & { readonly name: string },
): PictureDataSource {
  return {
    ...shownPayload(ShownDataSource, managerExamples.managerDatasourceStatus.response),
    ...{ host: changed.name, since: atSecond(-86_400 * 3), managersAgree: true },
    ...(changed.role === 'primary' && { appliedLatency: null, follows: null }),
    ...changed,
  }
}

export function host(changed: Partial<PictureHost> & { readonly name: string }): PictureHost {
  return {
    address: '10.0.0.11',
    state: 'up',
    detail: null,
    release: '0.1.0',
    certificateExpires: atSecond(86_400 * 300),
    certificateWarningDays: 30,
    components: [
      { component: 'manager', state: 'ready', reason: null, listen: '10.0.0.11:8090' },
      { component: 'connector', state: 'ready', reason: null, listen: '10.0.0.11:8096' },
      { component: 'replicator', state: 'ready', reason: null, listen: '10.0.0.11:8097' },
    ],
    connector: {
      ...shownPayload(ShownConnector, connectorExamples.connectorStatus.response),
      clients: { service: 'alpha', readWrite: '10.0.0.11:3307', readOnly: '10.0.0.11:3308' },
    },
    ...changed,
  }
}

export function service(changed: Partial<PictureService> = {}): PictureService {
  return {
    name: 'alpha',
    policy: 'AUTOMATIC',
    failover: { automatic: true, reason: null },
    writer: { datasource: 'db1', code: null, reason: null, hold: false },
    managersAgree: true,
    task: null,
    ...changed,
  }
}

export const problem = (changed: Partial<PictureProblem> & { readonly text: string }): PictureProblem => ({
  level: 'degraded',
  code: null,
  host: null,
  service: null,
  datasource: null,
  ...changed,
})

type WithLags = ClusterPicture & { readonly lags: readonly LagHistory[] }

/** A cluster of three hosts that is well. */
export function wellCluster(name = 'alpha'): WithLags {
  const names = ['db1', 'db2', 'db3']
  return {
    name,
    verdict: { level: 'ok', problems: [] },
    services: [service()],
    datasources: names.map((it) => dataSource({ name: it, role: it === 'db1' ? 'primary' : 'replica' })),
    hosts: names.map((it, index) => host({ name: it, address: `10.0.0.${11 + index}` })),
    lags: names.slice(1).map((datasource) => ({
      service: 'alpha',
      datasource,
      points: lagPoints(datasource === 'db2' ? 2 : 7),
    })),
  }
}

const lagPoints = (most: number) =>
  Array.from({ length: 40 }, (_, index) => ({
    at: atSecond(-600 + index * 15),
    lag: Math.max(0, Math.round(most * Math.sin(index / 3))),
  }))

/** The same with a replica that is behind, one that failed, and a host that cannot be reached. */
export function troubledCluster(name = 'beta'): WithLags {
  const base = wellCluster(name)
  const [db1, db2, db3] = base.datasources
  const [host1, host2, host3] = base.hosts
  if (!db1 || !db2 || !db3 || !host1 || !host2 || !host3) throw new Error('the cluster has three hosts')
  const failed = {
    ...db3,
    state: 'FAILED' as const,
    since: atSecond(-754),
    by: 'manager',
    reason: 'connect ECONNREFUSED 10.0.0.13:3306',
    appliedLatency: null,
    connections: null,
  }
  return {
    ...base,
    verdict: {
      level: 'degraded',
      problems: [
        problem({
          text: 'data source db3 has failed: connect ECONNREFUSED 10.0.0.13:3306',
          host: 'db3',
          service: 'alpha',
          datasource: 'db3',
        }),
        problem({ text: 'replica db2 is 40 s behind', host: 'db2', service: 'alpha', datasource: 'db2' }),
        problem({
          text: 'replica db2 can be written',
          code: 'writable-replica',
          host: 'db2',
          service: 'alpha',
          datasource: 'db2',
        }),
        problem({ text: 'connector of db2 is on hold: 3 clients wait', host: 'db2' }),
        problem({ text: 'the certificate of db1 ends in 5 days', host: 'db1' }),
      ],
    },
    services: [
      service({
        failover: {
          automatic: false,
          reason: 'db3 cannot be reached, and may have what no other server has.',
        },
      }),
    ],
    datasources: [
      db1,
      { ...db2, appliedLatency: 40, code: 'writable-replica', reason: 'read_only is off on a replica' },
      failed,
    ],
    hosts: [
      { ...host1, certificateExpires: atSecond(86_400 * 5) },
      {
        ...host2,
        connector:
          host2.connector === null ? null : { ...host2.connector, value: 'ONHOLD', held: 3, active: 4 },
      },
      {
        ...host3,
        state: 'unreachable',
        detail: 'connect ETIMEDOUT 10.0.0.13:22',
        components: host3.components.map((it) => ({ ...it, state: 'silent' as const })),
        connector: null,
      },
    ],
    lags: [
      {
        service: 'alpha',
        datasource: 'db2',
        points: [
          { at: atSecond(-500), lag: 0 },
          { at: atSecond(-260), lag: 3 },
          { at: atSecond(-200), lag: null },
          { at: atSecond(-180), lag: 18 },
          { at: atSecond(-60), lag: 40 },
        ],
      },
    ],
  }
}

/** A cluster of many hosts; every twentieth follows a relay. */
export function largeCluster({
  name = 'large',
  hosts = 200,
}: {
  readonly name?: string
  readonly hosts?: number
} = {}): WithLags {
  const names = Array.from({ length: hosts }, (_, index) => `db${index + 1}`)
  return {
    ...wellCluster(name),
    datasources: names.map((it, index) =>
      dataSource({
        name: it,
        role: index === 0 ? 'primary' : 'replica',
        follows: index === 0 ? null : index > 180 ? 'db2' : 'db1',
      }),
    ),
    hosts: names.map((it, index) =>
      host({ name: it, address: `10.0.${Math.floor(index / 250)}.${(index % 250) + 1}` }),
    ),
    lags: names.slice(1).map((datasource) => ({ service: 'alpha', datasource, points: lagPoints(4) })),
  }
}

const markup = '<img src=x onerror="document.title=1">\u202e<b>db1</b>'

/** A cluster whose every text has markup and a character that turns the writing direction in it. */
export function hostileCluster(): WithLags {
  const base = wellCluster(markup)
  return {
    ...base,
    verdict: {
      level: 'down',
      problems: [problem({ level: 'down', text: `no writer: ${markup}`, host: markup })],
    },
    services: [service({ writer: { datasource: null, code: 'no-writer', reason: markup, hold: true } })],
    datasources: base.datasources.map((it) => ({ ...it, reason: markup, by: markup, host: markup })),
    hosts: [host({ name: markup, address: markup, release: markup, detail: markup, state: 'failed' })],
  }
}
