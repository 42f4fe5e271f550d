import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect as connectTcp, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectTls, type SecureVersion } from 'node:tls'
import { type Connection, createConnection } from 'mysql2/promise'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { openManager } from '../../../src/components/manager/manager.ts'
import { makeAuthority, makeLeaf } from '../../support/clientCertificate.ts'
import { eventually } from '../../support/eventually.ts'
import { hasMariadb, type Mariadb, type MariadbLab, mariadbLab } from '../../support/mariadb.ts'
import { createMonitor } from '../../support/mariadbPair.ts'
import { monitorSettings } from '../../support/monitorSettings.ts'
import { proxySettings } from '../../support/proxySettings.ts'
import { relayFrom } from '../../support/relayFrom.ts'
import { temporaryFolder } from '../../support/temporaryFolder.ts'
import { adminLogin } from '../../support/testApi.ts'
import {
  connectorSettings,
  dataSource,
  type TestConnector,
  testConnector,
} from '../../support/testConnector.ts'

/** Where the connector's connections come from, as the server sees it. */
const source = '127.0.0.9'
const maxConnectErrors = 3

const packet = (sequence: number, payload: Buffer): Buffer => {
  const head = Buffer.alloc(4)
  head.writeUIntLE(payload.length, 0, 3)
  head[3] = sequence
  return Buffer.concat([head, payload])
}

const capabilities = { usual: 0x88201, tls: 0x8a01 }

const fixed = (flags: number, collation = 33): Buffer => {
  const bytes = Buffer.alloc(32)
  bytes.writeUInt32LE(flags, 0)
  bytes.writeUInt32LE(2 ** 24, 4)
  bytes[8] = collation
  return bytes
}

const loginOf = (
  user: string,
  more: { readonly auth?: Buffer; readonly plugin?: string; readonly collation?: number } = {},
): Buffer => {
  const { auth = Buffer.alloc(0), plugin = 'mysql_native_password', collation } = more
  const rest = [Buffer.from(`${user}\0`), Buffer.of(auth.length), auth, Buffer.from(`${plugin}\0`)]
  return packet(1, Buffer.concat([fixed(capabilities.usual, collation), ...rest]))
}

const tlsRequest = packet(1, fixed(capabilities.tls))
/** The begin of a ClientHello whose end never comes. */
const halfHello = Buffer.from('160301020001', 'hex')

