import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { components } from '../../src/contracts/component.ts'
import { readServerSettings } from '../../src/contracts/serverSettings.ts'
import { betrays, makeSentinel } from '../lab/scenario/sentinel.ts'
import { eventually } from '../support/eventually.ts'
import { monitorSettings } from '../support/monitorSettings.ts'
import { freePort } from '../support/ports.ts'
import { listens, order } from './support/api.ts'
import { filesBelow, snapshot } from './support/snapshot.ts'
import { createWorld, type Host, type World } from './support/world.ts'

/** A host whose database does not run: what is installed for it, changed, kept and taken away. */
describe.skipIf(process.platform !== 'linux')('a cluster with databases (needs Linux)', () => {
  const [admin, replication, monitor, other] = [
    makeSentinel(),
    makeSentinel(),
    makeSentinel(),
    makeSentinel(),
  ]
  let world: World
  let host: Host
  let ports = { database: 0, clients: 0, reading: 0 }

  const databases = (changes: Readonly<Record<string, string | number>> = {}) => ({
    'rest-api-admin-pass': '!env ADMIN_PASS',
    'datasource-type': 'mariadb',
    'replication-user': 'repl',
    'replication-password': '!env REPLICATION_PASSWORD',
    'replication-port': ports.database,
    'monitor-user': 'watch',
    'monitor-password': '!env MONITOR_PASSWORD',
    'application-address': host.address,
    'application-port': ports.clients,
    'application-readonly-port': ports.reading,
    'connector-max-hold': '500ms',
    'switch-drain-timeout': '400ms',
    ...changes,
  })
  const share = (name: string): string => join(host.directory, 'share', name)
  const data = (name: string): string => join(host.directory, 'data', name)
  const secrets = (): Record<string, string> => JSON.parse(readFileSync(share('secrets.json'), 'utf8'))
  const open = async (): Promise<readonly boolean[]> =>
    Promise.all([ports.clients, ports.reading].map((port) => listens({ host: host.address, port })))
  const login = () => ({
    operator: world.operator,
    host,
    component: 'connector' as const,
    password: admin.password,
  })

  beforeAll(async () => {
    world = await createWorld(1)
    host = world.host('db1')
    ports = {
      database: await freePort(host.address),
      clients: await freePort(host.address),
      reading: await freePort(host.address),
    }
    world.operator.env.ADMIN_PASS = admin.password
    world.operator.env.REPLICATION_PASSWORD = replication.password
    world.operator.env.MONITOR_PASSWORD = monitor.password
    world.describe({ defaults: databases() })
  })
  afterAll(() => world?.close())

  it('has a plan that names the database accounts, and no password', async () => {
    const { code, stdout } = await world.muster('plan')
    expect(code).toBe(2)
    const clients = `clients of alpha at ${host.address}:${ports.clients}, to read at ${host.address}:${ports.reading}`
    expect(stdout).toContain(`connector: ${clients}`)
    expect(stdout).not.toContain('CREATE USER')
    expect(stdout).toContain("the accounts 'repl' (replication-user) and 'watch' (monitor-user)")
  })

  it('is installed with an open proxy, and with the SQL of accounts whose login failed', async () => {
    const { code, stdout, stderr } = await world.muster('install')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    // Its manager tries the account at the data source, too.
    expect(stdout).toMatch(/No login as 'repl' \(replication-user\) from db1: The database 127\.0\.0\.[12]:/)
    expect(stdout.match(/^CREATE USER .*$/gm)).toEqual([
      "CREATE USER IF NOT EXISTS 'repl'@'127.0.0.1' IDENTIFIED BY '<replication-password>';",
      "CREATE USER IF NOT EXISTS 'watch'@'127.0.0.1' IDENTIFIED BY '<monitor-password>';",
    ])
    const [, verdict] = stdout.split('\n\nDONE: 1 host in ')
    expect(verdict).toMatch(/^\d+\.\d s\n {2}manager +https:/)
    const [manager, connector, replicator] = components.map((component) =>
      readServerSettings(readFileSync(share(`${component}.json`), 'utf8')),
    )
    const datasource = { name: 'db1', host: host.address, port: ports.database, role: 'primary' }
    const map = { services: { services: [{ name: 'alpha', datasources: [datasource] }] } }
    expect(manager).toMatchObject({
      ...map,
      member: { service: 'alpha', datasource: 'db1', witness: false },
      monitor: monitorSettings,
    })
    expect(connector).toMatchObject({
      ...map,
      proxy: { service: 'alpha', port: ports.clients, maxHold: 500 },
    })
    expect(replicator?.database).toEqual({
      type: 'mariadb',
      host: '127.0.0.1',
      port: ports.database,
      user: 'repl',
      service: 'alpha',
    })
    expect(connector?.managerSocket).toBe(manager?.socket)
    expect(manager?.connectorSocket).toBe(connector?.socket)
    expect(await open()).toEqual([true, true])
    expect((await world.muster('status', ['-o', 'wide'])).stdout).toMatch(/^db1: clients of alpha at /m)
  })

  it('has its passwords only in the secrets file', () => {
    expect(secrets()).toMatchObject({
      'replication-password': replication.password,
      'monitor-password': monitor.password,
    })
    expect(statSync(share('secrets.json')).mode & 0o777).toBe(0o600)
    const betraying = [...filesBelow(world.folder)].filter((path) =>
      [replication, monitor].some((one) => betrays(one, readFileSync(path))),
    )
    expect(betraying).toEqual([share('secrets.json')])
    expect([replication, monitor].some((one) => betrays(one, world.operator.printed()))).toBe(false)
  })

  it('keeps the changes of API calls: the second run changes nothing', async () => {
    // Nothing listens where the database should be: once that is known, the components write no more by themselves.
    const known = () => ['manager', 'connector'].map((name) => readFileSync(data(`${name}.json`), 'utf8'))
    await eventually(() => expect(known().map((text) => text.includes('FAILED'))).toEqual([true, true]))
    expect(await order(login(), 'connector/offline')).toBe(200)
    expect(readFileSync(data('connector.json'), 'utf8')).toContain('OFFLINE')
    const everything = () => [snapshot(host.directory), host.pids()]
    const before = everything()
    const { code, stdout } = await world.muster('install')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^alpha: nothing to do on 1 host\.\n\ndb1 {2}nothing to do, logins verified.*\n/)
    expect(everything()).toEqual(before)
  })

  it('gets a changed password without a restart', async () => {
    world.operator.env.MONITOR_PASSWORD = other.password
    const before = { pids: host.pids(), state: snapshot(data('')) }
    const { code, stdout } = await world.muster('install')
    expect(code).toBe(0)
    expect(stdout).toContain('~ write passwords\n      share/secrets.json: [redacted] changed\n\n')
    expect(stdout).toContain('db1  done: 1 change, logins verified')
    expect(stdout).not.toContain('CREATE USER')
    expect(secrets()['monitor-password']).toBe(other.password)
    expect({ pids: host.pids(), state: snapshot(data('')) }).toEqual(before)
    expect([monitor, other].some((one) => betrays(one, world.operator.printed()))).toBe(false)
  })

  it('is not installed on a port that another program has', async () => {
    const before = snapshot(host.directory)
    world.describe({ defaults: databases({ 'application-port': host.server.port }) })
    const taken = await world.muster('install')
    expect(taken.code).toBe(1)
    expect(taken.stderr).toContain(`port ${host.server.port} of the connector's clients is in use`)
    expect(snapshot(host.directory)).toEqual(before)
  })

  it('keeps its state through a restart with other settings', async () => {
    const { manager, replicator, connector } = host.pids()
    world.describe({ defaults: databases({ 'connector-drain-timeout': '20s' }) })
    const { code, stdout } = await world.muster('install')
    expect(code).toBe(0)
    expect(stdout).toContain('connector-drain-timeout: 30s → 20s')
    expect(host.pids()).toMatchObject({ manager, replicator })
    expect(host.pids().connector).not.toBe(connector)
    expect(readFileSync(data('connector.json'), 'utf8')).toContain('OFFLINE')
    expect(await order(login(), 'connector/online')).toBe(200)
    expect(await open()).toEqual([true, true])
  })

  it('loses passwords and proxy if the file no longer names them', async () => {
    world.describe({ defaults: { 'rest-api-admin-pass': '!env ADMIN_PASS' } })
    const { code, stdout } = await world.muster('install')
    expect(code).toBe(0)
    expect(stdout).not.toContain('CREATE USER')
    expect(Object.keys(secrets())).toEqual(['java-keystore-password', 'java-truststore-password'])
    expect(await open()).toEqual([false, false])
  })

  it('is uninstalled with the changes of API calls', async () => {
    expect((await world.muster('uninstall')).code).toBe(0)
    expect(filesBelow(host.directory)).toEqual([])
  })
})
