import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type {
  DatabaseAccountReport,
  DatabaseReport,
} from '../../../src/deployment/discovery/databaseReport.ts'
import { nameDiscovered } from '../../../src/deployment/discovery/discoveredHosts.ts'
import type { HostDiscovery, HostInstallation } from '../../../src/deployment/discovery/discoverHost.ts'
import { outlineDiscovery } from '../../../src/deployment/discovery/outlineDiscovery.ts'
import { outlineText } from '../../../src/output/config/outlineText.ts'
import { Secret } from '../../../src/secrets/secret.ts'
import { loadText } from '../../config/loadText.ts'
import { hostFacts } from '../../support/deploymentValues.ts'
import { database, discovery, replica } from './discovered.ts'

const folder = fileURLToPath(new URL('../../fixtures/discovery', import.meta.url))

type Host = HostDiscovery & {
  readonly given?: { readonly name?: string; readonly address: string; readonly port?: number }
}

const written = (hosts: readonly Host[], cluster?: string): string => {
  const read = hosts.map(({ given, ...one }, index) => ({
    given: given ?? { address: `10.0.0.1${index + 1}` },
    discovery: one,
  }))
  const named = nameDiscovered(read, cluster)
  const outline = outlineDiscovery({
    cluster: named.cluster,
    hosts: named.hosts,
    failed: [{ address: '10.0.0.77', reason: 'no route to host' }],
    ssh: { user: 'ops', become: true },
  })
  if (outline === undefined) return ''
  const text = outlineText(outline)
  const { diagnostics } = loadText(text)
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
  return text
}

const installation = (cluster: string, host: string, users?: Secret): HostInstallation => {
  const facts = hostFacts()
  return {
    folder: '/opt/muster',
    manifest: { version: 1, cluster, host },
    installed: { ...facts, installation: { ...facts.installation, ...(users && { users }) } },
  }
}