describe.skipIf(!hasMariadb)('a MariaDB that counts broken logins', () => {
  let lab: MariadbLab
  let server: Mariadb
  let folder = ''

  beforeAll(async () => {
    lab = await mariadbLab()
    folder = mkdtempSync(join(tmpdir(), 'muster-tls-'))
    const leaf = makeLeaf(makeAuthority(), { names: ['db1'] })
    writeFileSync(join(folder, 'key.pem'), leaf.key)
    writeFileSync(join(folder, 'chain.pem'), leaf.cert)
    server = await lab.server({
      maxConnectErrors,
      options: [`--ssl-key=${join(folder, 'key.pem')}`, `--ssl-cert=${join(folder, 'chain.pem')}`],
    })
    await server.sql(
      'SET sql_log_bin = 0',
      "INSTALL SONAME 'auth_ed25519'",
      "CREATE USER app@'%' IDENTIFIED BY 'app-secret'",
      "CREATE USER signed@'%' IDENTIFIED VIA ed25519 USING PASSWORD('signed-secret')",
    )
    await createMonitor(server, 'monitor-secret', '%')
  })
  afterAll(async () => {
    await lab?.end()
    rmSync(folder, { recursive: true, force: true })
  })
  beforeEach(async () => {
    await server.sql(`SET GLOBAL max_connect_errors = ${maxConnectErrors}`, 'FLUSH HOSTS')
  })

  const counted = async (): Promise<number> => {
    const [row] = await server.sql(
      `SELECT SUM_CONNECT_ERRORS AS errors FROM performance_schema.host_cache WHERE IP = '${source}'`,
    )
    return Number(row?.errors ?? 0)
  }

  /** A connector whose connections come from `source`. */
  async function behind(
    more: Parameters<typeof connectorSettings>[1] = {},
  ): Promise<TestConnector & { readonly port: number; readonly relayed: number }> {
    const relay = await relayFrom(source, server.port)
    const datasources = [dataSource({ name: 'db1', port: relay.port })]
    const connector = await testConnector(connectorSettings(datasources, more))
    return { ...connector, port: connector.opened.ports()[0] ?? 0, relayed: relay.port }
  }

  const metric = async ({ call }: TestConnector, name: string): Promise<number> => {
    const { body } = await call({ url: '/metrics', headers: { authorization: adminLogin } })
    return Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(body)?.[1])
  }

  const ready = async ({ call }: TestConnector) => {
    const answer = await call({ url: '/health/ready', headers: { authorization: adminLogin } })
    return [answer.statusCode, answer.body] as const
  }

  /** Waits until the connector is rid of all logins. */
  const settled = (connector: TestConnector): Promise<void> =>
    eventually(async () => expect(await metric(connector, 'muster_connector_logins_pending')).toBe(0))

  async function client(port: number): Promise<Socket> {
    const socket = connectTcp({ port, host: '127.0.0.1' })
    socket.on('error', () => undefined)
    onTestFinished(() => void socket.destroy())
    await once(socket, 'connect')
    return socket
  }

  const words = async (socket: Socket): Promise<Buffer> => {
    const [bytes] = await once(socket, 'data')
    return bytes
  }

  const greeted = async (port: number): Promise<Socket> => {
    const socket = await client(port)
    await words(socket)
    return socket
  }

  async function logIn(port: number, localAddress = '127.0.0.1', user = 'app'): Promise<Connection> {
    const stream = connectTcp({ port, host: '127.0.0.1', localAddress })
    const connection = await createConnection({ stream, user, password: 'app-secret' })
    connection.on('error', () => undefined)
    onTestFinished(() => connection.destroy())
    return connection
  }

  const leavings: Readonly<Record<string, (port: number) => Promise<unknown>>> = {
    'connects and closes': async (port) => (await client(port)).end(),
    'connects and resets': async (port) => (await client(port)).resetAndDestroy(),
    'reads the greeting and closes': async (port) => (await greeted(port)).end(),
    'reads the greeting and resets': async (port) => (await greeted(port)).resetAndDestroy(),
    'speaks first, and closes': async (port) => (await client(port)).end('GET / HTTP/1.0\r\n\r\n'),
    'answers the greeting with junk': async (port) => {
      const socket = await greeted(port)
      socket.write('GET / HTTP/1.0\r\n\r\n')
      socket.end()
    },
    'quits in place of a login': async (port) => {
      const socket = await greeted(port)
      socket.write(packet(1, Buffer.of(1)))
      await words(socket)
    },
    'sends half a login': async (port) => (await greeted(port)).end(loginOf('app').subarray(0, 30)),
    'sends a whole login and leaves at once': async (port) => {
      const socket = await greeted(port)
      socket.write(loginOf('app'), () => socket.resetAndDestroy())
    },
    'sends a login with an answer of a wrong length': async (port) => {
      const socket = await greeted(port)
      socket.write(loginOf('app', { auth: Buffer.alloc(7, 1) }))
      await words(socket)
    },
    'sends a login with a collation that no client may have': async (port) => {
      const socket = await greeted(port)
      socket.write(loginOf('app', { collation: 54 }))
      await words(socket)
    },
    'leaves when it is asked to switch the plugin': async (port) => {
      const socket = await greeted(port)
      socket.write(loginOf('signed'))
      await words(socket)
      socket.resetAndDestroy()
    },
    'answers the switch of the plugin in a wrong form': async (port) => {
      const socket = await greeted(port)
      socket.write(loginOf('signed'))
      const question = await words(socket)
      socket.write(packet((question[3] ?? 0) + 1, Buffer.of(0)))
      await words(socket)
    },
    'asks for TLS and leaves': async (port) => (await greeted(port)).end(tlsRequest),
    'asks for TLS and sends half a ClientHello': async (port) => {
      const socket = await greeted(port)
      socket.write(Buffer.concat([tlsRequest, halfHello]), () => socket.resetAndDestroy())
    },
    'asks for TLS and sends something else': async (port) => {
      const socket = await greeted(port)
      socket.write(Buffer.concat([tlsRequest, Buffer.from('GET / HTTP/1.0\r\n\r\n')]))
      await words(socket)
    },
    'gives a wrong password': (port) =>
      expect(logIn(port, '127.0.0.1', 'nobody')).rejects.toMatchObject({ errno: 1045 }),
  }

  it.each(Object.keys(leavings))('counts nothing for a client that %s, however often', async (name) => {
    const connector = await behind()
    for (let times = 0; times < 10; times += 1) await leavings[name]?.(connector.port)
    await settled(connector)
    expect(await counted()).toBe(0)
    expect(await (await logIn(connector.port)).query('SELECT 1')).toBeDefined()
    expect(await metric(connector, 'muster_connector_logins_broken_total')).toBe(0)
  })

  it('counts nothing for 300 clients that connect and close at the same time, and serves others meanwhile', async () => {
    const connector = await behind()
    const strangers = Array.from({ length: 300 }, async () => (await client(connector.port)).end())
    const other = await logIn(connector.port, '127.0.0.2')
    await Promise.all(strangers)
    await other.query('SELECT 1')
    await settled(connector)
    expect(await counted()).toBe(0)
  })

  it('counts nothing for a client that says nothing and is told why it is not waited for', async () => {
    const connector = await behind()
    const socket = await greeted(connector.port)
    expect((await words(socket)).subarray(7).toString()).toBe(
      'The connector ends this connection: within the login the client did not go on.',
    )
    await settled(connector)
    expect(await counted()).toBe(0)
  })

  it('is reached while 400 clients of an address say nothing, and come again, also from that address', async () => {
    const connector = await behind({ proxy: { ...proxySettings, port: 0, readonlyPort: null } })
    let isOver = false
    onTestFinished(() => {
      isOver = true
    })
    const flood = async (): Promise<void> => {
      const socket = await client(connector.port)
      socket.resume().on('close', () => void (isOver || flood().catch(() => undefined)))
    }
    await Promise.all(Array.from({ length: 400 }, flood))
    for (const from of ['127.0.0.2', '127.0.0.1', '127.0.0.2', '127.0.0.1']) {
      await (await logIn(connector.port, from)).query('SELECT 1')
    }
    expect(await counted()).toBe(0)
  })

  describe('over TLS', () => {
    /** A whole ClientHello, as a client sends it. */
    async function clientHello(): Promise<Buffer> {
      const listener = createServer()
      onTestFinished(() => void listener.close())
      await once(listener.listen(0, '127.0.0.1'), 'listening')
      const address = listener.address()
      const secure = connectTls({
        host: '127.0.0.1',
        port: typeof address === 'object' ? (address?.port ?? 0) : 0,
      })
      secure.on('error', () => undefined)
      const [socket]: Socket[] = await once(listener, 'connection')
      const hello = socket ? await words(socket) : Buffer.of()
      secure.destroy()
      socket?.destroy()
      return hello
    }

    it('is not waited for when the connector stops and a client has begun TLS', async () => {
      // The server itself waits that long; 10 s, its default, are no more than a busy machine may need.
      await server.sql('SET GLOBAL max_connect_errors = 100', 'SET GLOBAL connect_timeout = 60')
      onTestFinished(async () => void (await server.sql('SET GLOBAL connect_timeout = DEFAULT')))
      const connector = await behind()
      const socket = await greeted(connector.port)
      socket.write(Buffer.concat([tlsRequest, await clientHello()]))
      await words(socket)
      const begin = performance.now()
      await connector.opened.stop?.()
      expect(performance.now() - begin).toBeLessThan(25_000)
    })

    /** Ends the handshake of TLS and leaves without a login. */
    async function scan(port: number, version: SecureVersion, localAddress = '127.0.0.1'): Promise<void> {
      const raw = connectTcp({ port, host: '127.0.0.1', localAddress })
      raw.on('error', () => undefined)
      onTestFinished(() => void raw.destroy())
      await words(raw)
      raw.write(tlsRequest)
      const versions = { minVersion: version, maxVersion: version }
      const secure = connectTls({ socket: raw, rejectUnauthorized: false, ...versions })
      secure.on('error', () => undefined)
      await once(secure, 'secureConnect')
      secure.destroy()
      raw.destroy()
    }

    it.each(['TLSv1.2', 'TLSv1.3'] as const)(
      'logs in, also when a session is short (%s)',
      async (version) => {
        const connector = await behind()
        for (let times = 0; times < 20; times += 1) {
          const connection = await createConnection({
            host: '127.0.0.1',
            port: connector.port,
            user: 'app',
            password: 'app-secret',
            ssl: { rejectUnauthorized: false, minVersion: version, maxVersion: version },
          })
          await connection.end()
        }
        await settled(connector)
        expect(await metric(connector, 'muster_connector_logins_broken_total')).toBe(0)
      },
    )

    it.each(['TLSv1.2', 'TLSv1.3'] as const)('bounds who leaves before the login (%s)', async (version) => {
      await server.sql('SET GLOBAL max_connect_errors = 100')
      const connector = await behind()
      // The fifth was the last for a while: the others wait, and are not passed on.
      for (let times = 0; times < 5; times += 1) await scan(connector.port, version)
      await settled(connector)
      const held = Array.from({ length: 20 }, () => client(connector.port))
      await Promise.all(held)
      await connector.until({ held: 20 })
      expect(await counted()).toBeLessThanOrEqual(5)
      expect(await metric(connector, 'muster_connector_logins_broken_total')).toBe(5)
      // Another address is not kept out by it, and its login makes the server forget.
      await (await logIn(connector.port, '127.0.0.2')).query('SELECT 1')
      expect(await counted()).toBe(0)
    })
  })

  /** Makes the server block `source`. */
  async function block(): Promise<void> {
    const relay = await relayFrom(source, server.port)
    for (let times = 0; times < maxConnectErrors; times += 1) {
      const socket = await greeted(relay.port)
      socket.end()
      await eventually(async () => expect(await counted()).toBe(times + 1))
    }
  }

  const advice = /blocks this host .*\(error 1129\): run FLUSH HOSTS there, and raise max_connect_errors/

  it('is told by name when it blocks the connector, and comes back without a client', async () => {
    const connector = await behind()
    await block()
    await expect(logIn(connector.port)).rejects.toMatchObject({ errno: 1129, message: advice })
    const [, { reason }] = await connector.get('status')
    expect(reason).toMatch(advice)
    expect(await ready(connector)).toEqual([503, expect.stringMatching(advice)])
    expect(await metric(connector, 'muster_connector_blocked')).toBe(1)
    await server.sql('FLUSH HOSTS')
    await eventually(async () => expect((await ready(connector))[0]).toBe(200))
    expect(await metric(connector, 'muster_connector_blocked')).toBe(0)
    expect(await counted()).toBe(0)
    await (await logIn(connector.port)).query('SELECT 1')
  })

  async function managed() {
    const folder = temporaryFolder()
    const secretsFile = join(folder, 'secrets.json')
    writeFileSync(secretsFile, JSON.stringify({ 'monitor-password': 'monitor-secret' }))
    const relay = await relayFrom(source, server.port)
    const told: string[] = []
    const line = (facts: object, message: string) => void told.push(`${message} ${JSON.stringify(facts)}`)
    const opened = openManager(
      {
        cluster: 'cluster',
        host: 'db1',
        services: {
          services: [{ name: 'alpha', datasources: [dataSource({ name: 'db1', port: relay.port })] }],
        },
        stateFile: join(folder, 'manager.json'),
        member: { service: 'alpha', datasource: 'db1', witness: false },
        monitor: monitorSettings,
        secretsFile,
      },
      { log: { info: line, warn: line, error: line } },
    )
    onTestFinished(() => opened.close())
    return told
  }

  it('is not fenced by a manager whose host it blocks', async () => {
    await block()
    const told = await managed()
    await eventually(() =>
      expect(told.join('\n')).toMatch(/It cannot be checked\..*ERROR 1129.*FLUSH HOSTS.*max_connect_errors/),
    )
    // Three checks in a row would fence it; the server counts each attempt that it turned away.
    await eventually(async () => {
      const [row] = await server.sql(
        `SELECT COUNT_HOST_BLOCKED_ERRORS AS attempts FROM performance_schema.host_cache WHERE IP = '${source}'`,
      )
      expect(Number(row?.attempts)).toBeGreaterThanOrEqual(5)
    })
    expect(told.join('\n')).not.toMatch(/fenced/)
  })

  it('forgets broken logins with each login of the manager of the same host', async () => {
    await server.sql('SET GLOBAL max_connect_errors = 100')
    await managed()
    const relay = await relayFrom(source, server.port)
    for (let times = 0; times < 3; times += 1) (await greeted(relay.port)).end()
    await eventually(async () => {
      const [row] = await server.sql(
        `SELECT COUNT_HANDSHAKE_ERRORS AS ever FROM performance_schema.host_cache WHERE IP = '${source}'`,
      )
      expect([Number(row?.ever), await counted()]).toEqual([3, 0])
    })
  })
})
