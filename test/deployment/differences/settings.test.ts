import { describe, expect, it } from 'vitest'
import { allOptions } from '../../../src/config/settings/options.ts'
import type { ServerSettings } from '../../../src/contracts/serverSettings.ts'
import { settingsDifference } from '../../../src/deployment/differences/settings.ts'
import { targetOf } from '../steps/target.ts'

const source = (name: string, port = 3306) => ({ name, host: '10.0.0.11', port, role: 'replica' as const })

describe('settingsDifference', () => {
  const [manager] = targetOf().components
  if (manager === undefined) throw new Error('no manager')
  const settings: ServerSettings = {
    ...manager.settings,
    services: { services: [{ name: 'alpha', datasources: [source('db1'), source('db2')] }] },
  }
  const difference = (before: object): readonly string[] =>
    settingsDifference(JSON.stringify({ ...settings, ...before }), settings)

  it('names each member that differs by its option', () => {
    expect(difference({})).toEqual([])
    expect(difference({ logLevel: 'debug', listen: null, monitor: { user: 'm' } })).toEqual([
      'manager-rest-api: false → true',
      'log-level: debug → info',
      'monitor-user: m → none',
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
      'secretsFile: /old → none',
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
      'services.alpha.datasources.db1: 10.0.0.11 3307 replica → 10.0.0.11 3306 replica',
      'services.alpha.datasources.db3: 10.0.0.11 3306 replica → none',
      'services.alpha.datasources.db2: none → 10.0.0.11 3306 replica',
    ])
  })

  it('gives every option of the configuration that a member comes from its own name, durations with a unit', () => {
    const proxy = {
      service: 'alpha',
      address: '0.0.0.0',
      port: 1,
      readonlyPort: 2,
      maxHeld: 3,
      maxHold: 8000,
      drainTimeout: 30_000,
    }
    const database = { type: 'mariadb' as const, host: 'h', port: 3306, user: 'u', service: 'alpha' }
    const all: ServerSettings = {
      ...settings,
      proxy,
      database,
      remoteBootstrap: true,
      monitor: { user: 'm' },
    }
    const lines = settingsDifference(JSON.stringify(settings), all)
    const known = new Set(allOptions.map(({ name }) => name))
    const names = lines.map((line) => line.split(':')[0] ?? '')
    expect(names.filter((name) => !known.has(name))).toEqual(['proxy.service', 'database.service'])
    expect(names).toHaveLength(14)
    expect(lines).toContain('connector-max-hold: none → 8s')
    expect(lines).toContain('connector-drain-timeout: none → 30s')
  })

  it('says nothing of a text that is no JSON', () => {
    expect(settingsDifference('{', settings)).toEqual([])
  })
})
