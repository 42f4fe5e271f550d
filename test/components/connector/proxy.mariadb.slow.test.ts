import { type Connection, createConnection } from 'mysql2/promise'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { realClock } from '../../../src/components/clock.ts'
import { changedMode, installedMode } from '../../../src/components/connector/connectorState.ts'
import { createProxy } from '../../../src/components/connector/proxy.ts'
import { dial, listen } from '../../../src/components/connector/sockets.ts'
import type { ConnectorMode } from '../../../src/contracts/connectorPayloads.ts'
import type { RoutedDataSource, Writer } from '../../../src/contracts/routing.ts'
import { eventually } from '../../support/eventually.ts'
import { hasMariadb, type Mariadb, type MariadbLab, mariadbLab } from '../../support/mariadb.ts'
import { proxySettings } from '../../support/proxySettings.ts'
import { relayFrom } from '../../support/relayFrom.ts'

/** Where the connections of a proxy come from, as the servers see it. */
const from = '127.0.0.9'
/** Milliseconds after which a server hangs: long enough for one that does not, on a busy machine. */
const greetingTimeout = 2000

describe.skipIf(!hasMariadb)('a proxy before real servers', () => {
  let lab: MariadbLab
  let servers: readonly Mariadb[] = []

  beforeAll(async () => {
    lab = await mariadbLab()
    // One login that breaks off is one too many.
    servers = await Promise.all([1, 2, 3].map(() => lab.server({ maxConnectErrors: 1 })))
    for (const server of servers) {
      await server.sql(
        'SET sql_log_bin = 0',
        "CREATE USER app@'%' IDENTIFIED BY 'app-secret'",
        'CREATE DATABASE t',
        "GRANT ALL ON t.* TO app@'%'",
        'CREATE TABLE t.x (a INT AUTO_INCREMENT PRIMARY KEY)',
      )
    }
  })
  afterAll(() => lab?.end())
  beforeEach(async () => {
    for (const server of servers) await server.sql('FLUSH HOSTS', 'TRUNCATE TABLE t.x')
  })

  const counted = (): Promise<readonly number[]> =>
    Promise.all(
      servers.map(async (server) => {
        const [row] = await server.sql(
          `SELECT SUM_CONNECT_ERRORS AS errors FROM performance_schema.host_cache WHERE IP = '${from}'`,
        )
        return Number(row?.errors ?? 0)
      }),
    )

  /** Connections of clients at a server. */
  const clientsAt = async (server: Mariadb | undefined): Promise<number> => {
    const rows = await server?.sql("SELECT ID FROM information_schema.PROCESSLIST WHERE USER = 'app'")
    return rows?.length ?? 0
  }

  async function behind(greetingTimeout: number) {
    let mode = installedMode(new Date())
    const proxy = createProxy({
      ...proxySettings,
      maxHold: 60_000,
      dialTimeout: 3000,
      greetingTimeout,
      mode,
      clock: realClock,
      dial,
    })
    const open = (role: 'primary' | 'replica') =>
      listen({
        address: '127.0.0.1',
        port: 0,
        onClient: (socket) => proxy.accept(socket, role),
        onError: (error) => {
          throw error
        },
      })
    const listeners = { primary: await open('primary'), replica: await open('replica') }
    onTestFinished(() => {
      listeners.primary.close()
      listeners.replica.close()
      void proxy.stop(0)
      proxy.cut()
    })
    const relays = await Promise.all(servers.map((server) => relayFrom(from, server.port)))
    /** Routes to the servers of these numbers. */
    const route = (writer: Partial<Writer>, readable: readonly number[]): void => {
      const datasources = relays.map(
        ({ port }, index): RoutedDataSource => ({
          name: `db${index + 1}`,
          host: '127.0.0.1',
          port,
          role: writer.datasource === `db${index + 1}` ? 'primary' : 'replica',
          state: 'ONLINE',
          readable: readable.includes(index + 1),
        }),
      )
      const none = { datasource: null, code: null, reason: null, hold: false }
      proxy.setRouting({ services: [{ name: 'alpha', writer: { ...none, ...writer }, datasources }] })
    }
    const client = async (role: 'primary' | 'replica'): Promise<Connection> => {
      const connection = await createConnection({
        host: '127.0.0.1',
        port: listeners[role].port,
        user: 'app',
        password: 'app-secret',
        connectTimeout: 60_000,
      })
      connection.on('error', () => undefined)
      onTestFinished(() => connection.destroy())
      return connection
    }
    const enter = (value: ConnectorMode): void => {
      mode = changedMode(mode, { value, by: 'anna', now: new Date() })
      proxy.setMode(mode)
    }
    return { proxy, route, client, enter }
  }

  const one = async (connection: Connection, sql: string): Promise<unknown> => {
    const [rows] = await connection.query(sql)
    return Array.isArray(rows) ? Object.values(rows[0] ?? {})[0] : undefined
  }
  const serverOf = (connection: Connection): Promise<unknown> => one(connection, 'SELECT @@server_id')

  it('reads from the replica that is left while the other hangs, and from both when it goes on', async () => {
    const { proxy, route, client } = await behind(greetingTimeout)
    route({ datasource: 'db1' }, [2, 3])
    servers[1]?.freeze()
    onTestFinished(() => servers[1]?.thaw())
    const first = await Promise.all(Array.from({ length: 10 }, () => client('replica')))
    expect(new Set(await Promise.all(first.map(serverOf)))).toEqual(new Set([3]))
    expect(proxy.counts().unresponsive).toEqual(['db2'])
    // From now on nobody waits for it, as proxy.greeting.test.ts proves.
    const later = await Promise.all(Array.from({ length: 10 }, () => client('replica')))
    expect(new Set(await Promise.all(later.map(serverOf)))).toEqual(new Set([3]))
    // time: longer than a connection was waited for that nobody wanted any more; on a slow machine it is longer still.
    await new Promise((resolve) => setTimeout(resolve, 3 * greetingTimeout))
    servers[1]?.thaw()
    await expect.poll(() => proxy.counts().unresponsive).toEqual([])
    expect(await serverOf(await client('replica'))).toBe(2)
    await eventually(async () => expect(await clientsAt(servers[1])).toBe(1))
    expect(await counted()).toEqual([0, 0, 0])
  })

  it('lets writers of a primary that hangs wait, forwards them all when it goes on, and has cost it nothing', async () => {
    const { proxy, route, client } = await behind(greetingTimeout)
    route({ datasource: 'db1' }, [])
    servers[0]?.freeze()
    onTestFinished(() => servers[0]?.thaw())
    const attempts = Array.from({ length: 40 }, () => client('primary'))
    await expect.poll(() => proxy.problem('primary')).toContain('db1 accepted a connection but did not greet')
    await expect.poll(() => proxy.counts().held).toBe(40)
    servers[0]?.thaw()
    await expect.poll(() => proxy.problem('primary')).toBeNull()
    for (const it of await Promise.all(attempts)) expect(await serverOf(it)).toBe(1)
    await eventually(async () => {
      const rows = await servers[0]?.sql(
        "SELECT ID FROM information_schema.PROCESSLIST WHERE USER = 'unauthenticated user'",
      )
      expect(rows).toEqual([])
    })
    expect(await counted()).toEqual([0, 0, 0])
  })

  it('reads from the writer while the only replica hangs, and lets readers stay there', async () => {
    const { proxy, route, client } = await behind(greetingTimeout)
    route({ datasource: 'db1' }, [2])
    servers[1]?.freeze()
    onTestFinished(() => servers[1]?.thaw())
    const early = await client('replica')
    expect(await serverOf(early)).toBe(1)
    // The manager has noticed, too.
    route({ datasource: 'db1' }, [])
    expect(await serverOf(await client('replica'))).toBe(1)
    servers[1]?.thaw()
    route({ datasource: 'db1' }, [2])
    await expect.poll(() => proxy.counts().unresponsive).toEqual([])
    expect(await serverOf(await client('replica'))).toBe(2)
    expect(await serverOf(early)).toBe(1)
  })

  it('cuts writers when another server is the writer: nothing more arrives at the old one', async () => {
    const { route, client } = await behind(25_000)
    route({ datasource: 'db1' }, [2])
    const writers = await Promise.all(Array.from({ length: 20 }, () => client('primary')))
    const reader = await client('replica')
    const open = await client('primary')
    await open.beginTransaction()
    await open.query('INSERT INTO t.x VALUES ()')
    let acknowledged = 0
    const ends = writers.map(async (connection) => {
      for (;;) {
        await connection.query('INSERT INTO t.x VALUES ()')
        acknowledged += 1
      }
    })
    await expect.poll(() => acknowledged).toBeGreaterThan(200)
    route({ datasource: 'db2' }, [])
    for (const end of await Promise.allSettled(ends)) {
      const code: unknown = expect.stringMatching(/^(PROTOCOL_CONNECTION_LOST|ECONNRESET)$/)
      expect(end).toMatchObject({ status: 'rejected', reason: { code } })
    }
    await expect(open.commit()).rejects.toThrow()
    await expect.poll(() => clientsAt(servers[0])).toBe(0)
    const rows = async () => (await servers[0]?.sql('SELECT COUNT(*) AS number FROM t.x'))?.[0]?.number
    const before = await rows()
    // What was acknowledged is there, and at most one more of each that had not heard of its end yet.
    expect(Number(before)).toBeGreaterThanOrEqual(acknowledged)
    expect(Number(before)).toBeLessThanOrEqual(acknowledged + writers.length)
    const next = await client('primary')
    await next.query('INSERT INTO t.x VALUES ()')
    expect([await serverOf(next), await serverOf(reader)]).toEqual([2, 2])
    expect(await rows()).toBe(before)
    expect(await counted()).toEqual([0, 0, 0])
  })

  it('holds clients of both ports and releases each port in order, the writers when there is a writer', async () => {
    const { proxy, route, client, enter } = await behind(25_000)
    route({ code: 'two-writers', reason: 'db1 and db3 can be written to', hold: true }, [2])
    enter('ONHOLD')
    const waiting: Record<'primary' | 'replica', Promise<Connection>[]> = { primary: [], replica: [] }
    for (let count = 1; count <= 60; count += 1) {
      const role = count % 2 === 0 ? 'primary' : 'replica'
      waiting[role].push(client(role))
      await expect.poll(() => proxy.counts().held).toBe(count)
    }
    const idsOf = async (role: 'primary' | 'replica') => {
      const connections = await Promise.all(waiting[role])
      return Promise.all(connections.map((it) => one(it, 'SELECT CONNECTION_ID()')))
    }
    const inOrder = (ids: readonly unknown[]) => ids.toSorted((a, b) => Number(a) - Number(b))
    enter('ONLINE')
    const readers = await idsOf('replica')
    expect(readers).toEqual(inOrder(readers))
    expect([proxy.counts().held, await clientsAt(servers[0]), await clientsAt(servers[2])]).toEqual([
      30, 0, 0,
    ])
    route({ datasource: 'db3' }, [2])
    const writers = await idsOf('primary')
    expect(writers).toEqual(inOrder(writers))
    expect([proxy.counts().held, await clientsAt(servers[0]), await clientsAt(servers[2])]).toEqual([
      0, 0, 30,
    ])
    expect(await counted()).toEqual([0, 0, 0])
  })
})
