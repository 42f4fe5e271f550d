import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { components } from '../../src/contracts/component.ts'
import { readServerSettings } from '../../src/contracts/serverSettings.ts'
import { betrays, makeSentinel } from '../lab/scenario/sentinel.ts'
import { eventually } from '../support/eventually.ts'
import { hasMariadb, type MariadbLab, mariadbLab } from '../support/mariadb.ts'
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

  it('has in audit what people did through the APIs, beside the runs', async () => {
    const { code, stdout } = await world.muster('audit')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^RUN /)
    expect(stdout).toContain('\n\nChanges through the APIs, by tapi or the dashboard, and by managers:\n')
    expect(stdout).toMatch(/^\d{4}-\S+Z {2}\S+ brought the connector online, on db1$/m)
    const { calls } = JSON.parse((await world.muster('audit', ['--json'])).stdout)
    expect(calls[0]).toMatchObject({ what: 'connectorOnline', hosts: ['db1'], result: 'succeeded' })
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

/** A host with a real server, whose accounts have other passwords than the file. */
describe.skipIf(process.platform !== 'linux' || !hasMariadb)(
  'a cluster whose database rejects an account (needs Linux and MariaDB)',
  () => {
    const [admin, replication, monitor, wrong] = [
      makeSentinel(),
      makeSentinel(),
      makeSentinel(),
      makeSentinel(),
    ]
    let world: World
    let servers: MariadbLab

    beforeAll(async () => {
      world = await createWorld(1)
      servers = await mariadbLab()
      const { address } = world.host('db1')
      const server = await servers.server({ options: [`--bind-address=${address}`] })
      const text = (word: string): string => `'${word.replaceAll(/[\\']/g, '\\$&')}'`
      await server.sql(
        `CREATE USER repl@'%' IDENTIFIED BY ${text(replication.password)}`,
        `CREATE USER watch@'%' IDENTIFIED BY ${text(monitor.password)}`,
        "GRANT ALL ON *.* TO repl@'%'",
        "GRANT ALL ON *.* TO watch@'%'",
      )
      Object.assign(world.operator.env, {
        ADMIN_PASS: admin.password,
        REPLICATION_PASSWORD: replication.password,
        MONITOR_PASSWORD: wrong.password,
      })
      world.describe({
        defaults: {
          'rest-api-admin-pass': '!env ADMIN_PASS',
          'datasource-type': 'mariadb',
          'replication-user': 'repl',
          'replication-password': '!env REPLICATION_PASSWORD',
          'replication-host': address,
          'replication-port': server.port,
          'monitor-user': 'watch',
          'monitor-password': '!env MONITOR_PASSWORD',
          'application-port': await freePort(address),
        },
      })
    })
    afterAll(async () => {
      await world?.close()
      await servers?.end()
    })

    const incomplete = async (account: string): Promise<void> => {
      const { code, stdout } = await world.muster('install')
      expect(code, stdout).toBe(6)
      expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
        ` s, but the databases reject ${account} manager https:`,
      )
      expect(stdout).toContain(`No login as ${account} from db1: The database `)
      expect(stdout).toMatch(/^INCOMPLETE: 1 host in /m)
    }
    const checkFails = async (account: string): Promise<void> => {
      const { code, stdout } = await world.muster('check')
      expect(code, stdout).toBe(1)
      expect(stdout.replaceAll(/\s+/g, ' ')).toContain(`no login as ${account} at`)
    }
    const statusNames = (problem: RegExp): Promise<void> =>
      eventually(async () => {
        const { code, stdout } = await world.muster('status')
        expect(code, stdout).toBe(1)
        expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(problem)
      })

    it('is installed, which is incomplete; check fails, and status names the account', async () => {
      await incomplete("'watch' (monitor-user)")
      await checkFails("'watch' (monitor-user)")
      await statusNames(
        /db1 cannot be checked: the database \S+ rejected login 'watch': .*\(using password: YES\)\. Check monitor-user and monitor-password/,
      )
    })

    it('is complete with the right password, and incomplete again with a wrong one of the other account', async () => {
      world.operator.env.MONITOR_PASSWORD = monitor.password
      const { code, stdout } = await world.muster('install')
      expect(code, stdout).toBe(0)
      expect(stdout).toMatch(/^DONE: 1 host in /m)
      await eventually(async () => expect((await world.muster('status')).code).toBe(0))
      world.operator.env.REPLICATION_PASSWORD = wrong.password
      await incomplete("'repl' (replication-user)")
      await checkFails("'repl' (replication-user)")
      await statusNames(
        /replicator of db1 is not ready: The database \S+ rejected login 'repl': .* Check replication-user and replication-password/,
      )
    })

    it('prints no password', () => {
      expect([replication, monitor, wrong].some((one) => betrays(one, world.operator.printed()))).toBe(false)
    })
  },
)
