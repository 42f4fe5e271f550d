import { describe, expect, it } from 'vitest'
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

  it('names each member that differs', () => {
    expect(difference({})).toEqual([])
    expect(difference({ logLevel: 'debug', listen: null, monitor: { user: 'm' } })).toEqual([
      'listen: null → none',
      'logLevel: debug → info',
      'monitor.user: m → none',
      'listen.address: none → 127.0.0.1',
      'listen.port: none → 8090',
    ])
  })

  it('says of a list what goes and what comes', () => {
    const [first = '', ...rest] = settings.allowedHosts
    expect(difference({ allowedHosts: ['a', ...rest] })).toEqual([`allowedHosts: - a, + ${first}`])
    expect(difference({ allowedHosts: [...rest, first] })).toEqual(['allowedHosts: another order'])
    expect(difference({ allowedHosts: [] })).toEqual([
      `allowedHosts: none → ${settings.allowedHosts.join(', ')}`,
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
      'services.services.alpha.datasources.db1: 10.0.0.11 3307 replica → 10.0.0.11 3306 replica',
      'services.services.alpha.datasources.db3: 10.0.0.11 3306 replica → none',
      'services.services.alpha.datasources.db2: none → 10.0.0.11 3306 replica',
    ])
  })

  it('says nothing of a text that is no JSON', () => {
    expect(settingsDifference('{', settings)).toEqual([])
  })
})
