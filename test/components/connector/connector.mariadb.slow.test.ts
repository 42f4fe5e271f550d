import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { type Connection, createConnection } from 'mysql2/promise'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { ServerSettings } from '../../../src/contracts/serverSettings.ts'
import { hasMariadb, type Mariadb } from '../../support/mariadb.ts'
import { type MariadbPair, mariadbPair } from '../../support/mariadbPair.ts'
import {
  connectorSettings,
  dataSource,
  type TestConnector,
  testConnector,
} from '../../support/testConnector.ts'

const commandLine = '/usr/bin/mariadb'
const sure = 'i-am-sure=true'

describe.skipIf(!hasMariadb)('the connector before a real MariaDB', () => {
  let pair: MariadbPair
  let primary: Mariadb
  let replica: Mariadb

  beforeAll(async () => {
    pair = await mariadbPair((server) =>
      server.sql("CREATE USER app@'127.0.0.1' IDENTIFIED BY 'app-secret'", 'CREATE DATABASE t'),
    )
    ;({ primary, replica } = pair)
    await primary.sql(
      "GRANT ALL ON t.* TO app@'127.0.0.1'",
      'CREATE TABLE t.x (a INT PRIMARY KEY, b LONGTEXT)',
    )
  })
  afterAll(() => pair?.end())

  async function before(more: Partial<NonNullable<ServerSettings['proxy']>> = {}): Promise<TestConnector> {
    const settings = connectorSettings([
      dataSource({ name: 'db1', port: primary.port }),
      dataSource({ name: 'db2', port: replica.port }, 'replica'),
    ])
    const { proxy } = settings
    if (!proxy) throw new Error('no proxy')
    return testConnector({ ...settings, proxy: { ...proxy, ...more } })
  }

  const login = { host: '127.0.0.1', user: 'app', password: 'app-secret' }

  async function connect({ opened }: TestConnector, port = opened.ports()[0]): Promise<Connection> {
    const connection = await createConnection({ ...login, port: port ?? 0, connectTimeout: 60_000 })
    connection.on('error', () => undefined)
    onTestFinished(() => connection.destroy())
    return connection
  }

  const one = async (connection: Connection, sql: string): Promise<unknown> => {
    const [rows] = await connection.query(sql)
    return Array.isArray(rows) ? Object.values(rows[0] ?? {})[0] : undefined
  }

  /** What a command line client prints on standard error. */
  const complaint = (port = 0, ...more: readonly string[]): Promise<string> =>
    new Promise((resolve) => {
      const place = ['--host=127.0.0.1', `--port=${port}`]
      const args = ['--no-defaults', ...place, '--user=app', '--password=app-secret', ...more]
      execFile(commandLine, [...args, '--execute=SELECT 1'], (_error, _stdout, stderr) => resolve(stderr))
    })

  it('sends writers to the primary and readers to the replica, and hands over a row of 8 MB unharmed', async () => {
    const it = await before()
    const writer = await connect(it)
    expect(await one(writer, 'SELECT @@port')).toBe(primary.port)
    expect(await one(await connect(it, it.opened.ports()[1]), 'SELECT @@port')).toBe(replica.port)
    const long = 'abcdefgh'.repeat(1024 * 1024)
    await writer.query('REPLACE INTO t.x VALUES (1, ?)', [long])
    expect(await one(writer, 'SELECT b FROM t.x WHERE a = 1')).toBe(long)
  })

  it('holds 40 clients, loses none of them and releases them in order', async () => {
    const it = await before()
    const running = await connect(it)
    await it.post('onhold')
    const clients: Promise<Connection>[] = []
    for (let held = 1; held <= 40; held += 1) {
      clients.push(connect(it))
      await it.until({ held })
    }
    expect(await one(running, 'SELECT 1')).toBe(1)
    const [connected] = await primary.sql("SHOW STATUS LIKE 'Threads_connected'")
    // Ours, and the one that asks.
    expect(connected?.Value).toBe('2')
    await it.post('online')
    const connections = await Promise.all(clients)
    const ids = await Promise.all(connections.map((connection) => one(connection, 'SELECT CONNECTION_ID()')))
    expect(ids).toEqual(ids.toSorted((a, b) => Number(a) - Number(b)))
    expect(new Set(ids).size).toBe(40)
    await it.until({ held: 0, active: 41, created: 41 })
  })

  it('tells clients in their own words why it does not take them', async () => {
    const it = await before({ maxHeld: 0 })
    const port = it.opened.ports()[0]
    const refusal = async () => {
      const error = await connect(it).catch((reason: unknown) => reason)
      const { errno, code, message } = error as { errno: number; code: string; message: string }
      return [errno, code, message]
    }
    await it.post('onhold')
    const full =
      'Too many connections: the connector is ONHOLD, and 0 wait already, which is the most that ' +
      'connector-max-held allows. Try again later.'
    expect(await refusal()).toEqual([1040, 'ER_CON_COUNT_ERROR', full])
    const [, { since }] = await it.post('offline')
    const offline = `The connector is OFFLINE since ${since} and takes no connections.`
    expect(await refusal()).toEqual([1053, 'ER_SERVER_SHUTDOWN', offline])
    if (existsSync(commandLine)) {
      expect(await complaint(port, '--skip-ssl')).toBe(`ERROR 1053 (HY000): ${offline}\n`)
      // Where it wants TLS it warns, as of every server, that it does not know who says so.
      expect(await complaint(port)).toContain(`1053 - ${offline}\n`)
      await it.post('onhold')
      expect(await complaint(port, '--skip-ssl')).toBe(`ERROR 1040 (HY000): ${full}\n`)
    }
  })

  it('answers a client that was held too long', async () => {
    const it = await before({ maxHold: 50 })
    await it.post('onhold')
    await expect(connect(it)).rejects.toMatchObject({ errno: 1040, message: /waited 0.05 s/ })
  })

  it('lets a transaction end while it drains, and takes no new one', async () => {
    const it = await before()
    const running = await connect(it)
    await running.query('DELETE FROM t.x')
    await running.beginTransaction()
    await running.query("INSERT INTO t.x VALUES (7, '')")
    await it.post('offline')
    await expect(connect(it)).rejects.toMatchObject({ errno: 1053 })
    await running.query("INSERT INTO t.x VALUES (8, '')")
    await running.commit()
    await running.end()
    await it.until({ active: 0, reason: null })
    expect(await primary.sql('SELECT a FROM t.x ORDER BY a')).toEqual([{ a: 7 }, { a: 8 }])
  })

  it('cuts at once with immediate, and at the end of the drain without', async () => {
    const it = await before({ drainTimeout: 100 })
    // Logged in before anything is cut: the proxy counts a connection as soon as it is there.
    const sleeper = async () => {
      const running = await connect(it)
      const code = running.query('SELECT SLEEP(60)').catch((error: { code: string }) => error.code)
      return { code }
    }
    const cut = await sleeper()
    const [, answer] = await it.post('offline', undefined, `${sure}&immediate=true`)
    expect(answer.active).toBe(0)
    expect(await cut.code).toBe('PROTOCOL_CONNECTION_LOST')
    await it.post('online')
    const drained = await sleeper()
    await it.post('offline')
    expect(await drained.code).toBe('PROTOCOL_CONNECTION_LOST')
    await it.until({ active: 0 })
  })

  it('lets clients wait while the primary is down, tells them why in the end, and forwards them when it is up', async () => {
    const it = await before({ maxHold: 500 })
    await (await connect(it)).end()
    await primary.kill()
    await expect(connect(it)).rejects.toMatchObject({
      errno: 1042,
      message:
        'The connector reaches no database of service alpha: db1 refuses connections: nothing listens there.',
    })
    const patient = await before()
    const waiting = connect(patient)
    await patient.until({ held: 1 })
    await primary.start()
    expect(await one(await waiting, 'SELECT 1')).toBe(1)
  })
})
