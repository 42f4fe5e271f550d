import { describe, expect, it } from 'vitest'
import { type ClusterKnowledge, type KnownHost, pictureOf } from '../../src/client/clusterPicture.ts'
import type { PictureComponent } from '../../src/contracts/clusterPicture.ts'
import { lateReasons } from '../../src/contracts/replicaLag.ts'
import { primary, replica, report, service, shunned, silent, withoutWriter } from '../output/clusterViews.ts'
import { onlineConnector, pictureTime, wellHost, wellKnown } from '../support/pictureValues.ts'

const lines = (changes: Partial<ClusterKnowledge>): readonly string[] => {
  const { level, problems } = pictureOf(wellKnown(changes)).verdict
  return [
    level,
    ...problems.map(({ level: own, text, code }) => `${own}: ${text}${code ? ` (${code})` : ''}`),
  ]
}

const seenByBoth = (seen: ReturnType<typeof service>) => ({
  reports: [report('db1', seen), report('db2', seen)],
})

const hosts = (changes: Partial<KnownHost>) => ({ hosts: [wellHost('db1'), wellHost('db2', changes)] })

const componentsIn = (
  state: PictureComponent['state'],
  reason: string | null,
  kinds: readonly string[] = ['manager', 'connector', 'replicator'],
): Partial<KnownHost> => ({
  components: wellHost('db2').components.map((one) =>
    kinds.includes(one.component) ? { ...one, state, reason } : one,
  ),
})

const away = {
  state: 'unreachable',
  detail: 'db2: no route to db2',
  components: [],
  connector: null,
} as const
const failed = { ...replica, state: 'FAILED', reason: 'It refuses connections. Start it.' } as const
const blind = 'It cannot be checked. Access denied for user probe.'

/** Words of a component whose account is not let in. */
const rejected = (user: string): string =>
  `The database 10.0.0.11:3306 rejected login '${user}': ERROR 1045: Access denied for user '${user}'@'10.0.0.11' (using password: YES). Check ${user}-user and ${user}-password.`

