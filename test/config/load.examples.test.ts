import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { validate } from '../../src/commands/validate.ts'
import { loadConfig } from '../../src/config/load.ts'
import { commandContext } from './commandContext.ts'

const folder = fileURLToPath(new URL('../../examples', import.meta.url))
const names = readdirSync(folder).filter((name) => name.endsWith('.yaml'))

const load = (name: string) =>
  loadConfig({
    files: [{ name, directory: folder, text: readFileSync(`${folder}/${name}`, 'utf8') }],
    home: '/home/ops',
  }).config

describe('the folder examples/', () => {
  it('has an example for each kind of installation', () => {
    expect(names).toEqual(['databases.yaml', 'quickstart.yaml', 'replicator-only.yaml', 'three-hosts.yaml'])
  })

  it.each(names)('has no finding in %s', async (name) => {
    const { context, out } = commandContext({
      cwd: folder,
      env: {
        HOME: '/home/ops',
        ADMIN_PASS: 'x8Jw-Rt2q_Lm0',
        REPLICATION_PASSWORD: 'q4Vz-Nc7h_Ws1',
        MONITOR_PASSWORD: 'k2Ht-Bx9m_Yd6',
      },
    })
    const code = await validate({
      context,
      files: [name],
      set: [],
      format: 'text',
      strict: true,
      resolveSecrets: false,
    })
    expect(out()).toMatch(/^The configuration of \S+ is valid: .*\n$/)
    expect(code).toBe(0)
  })

  it('installs on this machine, next to the file, with quickstart.yaml', () => {
    const [host, ...others] = load('quickstart.yaml')?.hosts ?? []
    expect(others).toEqual([])
    expect(host).toMatchObject({
      connection: 'local',
      address: '127.0.0.1',
      installDirectory: `${folder}/quickstart`,
      users: [{ user: 'admin' }],
    })
    expect(host?.apis.map(({ component, address, port }) => `${component} ${address}:${port}`)).toEqual([
      'manager 127.0.0.1:8090',
      'connector 127.0.0.1:8096',
      'replicator 127.0.0.1:8097',
    ])
  })

  it('opens every API of three SSH hosts with three-hosts.yaml', () => {
    const hosts = load('three-hosts.yaml')?.hosts ?? []
    expect(hosts.map(({ name, address }) => `${name} ${address}`)).toEqual([
      'db1 10.0.0.11',
      'db2 10.0.0.12',
      'db3 10.0.0.13',
    ])
    for (const host of hosts) {
      expect(host).toMatchObject({ connection: 'ssh', ssh: { user: 'ops', become: true } })
      expect(host.users[0]).toMatchObject({ user: 'admin', password: { kind: 'env', name: 'ADMIN_PASS' } })
      expect(host.apis.map(({ address }) => address)).toEqual(['0.0.0.0', '0.0.0.0', '0.0.0.0'])
    }
  })

  it('gives members a database with both accounts, and connectors a proxy, with databases.yaml', () => {
    const config = load('databases.yaml')
    const sources = config?.services.flatMap(({ datasources }) => datasources) ?? []
    expect(sources.map(({ name, host, port, role }) => `${name} ${host}:${port} ${role}`)).toEqual([
      'db1 10.0.0.11:3306 primary',
      'db2 10.0.0.12:3307 replica',
      'db3 10.0.0.13:3306 replica',
    ])
    const hosts = config?.hosts ?? []
    expect(hosts.flatMap(({ name, proxy }) => (proxy === undefined ? [] : [name]))).toEqual(['db3', 'app1'])
    for (const host of hosts.filter(({ name }) => name !== 'app1')) {
      expect(host).toMatchObject({
        database: { type: 'mariadb', account: { user: 'muster' } },
        monitor: { user: 'muster_monitor' },
      })
    }
  })

  it('runs only the replicator with replicator-only.yaml', () => {
    const hosts = load('replicator-only.yaml')?.hosts ?? []
    expect(hosts.map(({ apis }) => apis.map(({ component }) => component))).toEqual([
      ['replicator'],
      ['replicator'],
    ])
  })
})
