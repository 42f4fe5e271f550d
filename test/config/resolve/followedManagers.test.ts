import { describe, expect, it } from 'vitest'
import type { HostConfig } from '../../../src/config/model.ts'
import { codes, loadText } from '../loadText.ts'

const accounts = `  rest-api-admin-user: admin
  datasource-type: mariadb
  replication-user: repl
  replication-password: !env REPLICATION_PASSWORD
  monitor-user: monitor
  monitor-password: !env MONITOR_PASSWORD`

/** Two members, a connector on a host of its own, and one on a member. */
const cluster = (
  options: Readonly<Partial<Record<'all' | 'db1' | 'db2' | 'app1', string>>> = {},
  connection = '',
): string => `cluster: alpha
defaults:
${accounts}${options.all === undefined ? '' : `\n  ${options.all}`}
services:
  alpha: { topology: clustered, master: db1, members: [db1, db2], connectors: [app1, db2] }
hosts:
  db1: { address: 10.0.0.11${connection}, options: { ${options.db1 ?? ''} } }
  db2: { address: 10.0.0.12${connection}, options: { ${options.db2 ?? ''} } }
  app1: { address: 10.0.0.21${connection}, options: { ${options.app1 ?? ''} } }
`

const everywhere = 'manager-rest-api-address: 0.0.0.0'
function hostOf(text: string, name: string): HostConfig {
  const host = loadText(text).config?.hosts.find((one) => one.name === name)
  if (!host) throw new Error(`no ${name}`)
  return host
}

const at = (name: string, address: string, port = 8091, reached = address) => ({
  ...{ name, names: [name, address] },
  ...{ address: reached, port },
})

const peersOf = (text: string, name: string) => hostOf(text, name).channel?.peers.map((it) => it.name)

describe('a connector on a host without a manager', () => {
  it('follows the managers of all members by their channels, wherever their APIs listen', () => {
    const text = cluster({ db1: 'manager-rest-api: false', db2: 'cluster-port: 18091' })
    expect(hostOf(text, 'app1').managers).toEqual([at('db1', '10.0.0.11'), at('db2', '10.0.0.12', 18091)])
    expect(hostOf(text, 'app1')).not.toHaveProperty('channel')
    // It has a manager of its own.
    expect(hostOf(text, 'db2')).not.toHaveProperty('managers')
  })

  it('follows none where no database is configured', () => {
    const text = cluster().replaceAll(/ {2}(datasource-type|monitor|replication).*\n/g, '')
    expect(hostOf(text, 'app1')).not.toHaveProperty('managers')
    expect(hostOf(text, 'db1')).not.toHaveProperty('channel')
  })

  it('reaches managers of the machine that it shares with them on loopback', () => {
    const text = cluster(
      {
        db1: 'install-directory: a',
        db2: 'install-directory: b, manager-rest-api-port: 18090, connector-rest-api-port: 18096, replicator-rest-api-port: 18097, cluster-port: 18091, replication-port: 3307, application-port: 9990',
        app1: 'install-directory: c',
      },
      ', connection: local',
    )
    expect(codes(loadText(text)).filter((code) => code.includes('clash'))).toEqual([])
    expect(hostOf(text, 'app1').managers).toEqual([
      at('db1', '10.0.0.11', 8091, '127.0.0.1'),
      at('db2', '10.0.0.12', 18091, '127.0.0.1'),
    ])
    const clashing = text.replace(' cluster-port: 18091,', '')
    expect(codes(loadText(clashing))).toContainEqual(expect.stringMatching(/ local-port-clash$/))
  })
})

