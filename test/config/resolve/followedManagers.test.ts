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
const found = (text: string): readonly string[] =>
  codes(loadText(text)).filter((code) => code.endsWith('managers-unreachable'))

function hostOf(text: string, name: string): HostConfig {
  const host = loadText(text).config?.hosts.find((one) => one.name === name)
  if (!host) throw new Error(`no ${name}`)
  return host
}

const at = (name: string, address: string, port = 8090, reached = address) => ({
  ...{ name, names: [name, address] },
  ...{ address: reached, port },
})

describe('a connector on a host without a manager', () => {
  it('follows the managers of all members at the addresses at which they listen', () => {
    const text = cluster({
      all: everywhere,
      db2: 'manager-rest-api-address: 192.0.2.2, manager-rest-api-port: 18090',
    })
    expect(hostOf(text, 'app1').managers).toEqual([
      at('db1', '10.0.0.11'),
      at('db2', '10.0.0.12', 18090, '192.0.2.2'),
    ])
    expect(hostOf(text, 'app1')).not.toHaveProperty('peers')
    // It has a manager of its own.
    expect(hostOf(text, 'db2')).not.toHaveProperty('managers')
  })

  it('is fine with one that it reaches', () => {
    const text = cluster({ db2: everywhere })
    expect(found(text)).toEqual([])
    expect(hostOf(text, 'app1').managers).toEqual([at('db2', '10.0.0.12')])
  })

  it.each([
    ['listen on loopback, which they do by default', {}],
    ['are off', { all: 'manager-rest-api: false' }],
    ['are off or on loopback', { db1: 'manager-rest-api: false', db2: 'manager-rest-api-address: "::1"' }],
  ])('is an error where the APIs of all managers %s', (_what, options) => {
    expect(found(cluster(options))).toEqual([expect.stringMatching(/^\d+ managers-unreachable$/)])
  })

  it('is none where no database is configured', () => {
    const text = cluster().replaceAll(/ {2}(datasource-type|monitor|replication).*\n/g, '')
    expect(found(text)).toEqual([])
    expect(hostOf(text, 'app1')).not.toHaveProperty('managers')
  })

  it('reaches managers on loopback of the machine that it shares with them', () => {
    const text = cluster(
      {
        db1: 'install-directory: a',
        db2: 'install-directory: b, manager-rest-api-port: 18091, connector-rest-api-port: 18096, replicator-rest-api-port: 18097, replication-port: 3307, application-port: 9990',
        app1: 'install-directory: c',
      },
      ', connection: local',
    )
    expect(found(text)).toEqual([])
    expect(hostOf(text, 'app1').managers).toEqual([
      at('db1', '10.0.0.11', 8090, '127.0.0.1'),
      at('db2', '10.0.0.12', 18091, '127.0.0.1'),
    ])
  })
})

describe('a manager', () => {
  it('tells all other hosts of its service, by names that their certificates have, where they reach it', () => {
    const text = cluster({ db1: everywhere })
    expect(hostOf(text, 'db1').peers).toEqual([
      { name: 'db2', names: ['db2', '10.0.0.12'] },
      { name: 'app1', names: ['app1', '10.0.0.21'] },
    ])
    expect(hostOf(text, 'db2')).not.toHaveProperty('peers')
  })
})
