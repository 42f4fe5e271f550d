import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { allOptions } from '../../src/config/settings/options.ts'
import type { ServerSettings } from '../../src/contracts/serverSettings.ts'
import {
  changeLines,
  lineDifference,
  optionChangeText,
  settingsDifference,
} from '../../src/deployment/differences.ts'
import { monitorSettings } from '../support/monitorSettings.ts'
import { proxySettings } from '../support/proxySettings.ts'
import { targetOf } from './steps/target.ts'

const text = (...lines: readonly string[]) => `${lines.join('\n')}\n`

describe('the difference of two texts', () => {
  it('is the lines that go and come, in their order', () => {
    const before = text('[Unit]', 'Description=old', '[Service]', 'Restart=no', 'User=muster')
    const after = text('[Unit]', 'Description=new', '[Service]', 'User=muster', 'RestartSec=2')
    expect(lineDifference(before, after)).toEqual([
      '- Description=old',
      '+ Description=new',
      '- Restart=no',
      '+ RestartSec=2',
    ])
    expect(lineDifference(before, before)).toEqual([])
    expect(lineDifference('', text('a'))).toEqual(['- ', '+ a'])
  })

  it('makes the one text of the other, and says no more than is needed', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 7 })
    fc.assert(
      fc.property(lines, lines, (was, is) => {
        const said = lineDifference(text(...was), text(...is))
        const gone = said.filter((line) => line.startsWith('-')).map((line) => line.slice(2))
        const come = said.filter((line) => line.startsWith('+')).map((line) => line.slice(2))
        const count = (words: readonly string[], word: string) => words.filter((one) => one === word).length
        for (const word of ['a', 'b', 'c']) {
          expect(count(was, word) - count(gone, word) + count(come, word)).toBe(count(is, word))
        }
        expect(was.length - gone.length).toBe(longestCommon(was, is))
        expect(lineDifference(text(...is), text(...was))).toHaveLength(said.length)
      }),
    )
  })

  it('hides what somebody may have kept secret in the text of a host', () => {
    const before = text(
      'Environment=TOKEN=abc "OTHER=d e f"',
      'ExecStartPre=/bin/login --password=hunter2',
      '# the passphrase is hunter2',
      'SetCredential=a:b',
      'Environment=A=1 \\',
      '  B=2',
      'User=ops',
    )
    expect(lineDifference(before, text('User=muster'))).toEqual([
      '- Environment=[redacted]',
      '- ExecStartPre=[redacted]',
      '- [redacted]',
      '- SetCredential=[redacted]',
      '- Environment=[redacted]',
      '- [redacted]',
      '- User=ops',
      '+ User=muster',
    ])
  })

  it('shows twenty lines at most, none of them long, and nothing that moves a cursor', () => {
    const many = text(...Array.from({ length: 30 }, (_, index) => `line ${index}`))
    const said = lineDifference(text('line 0'), many)
    expect(said).toHaveLength(21)
    expect(said.at(-1)).toBe('and 9 more lines')
    expect(lineDifference(text('a'), text('b'.repeat(500)))[1]).toHaveLength(160)
    expect(lineDifference(text('a\u001b[2J'), text('b'))).toEqual(['- a\ufffd[2J', '+ b'])
    expect(lineDifference(many.repeat(40), many)).toEqual([])
  })
})

/** The plain definition, to compare with. */
function longestCommon(one: readonly string[], other: readonly string[]): number {
  const [first, ...rest] = one
  if (first === undefined) return 0
  const at = other.indexOf(first)
  const without = longestCommon(rest, other)
  return at === -1 ? without : Math.max(without, 1 + longestCommon(rest, other.slice(at + 1)))
}

/** The lines of a difference, each with one host. */
function settingsLines(before: unknown, after: ServerSettings): readonly string[] {
  const { own, known } = settingsDifference(before, after)
  return changeLines(own.map(optionChangeText), known)
}

const source = (name: string, port = 3306) => ({ name, host: '10.0.0.11', port, role: 'replica' as const })

