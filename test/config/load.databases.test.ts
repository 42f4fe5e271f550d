import { describe, expect, it } from 'vitest'
import type { HostConfig } from '../../src/config/model.ts'
import { proxySettings } from '../support/proxySettings.ts'
import { codes, good, loadText } from './loadText.ts'

const accounts = `
  replication-user: repl
  replication-password: !env REPLICATION_PASSWORD
  monitor-user: monitor
  monitor-password: !env MONITOR_PASSWORD`

/** Two services with databases, one without, and one that only replicates. */
const text = `cluster: alpha
defaults:
  rest-api-admin-user: admin${accounts}
  manager-rest-api-address: 0.0.0.0
  application-readonly-port: 9998
  connector-max-hold: 500ms
services:
  alpha:
    topology: clustered
    master: db2
    members: [db1, db2, bare]
    witnesses: [w1]
    connectors: [db1, app1, w1]
    options: { replication-port: 3307 }
  beta:
    topology: clustered
    members: [db3]
    connectors: [db3]
  idle: { topology: clustered, members: [quiet], witnesses: [db3], connectors: [app1, app2] }
  archive: { topology: replicator, members: [copy] }
hosts:
  db1: { address: 10.0.0.11, options: { datasource-type: mariadb } }
  db2:
    address: 10.0.0.12
    options: { datasource-type: mysql, replication-host: 192.0.2.12, replication-port: 3308 }
  bare: { address: 10.0.0.13 }
  w1: { address: 10.0.0.14 }
  db3: { address: db3.example.org, options: { datasource-type: mysql, replication-host: localhost } }
  quiet: { address: 10.0.0.16 }
  app1: { address: 10.0.0.21, options: { application-port: 13306, application-address: 0.0.0.0 } }
  app2: { address: 10.0.0.22 }
  copy: { address: 10.0.0.31, options: { datasource-type: mariadb } }
`
const { config } = loadText(text)
const host = (name: string): HostConfig => {
  const found = config?.hosts.find((one) => one.name === name)
  if (found === undefined) throw new Error(`no ${name}`)
  return found
}

describe('a configuration with databases', () => {
  it('lists every clustered service with the members that have a database', () => {
    expect(config?.services).toEqual([
      {
        name: 'alpha',
        datasources: [
          { name: 'db1', host: '10.0.0.11', port: 3307, role: 'replica' },
          { name: 'db2', host: '192.0.2.12', port: 3308, role: 'primary' },
        ],
      },
      { name: 'beta', datasources: [{ name: 'db3', host: 'db3.example.org', port: 3306, role: 'primary' }] },
      { name: 'idle', datasources: [] },
    ])
  })

  it('gives the replicator of each host its database and account', () => {
    const password = { kind: 'env', name: 'REPLICATION_PASSWORD' }
    const account = { user: 'repl', password }
    const at = { host: '127.0.0.1', port: 3307 }
    expect(host('db1').database).toMatchObject({ type: 'mariadb', ...at, service: 'alpha', account })
    expect(host('db2').database).toMatchObject({ type: 'mysql', host: '192.0.2.12', port: 3308, account })
    expect(host('copy').database).toMatchObject({ type: 'mariadb', port: 3306, service: 'archive', account })
    for (const name of ['bare', 'w1', 'app1']) expect(host(name).database, name).toBeUndefined()
  })

  it('gives each manager its service and the monitoring account', () => {
    expect(
      ['db1', 'db2', 'bare', 'w1', 'db3', 'quiet'].map((name) => ({ name, ...host(name).member })),
    ).toEqual([
      { name: 'db1', service: 'alpha', datasource: 'db1', witness: false },
      { name: 'db2', service: 'alpha', datasource: 'db2', witness: false },
      { name: 'bare', service: 'alpha', datasource: null, witness: false },
      { name: 'w1', service: 'alpha', datasource: null, witness: true },
      { name: 'db3', service: 'beta', datasource: 'db3', witness: false },
      { name: 'quiet', service: 'idle', datasource: null, witness: false },
    ])
    expect(host('w1').monitor).toMatchObject({ user: 'monitor', password: { name: 'MONITOR_PASSWORD' } })
    for (const name of ['app1', 'copy']) {
      expect([host(name).member, host(name).monitor], name).toEqual([undefined, undefined])
    }
  })

  it('gives connectors the ports of the proxy', () => {
    const given = { ...proxySettings, readonlyPort: 9998, maxHold: 500 }
    expect(host('db1').proxy).toEqual(given)
    // The service without databases does not count beside one that has some.
    expect(host('app1').proxy).toEqual({ ...given, address: '0.0.0.0', port: 13306 })
    expect(host('db3').proxy?.service).toBe('beta')
    expect(host('db2').proxy).toBeUndefined()
  })

  it('gives a connector a proxy without a database if the file sets its port', () => {
    expect(host('app2').proxy).toMatchObject({ service: 'idle', port: 9999, readonlyPort: 9998 })
    const plain = loadText(good).config
    expect(plain?.hosts[0]).not.toHaveProperty('proxy')
    expect(plain?.hosts[0]).not.toHaveProperty('database')
    expect(plain?.services).toEqual([{ name: 'alpha', datasources: [] }])
    const set = loadText(good, { set: ['application-port=13306'] }).config
    expect(set?.hosts[0]?.proxy).toMatchObject({ port: 13306, readonlyPort: null })
  })

  it('gives the replicator an account only with type, user and password', () => {
    const all = ['datasource-type: mysql', 'replication-user: r', 'replication-password: !env P']
    const database = (lines: readonly string[]) =>
      loadText(good.replace('defaults:', `defaults:\n  ${lines.join('\n  ')}`)).config?.hosts[0]?.database
    expect(database(all)?.account?.user).toBe('r')
    expect(database(all.slice(1))).toBeUndefined()
    expect(database(all.slice(0, 2))?.account).toBeUndefined()
  })
})