describe('the channel of a manager', () => {
  it('lets all other hosts of its services in, by names that their certificates have', () => {
    expect(hostOf(cluster(), 'db1').channel).toEqual({
      address: '0.0.0.0',
      port: 8091,
      peers: [
        { name: 'db2', names: ['db2', '10.0.0.12'], leads: true },
        { name: 'app1', names: ['app1', '10.0.0.21'] },
      ],
    })
    expect(peersOf(cluster(), 'db2')).toEqual(['db1', 'app1'])
  })

  it('is not there without other hosts', () => {
    const alone = cluster()
      .replace('members: [db1, db2], connectors: [app1, db2]', 'members: [db1], connectors: [db1]')
      .replace(/ {2}(db2|app1): .*\n/g, '')
    expect(hostOf(alone, 'db1')).not.toHaveProperty('channel')
  })

  it.each([
    ['10.0.0.11', '0.0.0.0'],
    ['db1.example.com', '0.0.0.0'],
    ['"2001:db8::11"', '::'],
    ['127.0.0.11', '127.0.0.11'],
    ['localhost', '127.0.0.1'],
  ])('listens for a host at %s at %s', (address, listening) => {
    const text = cluster().replace('address: 10.0.0.11', `address: ${address}`)
    expect(hostOf(text, 'db1').channel?.address).toBe(listening)
  })

  it('has a port that nothing else of the host may have', () => {
    const text = cluster({ db1: 'manager-rest-api-port: 8091' })
    expect(codes(loadText(text))).toContainEqual(expect.stringMatching(/ port-clash$/))
  })
})

describe('a manager that can switch the primary of its service', () => {
  const witnessed = (options: Parameters<typeof cluster>[0]) =>
    cluster(options)
      .replace(
        'connectors: [app1, db2] }',
        'connectors: [app1, db2, b1], witnesses: [w1] }\n  beta: { topology: clustered, members: [b1] }',
      )
      .concat('  w1: { address: 10.0.0.31 }\n  b1: { address: 10.0.0.41 }\n')

  it('calls those of members, witnesses and connectors', () => {
    const text = witnessed({})
    expect(hostOf(text, 'db1').otherManagers).toEqual([
      at('db2', '10.0.0.12'),
      at('b1', '10.0.0.41'),
      at('w1', '10.0.0.31'),
    ])
    // The other service is none of theirs.
    expect(hostOf(text, 'b1').otherManagers).toEqual([])
  })

  it('is let in by each manager that it calls', () => {
    const text = witnessed({})
    for (const name of ['db1', 'db2']) {
      for (const other of hostOf(text, name).otherManagers ?? []) {
        expect(peersOf(text, other.name)).toContain(name)
      }
    }
  })

  it('has the account of its replication, the limits of its host and the shortest hold of a connector', () => {
    const text = cluster({
      all: `${everywhere}\n  switch-max-lag: 1s`,
      db1: 'switch-drain-timeout: 500ms, connector-max-hold: 1s',
      db2: 'connector-max-hold: 20s',
      app1: 'connector-max-hold: 7s',
    })
    const limits = { user: 'repl', maxLag: 1000, maxTransaction: 5000, maxHold: 7000 }
    expect(hostOf(text, 'db1').switching).toEqual({ ...limits, drainTimeout: 500 })
    expect(hostOf(text, 'db2').switching).toEqual({ ...limits, drainTimeout: 5000 })
    expect(hostOf(text, 'app1')).not.toHaveProperty('switching')
    const alone = cluster()
      .replace('connectors: [app1, db2]', 'connectors: []')
      .replace(/ {2}app1: .*\n/, '')
    expect(hostOf(alone, 'db1').switching?.maxHold).toBe(8000)
  })

  it('is one with such an account and a database alone', () => {
    const without = cluster({ all: everywhere }).replace(/ {2}replication-.*\n/g, '')
    for (const text of [without, cluster({ all: everywhere }).replace(/ {2}datasource-type.*\n/, '')]) {
      for (const name of ['db1', 'db2']) {
        expect(hostOf(text, name)).not.toHaveProperty('switching')
        expect(hostOf(text, name)).not.toHaveProperty('otherManagers')
      }
    }
    expect(hostOf(witnessed({ all: everywhere }), 'w1')).not.toHaveProperty('switching')
  })
})