const flat = (text: string): string => text.replaceAll(/\n\s*# /g, ' ')

const account = (user: string, ...privileges: readonly string[]): DatabaseAccountReport => ({
  user,
  host: '%',
  privileges: new Set(privileges),
})
const replicatorRights = [
  ...['SLAVE MONITOR', 'BINLOG MONITOR', 'REPLICATION SLAVE ADMIN', 'RELOAD', 'PROCESS', 'CONNECTION ADMIN'],
  ...['READ_ONLY ADMIN', 'REPLICATION MASTER ADMIN', 'REPLICATION SLAVE'],
]
const accounts = [
  account('root', 'SUPER', 'SELECT', ...replicatorRights),
  account('app', 'SELECT', 'INSERT'),
  account('watcher', 'SLAVE MONITOR', 'BINLOG MONITOR'),
  account('repl_admin', ...replicatorRights),
]
const withAccounts = (one: DatabaseReport): DatabaseReport => ({ ...one, accounts })

describe('the file of a discovered cluster', () => {
  it('has what a person would write, with its comments', async () => {
    const text = written([
      discovery(1, { database: withAccounts(replica(1)), programs: new Map([['mariadbd', 1]]) }),
      discovery(2, {
        database: { ...withAccounts(replica(2, '10.0.0.11')), port: 3307 },
        listeners: [{ address: '0.0.0.0', port: 8090 }],
        ini: {
          path: '/etc/tungsten/tungsten.ini',
          text: '[defaults]\n[east_coast]\ntopology=clustered\nmaster=db2\nmembers=db1,db2\nconnectors=px1\n',
        },
      }),
      discovery(3, {
        ...{ database: 'the login at it failed: ERROR 1698', isRoot: false, systemd: false },
        programs: new Map([['mariadbd', 1]]),
      }),
      {
        ...discovery(4, { hostname: 'px1', programs: new Map([['maxscale', 1]]) }),
        given: { address: '10.0.0.21', port: 2222 },
      },
      { ...discovery(5), given: { name: 'web1', address: '10.0.0.31' } },
    ])
    await expect(text).toMatchFileSnapshot(`${folder}/mixed.yaml`)
    expect(text).not.toMatch(/app|root:/)
  })

  it('names the servers of MariaDB that start writable, with what to change', () => {
    const file = '/etc/mysql/mariadb.conf.d/50-server.cnf'
    const configuredReadOnly = { isReadOnly: false, place: `${file}:12`, group: { file, name: 'mysqld' } }
    const text = (own: Parameters<typeof discovery>[1]): string =>
      flat(written([discovery(1, { database: replica(1), ...own })]))
    const sentence = `After a restart it can be written, whatever its role: ${file}:12 switches read_only off. Write read_only=1 there;`
    expect(text({ configuredReadOnly })).toContain(sentence)
    const others = [
      text({}),
      text({ configuredReadOnly: { ...configuredReadOnly, isReadOnly: true } }),
      text({ configuredReadOnly, database: { ...database(), type: 'mysql', version: '8.4.3' } }),
    ]
    for (const other of others) expect(other).not.toContain('After a restart')
  })

  it('is undefined where there is nothing that a service could have', () => {
    expect(written([discovery(1)])).toBe('')
    expect(written([discovery(1, { programs: new Map([['haproxy', 1]]) })])).toBe('')
  })

  it('names no account where none or several suit', () => {
    const none = flat(written([discovery(1, { database: replica(1) })]))
    expect(none).toContain('No account has the privileges of monitor-user on every server')
    expect(none).not.toContain('MONITOR_PASSWORD')
    const more = {
      ...replica(1),
      accounts: [...accounts, account('second', 'SLAVE MONITOR', 'BINLOG MONITOR')],
    }
    const several = written([discovery(1, { database: more })])
    expect(flat(several)).toContain('watcher and second all suit as monitor-user')
    expect(several).toContain('replication-user: repl_admin')
    const other = discovery(2, { database: replica(2, '10.0.0.11') })
    expect(flat(written([discovery(1, { database: withAccounts(replica(1)) }), other]))).toContain(
      'No account has',
    )
  })

  it('gives a name that several hosts claim to none of them', () => {
    const liar = {
      ...discovery(2, { hostname: 'db1', database: replica(2) }),
      given: { address: '10.0.0.66' },
    }
    const text = written([discovery(1, { database: replica(1) }), liar])
    expect(text).toContain('  host-10-0-0-11:\n')
    expect(text).toContain('  host-10-0-0-66:\n')
    expect(flat(text)).toContain('several hosts say that they are db1')
    const given = { ...discovery(1, { database: replica(1) }), given: { name: 'db1', address: '10.0.0.11' } }
    expect(written([given, liar])).toContain('  db1:\n    address: 10.0.0.11')
  })

  it('gives no host the name that another one has from the operator', () => {
    const clones = [1, 2].map((number) => discovery(number, { hostname: 'clone', database: replica(number) }))
    const liar = {
      ...discovery(3, { hostname: 'host-10-0-0-11', database: replica(3) }),
      given: { address: '10.0.0.66' },
    }
    const text = written([...clones, liar])
    expect(text).toContain('  host-10-0-0-11:\n    address: 10.0.0.11\n')
    expect(text).toContain('  host-10-0-0-66:\n    address: 10.0.0.66\n')
  })

  it('takes no host for a source because it calls itself like the host that the operator named', () => {
    const primary = {
      ...discovery(1, { hostname: 'db1.prod', database: replica(1) }),
      given: { name: 'db1', address: '10.0.0.11' },
    }
    const liar = {
      ...discovery(3, { hostname: 'db1.prod', database: replica(1) }),
      given: { address: '10.0.0.66' },
    }
    const text = flat(written([primary, discovery(2, { database: replica(2, 'db1.prod') }), liar]))
    expect(text).toContain('db1 and db1.prod all say that they are db1.prod')
    expect(text).not.toContain('It follows')
  })

  it('is that of the installation that most hosts have, however many one of them has', () => {
    const text = written([
      discovery(1, { installations: ['evil', 'evil', 'evil'].map((name) => installation(name, 'db1')) }),
      ...[2, 3].map((number) =>
        discovery(number, {
          database: replica(number),
          installations: [installation('prod', `db${number}`)],
        }),
      ),
    ])
    expect(text).toContain('cluster: prod\n')
  })

  it('has the users that all installations have alike, and only names the others', () => {
    const users = (...levels: readonly (readonly [string, string])[]): Secret =>
      new Secret(
        JSON.stringify({
          version: 1,
          users: levels.map(([user, access]) => ({
            ...{ user, access },
            hash: `$scrypt$ln=14,r=8,p=5$${'A'.repeat(22)}$${'A'.repeat(43)}`,
          })),
        }),
      )
    const host = (number: number, file: Secret) =>
      discovery(number, {
        database: replica(number),
        installations: [installation('prod', `db${number}`, file)],
      })
    const honest = [
      ['admin', 'full'],
      ['grafana', 'read'],
    ] as const
    const text = written([
      host(1, users(['admin', 'full'], ['grafana', 'full'], ['mallory', 'full'])),
      host(2, users(...honest)),
      host(3, users(...honest)),
    ])
    expect(text).toContain('  rest-api-admin-user: admin\n')
    expect(text).not.toContain('rest-api-users: ')
    expect(flat(text)).toContain('with the same access: grafana and mallory.')
    expect(written([host(2, users(...honest)), host(3, users(...honest))])).toContain(
      'rest-api-users: { grafana: { access: read } }',
    )
  })

  it('holds nothing but data and comments, whatever a host says', () => {
    const nasty = 'x\n  evil: !exec [id] # muster-ignore: a b'
    const text = written([
      discovery(1, {
        hostname: nasty,
        os: nasty,
        database: database({ version: '11.8', datadir: '?' }),
        ini: { path: '/etc/tungsten.ini', text: `[${nasty}]\nmembers=db1\n[x\u0000y]\nmembers=${nasty}\n` },
      }),
    ])
    const lines = text.split('\n').filter((line) => !line.trim().startsWith('#'))
    expect(lines.join('\n')).not.toMatch(/evil|!exec/)
    expect(loadText(text).ignores).toEqual([])
  })

  it('is read again by the golden file as it stands', () => {
    const { config } = loadText(readFileSync(`${folder}/mixed.yaml`, 'utf8'))
    expect(config?.services[0]?.datasources.map(({ name, role, port }) => `${name} ${role} ${port}`)).toEqual(
      ['db1 primary 3306', 'db2 replica 3307', 'db3 replica 3306'],
    )
  })
})