describe('application-proxy-networks', () => {
  const load = (list: string) =>
    loadText(
      good.replace('defaults:', `defaults:\n  application-port: 9999\n  application-proxy-networks: ${list}`),
    )

  it('names load balancers by their addresses and networks, in canonical form', () => {
    const read = load(
      '[10.0.0.5, 10.0.1.0/24, 127.0.0.1, 127.0.0.0/8, "2001:DB8:0::/32", "::1", 10.0.0.6/32]',
    )
    expect(codes(read)).toEqual([])
    expect(read.config?.hosts[0]?.proxy?.balancerNetworks).toEqual([
      ...['10.0.0.5', '10.0.1.0/24', '127.0.0.1', '127.0.0.0/8', '2001:db8::/32', '::1', '10.0.0.6/32'],
    ])
    expect(
      loadText(good, { set: ['application-port=1', 'application-proxy-networks=10.0.0.5, ::1'] }).config,
    ).toMatchObject({ hosts: [{ proxy: { balancerNetworks: ['10.0.0.5', '::1'] } }] })
  })

  it.each([
    '"*"',
    '0.0.0.0/0',
    '::/0',
    '0.0.0.0',
    '"::"',
    '0.0.0.0/1',
    '128.0.0.0/1',
    '10.0.0.0/7',
    'fe00::/7',
    '::/8',
  ])('rejects %s, since everybody there could claim to be anybody', (word) => {
    const { diagnostics, config } = load(`[10.0.0.5, ${word}]`)
    expect(diagnostics.map(({ code, fix }) => [code, fix])).toEqual([
      [
        'wrong-type',
        'Name the hosts themselves, or their network: whoever is there may claim to be anybody.',
      ],
    ])
    expect(config).toBeUndefined()
  })

  it.each([
    'lb1',
    '10.0.0',
    '10.0.0.5/33',
    '10.0.0.0/24/24',
    '10.0.0.0/',
    '10.0.0.0/x',
    '2001:db8::/129',
    '"::ffff:10.0.0.0/120"',
  ])('rejects %s, which is no network', (word) => {
    expect(codes(load(`[${word}]`))).toEqual([expect.stringMatching(/ wrong-type$/)])
  })

  it('rejects a network that begins elsewhere, and says how to write it', () => {
    const { diagnostics } = load('[10.0.1.77/25, "2001:db8::1/44"]')
    expect(diagnostics.map(({ fix }) => fix)).toEqual([
      'Write 10.0.1.0/25 for the network, or 10.0.1.77 for one host.',
      'Write 2001:db8::/44 for the network, or 2001:db8::1 for one host.',
    ])
  })
})

describe('the port check of validate', () => {
  const local = (name: string, options: string): string =>
    `  ${name}: { connection: local, options: { install-directory: ${name}, manager-rest-api-port: ${options} } }\n`
  const twoHosts = (more: string): string => `cluster: alpha
defaults:
  rest-api-admin-user: admin
services:
  alpha: { topology: clustered, members: [db1], connectors: [app1, app2] }
hosts:
${local('db1', `18090${more}`)}${local('app1', '18091')}${local('app2', '18092, connector-rest-api-port: 18096')}`

  it('includes the ports of the proxy only if they are opened', () => {
    const clashes = (more: string): string[] =>
      codes(loadText(twoHosts(more))).filter((code) => code.endsWith('clash'))
    expect(clashes('')).toEqual([])
    expect(clashes(', datasource-type: mysql')).toEqual(['9 local-port-clash'])
  })

  it('finds a proxy on the port of the database', () => {
    const text = (more: string): string =>
      good.replace('defaults:', `defaults:\n  datasource-type: mysql${accounts}${more}`)
    const port = '\n  application-port: 3306'
    expect(codes(loadText(text('')))).toEqual([])
    expect(codes(loadText(text(port)))).toEqual(['8 port-clash'])
    expect(codes(loadText(text(`${port}\n  replication-host: 192.0.2.1`)))).toEqual([])
    expect(codes(loadText(text(`${port}\n  replication-host: localhost`)))).toEqual(['8 port-clash'])
    expect(codes(loadText(text(`${port}\n  replication-host: 10.0.0.11`)))).toEqual(['8 port-clash'])
  })
})