describe('the verdict of a cluster', () => {
  it('is OK while all is well, under any policy', () => {
    expect(lines({})).toEqual(['ok'])
    expect(lines(seenByBoth({ ...service(primary, replica), policy: 'MAINTENANCE' }))).toEqual(['ok'])
    expect(lines({ hosts: [], reports: [] })).toEqual(['ok'])
  })

  it.each<[string, Partial<ClusterKnowledge>, readonly string[]]>([
    [
      'DOWN without a writer, whatever its data sources say about that',
      seenByBoth(withoutWriter({ ...primary, state: 'FAILED' }, { ...replica, code: 'two-writers' })),
      ['down', 'down: no writer: db1 and db2 can both be written (two-writers)'],
    ],
    [
      'DOWN while no host is reachable',
      { hosts: [wellHost('db1', { ...away, detail: 'timed out' }), wellHost('db2', away)] },
      ['down', 'down: all 2 hosts are unreachable, such as db1: timed out'],
    ],
    [
      'DOWN while everything is stopped, in one problem',
      {
        reports: [silent('db1', 'refused'), silent('db2', 'refused')],
        map: [{ name: 'alpha', datasources: [] }],
        hosts: ['db1', 'db2'].map((name) =>
          wellHost(name, { ...componentsIn('stopped', null), connector: null }),
        ),
      },
      ['down', 'down: components of db1 and db2 are stopped'],
    ],
    [
      'DOWN while every manager is stopped or unreachable, though a connector still runs',
      {
        reports: [silent('db1', 'refused'), silent('db2')],
        map: [{ name: 'alpha', datasources: [] }],
        hosts: [
          wellHost('db1', componentsIn('stopped', null, ['manager'])),
          wellHost('db2', { ...away, ...componentsIn('silent', null) }),
        ],
      },
      ['down', 'down: manager of db1 is stopped', 'degraded: db2 is unreachable: no route to db2'],
    ],
    [
      'DEGRADED while a manager may still run on a host that could not be asked',
      {
        reports: [silent('db1', 'refused'), silent('db2', 'login refused')],
        map: [{ name: 'alpha', datasources: [] }],
        hosts: [
          wellHost('db1', componentsIn('stopped', null)),
          wellHost('db2', { ...away, state: 'failed', detail: 'login refused' }),
        ],
      },
      [
        'degraded',
        'degraded: db2 could not be asked: login refused',
        'degraded: manager, connector and replicator of db1 are stopped',
        'unknown: the state is not known: no manager reports',
      ],
    ],
    [
      'UNKNOWN while no host can be asked, with the reason of each',
      {
        hosts: [
          wellHost('db1', { ...away, state: 'not-installed', detail: null }),
          wellHost('db2', { ...away, state: 'failed', detail: '/opt/muster holds the installation of beta' }),
          wellHost('db3', { ...away, state: 'failed', detail: '/opt/muster holds the installation of beta' }),
        ],
      },
      [
        'unknown',
        'unknown: db2 and db3 could not be asked: /opt/muster holds the installation of beta',
        'unknown: muster is not installed on db1',
      ],
    ],
    [
      'UNKNOWN before any host answered',
      {
        reports: [],
        hosts: ['db1', 'db2'].map((name) =>
          wellHost(name, { state: 'unknown', components: [], connector: null, release: null }),
        ),
      },
      ['unknown', 'unknown: no host has answered yet'],
    ],
    [
      'DOWN by the service that has no writer, which it names among several',
      {
        reports: ['db1', 'db2'].map((host) =>
          report(host, service(primary, replica), { ...withoutWriter(primary), name: 'beta' }),
        ),
      },
      ['down', 'down: no writer of beta: db1 and db2 can both be written (two-writers)'],
    ],
    [
      'DEGRADED while clients wait for a switch',
      seenByBoth({
        ...service(primary, replica),
        writer: {
          ...{ datasource: null, code: null, reason: 'a switch is under way', hold: true },
          switching: { from: 'db1', to: 'db2' },
        },
      }),
      ['degraded', 'degraded: clients wait for the switch from db1 to db2'],
    ],
    [
      'DEGRADED by a replica that failed',
      seenByBoth(service(primary, failed)),
      ['degraded', 'degraded: replica db2 is FAILED: It refuses connections'],
    ],
    [
      'DEGRADED by a replica that somebody took out',
      seenByBoth(service(primary, { ...shunned, by: 'admin' })),
      ['degraded', 'degraded: replica db2 is SHUNNED (by admin since 2026-01-02T03:04:05.000Z)'],
    ],
    [
      'DEGRADED by a contradiction, with its code',
      seenByBoth(
        service(primary, {
          ...replica,
          code: 'follows-other',
          reason: 'It follows db3, not the primary db1. Let it.',
        }),
      ),
      ['degraded', 'degraded: replica db2 follows db3, not the primary db1 (follows-other)'],
    ],
    [
      'DEGRADED by a host that is unreachable, once for all that it has',
      {
        ...hosts({ ...away, detail: 'db2: no route to db2' }),
        reports: [report('db1', service(primary, failed)), silent('db2')],
      },
      ['degraded', 'degraded: db2 is unreachable: no route to db2'],
    ],
    [
      'DEGRADED by components that are stopped, once for a host',
      { ...hosts(componentsIn('stopped', null)), reports: [report('db1', service(primary)), silent('db2')] },
      ['degraded', 'degraded: manager, connector and replicator of db2 are stopped'],
    ],
    [
      'DEGRADED by a component that does not respond',
      hosts(componentsIn('silent', 'connection refused', ['replicator'])),
      ['degraded', 'degraded: replicator of db2 does not respond: connection refused'],
    ],
    [
      'DEGRADED by a host without muster',
      hosts({ state: 'not-installed', detail: null, components: [], connector: null }),
      ['degraded', 'degraded: muster is not installed on db2'],
    ],
    [
      'DEGRADED by managers that can check nothing, once for all data sources',
      {
        ...seenByBoth(service({ ...primary, reason: blind }, { ...replica, reason: blind })),
        hosts: ['db1', 'db2'].map((name) =>
          wellHost(name, componentsIn('not-ready', `no data source can be checked: ${blind}`, ['manager'])),
        ),
      },
      [
        'degraded',
        'degraded: managers of db1 and db2 are not ready: no data source can be checked: Access denied for user probe',
      ],
    ],
    [
      'DEGRADED by a password of monitor-user that the databases reject, once for all managers',
      {
        ...seenByBoth(
          service(
            { ...primary, state: 'UNKNOWN', reason: `It cannot be checked. ${rejected('monitor')}` },
            { ...replica, state: 'UNKNOWN', reason: `It cannot be checked. ${rejected('monitor')}` },
          ),
        ),
        hosts: ['db1', 'db2'].map((name) =>
          wellHost(
            name,
            componentsIn(
              'not-ready',
              `no data source can be checked: It cannot be checked. ${rejected('monitor')}`,
              ['manager'],
            ),
          ),
        ),
      },
      [
        'degraded',
        "degraded: db1 and db2 cannot be checked: the database 10.0.0.11:3306 rejected login 'monitor': ERROR 1045: Access denied for user 'monitor'@'10.0.0.11' (using password: YES). Check monitor-user and monitor-password",
      ],
    ],
    [
      'DEGRADED by a password of replication-user that a database rejects, whatever else its data source has',
      {
        ...seenByBoth(service(primary, failed)),
        ...hosts(componentsIn('not-ready', rejected('replication'), ['replicator'])),
      },
      [
        'degraded',
        'degraded: replica db2 is FAILED: It refuses connections',
        "degraded: replicator of db2 is not ready: The database 10.0.0.11:3306 rejected login 'replication': ERROR 1045: Access denied for user 'replication'@'10.0.0.11' (using password: YES). Check replication-user and replication-password",
      ],
    ],
    [
      'DEGRADED by a connector on hold, which is therefore not ready',
      hosts({
        ...componentsIn('not-ready', 'it is ONHOLD', ['connector']),
        connector: { ...onlineConnector, value: 'ONHOLD', held: 3 },
      }),
      ['degraded', 'degraded: connector of db2 is on hold, 3 clients wait'],
    ],
    [
      'DEGRADED by a connector that is offline',
      hosts({ connector: { ...onlineConnector, value: 'OFFLINE' } }),
      ['degraded', 'degraded: connector of db2 is offline'],
    ],
    [
      'DEGRADED by a connector whose clients wait',
      hosts({ connector: { ...onlineConnector, held: 1, reason: 'its manager does not respond' } }),
      ['degraded', 'degraded: connector of db2 holds 1 client: its manager does not respond'],
    ],
    [
      'DEGRADED while managers disagree',
      { reports: [report('db1', service(primary, replica)), report('db2', withoutWriter(primary, shunned))] },
      ['degraded', 'degraded: managers disagree on the writer and db2'],
    ],
    [
      'DEGRADED while managers have different maps or policies',
      {
        reports: [
          report('db1', service(primary, replica)),
          report('db2', { ...service(primary, { ...replica, port: 3307 }), policy: 'MANUAL' }),
        ],
      },
      ['degraded', 'degraded: managers disagree on the policy and db2'],
    ],
    [
      'DEGRADED by a manager that does not report, though nothing else says why',
      { reports: [report('db1', service(primary, replica)), silent('db2', 'it answered 500')] },
      ['degraded', 'degraded: no report from the manager of db2: it answered 500'],
    ],
    [
      'UNKNOWN while no manager reports',
      {
        reports: [silent('db1', 'refused'), silent('db2', 'refused')],
        map: [{ name: 'alpha', datasources: [] }],
      },
      [
        'degraded',
        'degraded: no report from the managers of db1 and db2: refused',
        'unknown: the state is not known: no manager reports',
      ],
    ],
    [
      'UNKNOWN while nobody checks the data sources',
      seenByBoth(
        service(
          { ...primary, state: 'UNKNOWN', reason: 'It is not checked: monitor-user is not set.' },
          { ...replica, state: 'UNKNOWN', reason: 'It is not checked: monitor-user is not set.' },
        ),
      ),
      ['unknown', 'unknown: db1 and db2 are not checked: monitor-user is not set'],
    ],
    [
      'UNKNOWN where the only host refused the login',
      { hosts: [wellHost('db2', { ...away, state: 'failed', detail: 'permission denied' })] },
      ['unknown', 'unknown: db2 could not be asked: permission denied'],
    ],
    [
      'UNKNOWN while nothing is installed',
      { hosts: [wellHost('db1', { ...away, state: 'not-installed' })] },
      ['unknown', 'unknown: muster is not installed on any host'],
    ],
  ])('is %s', (_, changes, expected) => {
    expect(lines(changes)).toEqual(expected)
  })

  it('is late where the manager says so, whatever the number', () => {
    const behind = (appliedLatency: number, reason: string | null) =>
      lines(seenByBoth(service(primary, { ...replica, appliedLatency, reason })))
    expect(behind(300, null)).toEqual(['ok'])
    expect(behind(31, lateReasons.read)).toEqual(['degraded', 'degraded: replica db2 is 31 s behind'])
    expect(behind(3, lateReasons.unread)).toEqual(['degraded', 'degraded: replica db2 is 3 s behind'])
    // It cannot say how late it is: its receiver has lost the primary.
    const lost = `The receiver cannot connect. ${lateReasons.unread}`
    expect(behind(0, lost)).toEqual(['degraded', 'degraded: replica db2: the receiver cannot connect'])
  })

  it('warns of certificates as many days before their end as the file says, once for those of the same day', () => {
    const ending = (days: number) =>
      new Date(pictureTime.getTime() + days * 86_400_000 + 3_600_000).toISOString()
    const certificates = (...days: readonly number[]) =>
      lines({
        hosts: days.map((it, index) => wellHost(`db${index + 1}`, { certificateExpires: ending(it) })),
      })
    expect(certificates(30, 300)).toEqual(['ok'])
    expect(certificates(29, 29)).toEqual(['degraded', 'degraded: certificates of db1 and db2 end in 29 days'])
    expect(certificates(1)).toEqual(['degraded', 'degraded: certificate of db1 ends in 1 day'])
    expect(certificates(0)).toEqual(['degraded', 'degraded: certificate of db1 ends within a day'])
    expect(certificates(-2)).toEqual(['degraded', 'degraded: certificate of db1 ended on 2025-12-31'])
  })

  it('puts the worst first', () => {
    const { problems } = pictureOf(
      wellKnown({
        ...seenByBoth(withoutWriter(primary, failed)),
        ...hosts({ detail: 'its program does not start' }),
      }),
    ).verdict
    expect(problems.map(({ level, text }) => `${level}: ${text}`)).toEqual([
      'down: no writer: db1 and db2 can both be written',
      'degraded: db2: its program does not start',
      'degraded: replica db2 is FAILED: It refuses connections',
    ])
    expect(problems[2]).toMatchObject({ host: 'db2', service: 'alpha', datasource: 'db2' })
  })
})