describe('settingsDifference', () => {
  const [manager] = targetOf().components
  if (manager === undefined) throw new Error('no manager')
  const settings: ServerSettings = {
    ...manager.settings,
    services: { services: [{ name: 'alpha', datasources: [source('db1'), source('db2')] }] },
  }
  const difference = (before: object): readonly string[] =>
    settingsLines({ ...settings, ...before }, settings)

  it('names each member that differs by its option', () => {
    expect(difference({})).toEqual([])
    expect(
      difference({ logLevel: 'debug', listen: null, monitor: { ...monitorSettings, user: 'm' } }),
    ).toEqual([
      'manager-rest-api: false → true',
      'log-level: debug → info',
      'monitor-user: m → none',
      'on-outside-change: follow → none',
      'manager-rest-api-address: none → 127.0.0.1',
      'manager-rest-api-port: none → 8090',
    ])
  })

  it('says of a list what goes and what comes', () => {
    const [first = '', ...rest] = settings.allowedHosts
    expect(difference({ allowedHosts: ['a', ...rest] })).toEqual([`rest-api-allowed-hosts: - a, + ${first}`])
    expect(difference({ allowedHosts: [...rest, first] })).toEqual(['rest-api-allowed-hosts: another order'])
    expect(difference({ allowedHosts: [] })).toEqual([
      `rest-api-allowed-hosts: none → ${settings.allowedHosts.join(', ')}`,
    ])
  })

  it('shows no secret that somebody wrote there, and no more than twenty lines', () => {
    expect(difference({ monitor: { password: 'hunter2' }, secretsFile: '/old' })).toEqual([
      'monitor.password: [redacted] changed',
      'file of the passwords: /old → none',
    ])
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`more${index}`, index]))
    expect(difference(many)).toHaveLength(21)
    expect(difference(many).at(-1)).toBe('and 10 more lines')
  })

  it('gives each data source one line, wherever it stands in the list', () => {
    const services = (...datasources: object[]) => ({
      services: { services: [{ name: 'alpha', datasources }] },
    })
    expect(difference(services(source('db2'), source('db1')))).toEqual([])
    expect(difference(services(source('db1', 3307), source('db3')))).toEqual([
      'services.alpha.members.db3: 10.0.0.11 3306 replica → none',
      'services.alpha.members.db2: none → 10.0.0.11 3306 replica',
      'replication-port of db1: 3307 → 3306',
    ])
  })

  it('gives every option of the configuration that a member comes from its own name, durations with a unit', () => {
    const database = { type: 'mariadb' as const, host: 'h', port: 3306, user: 'u', service: 'alpha' }
    const all: ServerSettings = {
      ...settings,
      proxy: { ...proxySettings, readonlyPort: 9998, balancerNetworks: ['10.0.0.5'] },
      database,
      remoteBootstrap: true,
      monitor: { ...monitorSettings, user: 'm', maxReplicaLag: 30_000 },
    }
    const lines = settingsDifference(settings, all).own.map(optionChangeText)
    const known = new Set(allOptions.map(({ name }) => name))
    const names = lines.map((line) => line.split(':')[0] ?? '')
    expect(names.filter((name) => !known.has(name))).toEqual([
      'service of application-port',
      'service of replication-user',
    ])
    const groups = [proxySettings, database, monitorSettings]
    const count = groups.reduce((sum, group) => sum + Object.keys(group).length, 0)
    expect(names).toHaveLength(count + 1)
    expect(lines).toContain('max-replica-lag: none → 30s')
    expect(lines).toContain('connector-max-hold: none → 8s')
    expect(lines).toContain('connector-drain-timeout: none → 30s')
    expect(lines).toContain('application-proxy-networks: none → 10.0.0.5')
  })

  it('names no member of the settings as the programs do', () => {
    const path = '/opt/x'
    const peer = { name: 'db2', names: ['db2'] }
    const all: Required<Omit<ServerSettings, 'listen'>> & Pick<ServerSettings, 'listen'> = {
      version: 1,
      cluster: 'beta',
      host: 'db9',
      component: 'manager',
      listen: { address: '10.0.0.1', port: 1 },
      socket: path,
      tls: { key: path, chain: path, authorities: path },
      channel: { address: '0.0.0.0', port: 1 },
      peers: [peer],
      usersFile: path,
      auditFile: path,
      allowedHosts: ['x'],
      remoteBootstrap: true,
      logLevel: 'debug',
      log: { file: path },
      database: { type: 'mysql', host: 'h', port: 1, user: 'u', service: 'alpha' },
      databaseProof: { authorities: path, ownNames: ['db9'] },
      secretsFile: path,
      services: { services: [{ name: 'beta', datasources: [source('db9')] }] },
      stateFile: path,
      member: { service: 'beta', datasource: 'db9', witness: false },
      monitor: { ...monitorSettings, user: 'm', maxReplicaLag: 1 },
      switching: { user: 'u', maxLag: 1, maxTransaction: 1, drainTimeout: 1, maxHold: 8000 },
      connectorSocket: path,
      proxy: { ...proxySettings, readonlyPort: 1 },
      managerSocket: path,
      replicatorSocket: path,
      dashboard: [
        {
          ...{ name: 'db2', address: '10.0.0.2', names: ['db2'], certificateWarningDays: 30 },
          apis: [{ component: 'manager', listen: { address: '10.0.0.2', port: 1 } }],
          channel: { address: '10.0.0.2', port: 1 },
          clients: { service: 'beta', readWrite: '10.0.0.2:1', readOnly: null },
        },
      ],
      managers: [{ ...peer, address: '10.0.0.2', port: 1 }],
      pidFile: path,
      user: 'muster',
    }
    const lines = [
      ...settingsLines({ version: 0 }, all),
      ...settingsLines({ ...all, version: 0 }, { version: 1 } as ServerSettings),
    ]
    // Twenty lines at most are shown: the parts, one after another.
    const parts = Object.keys(all).flatMap((member) => {
      const { [member as keyof typeof all]: _, ...without } = all
      return settingsLines(without, all)
    })
    const known = new Set(allOptions.map(({ name }) => name))
    const names = [...lines, ...parts].map((line) => line.split(': ')[0] ?? '')
    expect(parts.length).toBeGreaterThan(45)
    const inWords = names.filter((name) => !known.has(name) && !/^(and \d+|[a-z ]+)/.test(name))
    expect(inWords).toEqual([])
    expect(
      names.filter((name) => /[a-z][A-Z]|\b(proxy|monitor|database|peers|listen|switching|tls)\./.test(name)),
    ).toEqual([])
    expect(parts).toEqual(
      expect.arrayContaining([
        'connector-max-hold: none → 8s',
        'services.beta.members.db9: none → 10.0.0.11 3306 replica',
        'manager-dashboard: false → true',
        'manager of db2: none → reached',
        'login by certificate of db2: none → allowed',
        'file of the passwords: none → /opt/x',
      ]),
    )
  })

  it('says nothing of a text that is no JSON', () => {
    expect(settingsLines(undefined, settings)).toEqual([])
  })
})