describe('a switch that waits for transactions', () => {
  const long = (options: Parameters<typeof cluster>[0]) =>
    codes(loadText(cluster({ all: everywhere, ...options }))).filter((code) =>
      code.endsWith('switch-drain-too-long'),
    )

  it('gets a warning where clients are not held for longer', () => {
    const given = { app1: 'connector-max-hold: 5s' }
    expect(long({})).toEqual([])
    expect(long({ all: 'connector-max-hold: 5001ms' })).toEqual([])
    // One value of a connector, for both managers.
    expect(long(given)).toEqual([expect.stringMatching(/^\d+ switch-drain-too-long$/)])
    expect(long({ ...given, db1: 'switch-drain-timeout: 4s' })).toHaveLength(1)
    expect(long({ all: 'switch-drain-timeout: 4s', ...given })).toEqual([])
    expect(long({ db1: 'switch-drain-timeout: 8s', db2: 'switch-drain-timeout: 9s' })).toHaveLength(2)
    // Its connector is not there.
    expect(long({ db1: 'connector-max-hold: 1s' })).toEqual([])
  })
})

describe('the dashboard of a manager', () => {
  const dashboards = (text: string): readonly string[] =>
    (loadText(text).config?.hosts ?? []).flatMap(({ name, dashboard }) => (dashboard ? [name] : []))

  it('is there where its API listens beyond loopback, unless the option says no', () => {
    const text = cluster({ db2: everywhere })
    expect(dashboards(text)).toEqual(['db2'])
    expect(dashboards(cluster({ all: everywhere }))).toEqual(['db1', 'db2'])
    expect(dashboards(cluster({ all: everywhere, db1: 'manager-dashboard: false' }))).toEqual(['db2'])
    expect(dashboards(cluster({ db2: `${everywhere}, manager-rest-api: false` }))).toEqual([])
    expect(dashboards(cluster({ db2: 'manager-rest-api-address: "::1"' }))).toEqual([])
  })

  it('reaches channels and the APIs that listen beyond loopback, and shows where clients connect', () => {
    const text = cluster({ all: everywhere, app1: 'connector-rest-api-address: 192.0.2.9' })
    expect(hostOf(text, 'db1').dashboard).toMatchObject([
      { name: 'db1', names: ['db1', '10.0.0.11'], apis: [{ component: 'manager', listen: null }, {}] },
      {
        name: 'db2',
        channel: { address: '10.0.0.12', port: 8091 },
        apis: [
          { component: 'manager', listen: { address: '10.0.0.12', port: 8090 } },
          { component: 'connector', listen: null },
          { component: 'replicator', listen: null },
        ],
        clients: { service: 'alpha', readWrite: '127.0.0.1:9999' },
      },
      {
        name: 'app1',
        apis: [{ component: 'connector', listen: { address: '192.0.2.9', port: 8096 } }],
      },
    ])
  })

  it('may read the events of managers of other services, too', () => {
    const text = cluster({ all: everywhere })
      .replace(
        'members: [db1, db2], connectors: [app1, db2] }',
        'members: [db1] }\n  beta: { topology: clustered, master: db2, members: [db2] }',
      )
      .replace(/ {2}app1:.*\n/, '')
    expect(peersOf(text, 'db1')).toEqual(['db2'])
    const alone = text.replace(everywhere, `${everywhere}\n  manager-dashboard: false`)
    expect(hostOf(alone, 'db1')).not.toHaveProperty('channel')
  })
})

it('describes each host once for all others: their number does not multiply the work', () => {
  const names = Array.from({ length: 40 }, (_, index) => `db${index}`)
  const { config } = loadText(`cluster: alpha
defaults:
${accounts}
  ${everywhere}
  application-port: 9999
services:
  alpha: { topology: clustered, master: db0, members: [${names.join(', ')}], connectors: [${names.join(', ')}] }
hosts:
${names.map((name, index) => `  ${name}: { address: 10.0.0.${index + 1} }`).join('\n')}
`)
  const hosts = config?.hosts ?? []
  const described = (of: (host: HostConfig) => readonly object[] | undefined): number =>
    new Set(hosts.flatMap((host) => of(host) ?? [])).size
  expect(hosts.map(({ channel }) => channel?.peers.length)).toEqual(names.map(() => names.length - 1))
  expect(described(({ channel }) => channel?.peers)).toBe(names.length)
  expect(described(({ otherManagers }) => otherManagers)).toBe(names.length)
  // Its own page shows a host without the APIs that it needs no address for.
  expect(described(({ dashboard }) => dashboard)).toBe(2 * names.length)
})
