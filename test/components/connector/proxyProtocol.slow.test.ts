import { connect as openSocket } from 'node:net'
import { type Connection, createConnection } from 'mysql2/promise'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { realClock } from '../../../src/components/clock.ts'
import { installedMode } from '../../../src/components/connector/connectorState.ts'
import { createProxy } from '../../../src/components/connector/proxy.ts'
import { proxyHeader } from '../../../src/components/connector/proxyProtocol.ts'
import { dial, listen } from '../../../src/components/connector/sockets.ts'
import { connect } from '../../../src/components/databases/connect.ts'
import { readServer } from '../../../src/components/databases/probe.ts'
import { Secret } from '../../../src/secrets/secret.ts'
import {
  createAccount,
  hasMariadb,
  type Mariadb,
  type MariadbLab,
  mariadbLab,
} from '../../support/mariadb.ts'
import { proxySettings } from '../../support/proxySettings.ts'

const client = '127.0.0.7'

describe.skipIf(!hasMariadb)('a connector that tells servers whose connections it passes on', () => {
  let lab: MariadbLab
  let willing: Mariadb
  let other: Mariadb
  beforeAll(async () => {
    lab = await mariadbLab()
    ;[willing, other] = await Promise.all([
      lab.server({ options: ['--proxy-protocol-networks=127.0.0.1,10.0.0.0/8'] }),
      lab.server({ options: ['--max-connect-errors=1'] }),
    ])
    for (const server of [willing, other]) {
      await createAccount(server, 'secret')
      await server.sql(
        'SET sql_log_bin = 0',
        `CREATE USER app@'${client}' IDENTIFIED BY 'of the client'`,
        "CREATE USER app@'127.0.0.1' IDENTIFIED BY 'of the connector'",
      )
    }
  })
  afterAll(() => lab?.end())

  /** What the manager reads of a server, so that its connector knows. */
  async function networksOf({ port }: Mariadb): Promise<string> {
    const account = { host: '127.0.0.1', port, user: 'muster', password: new Secret('secret') }
    const opened = await connect(account, AbortSignal.timeout(30_000))
    onTestFinished(() => opened.close())
    return (await readServer(opened.query)).proxyNetworks
  }

  async function behind(server: Mariadb, proxyProtocol = true) {
    const proxyNetworks = await networksOf(server)
    const proxy = createProxy({
      ...{ ...proxySettings, proxyProtocol, dialTimeout: 3000, mode: installedMode(new Date()) },
      ...{ clock: realClock, dial },
    })
    const listener = await listen({
      address: '127.0.0.1',
      port: 0,
      onClient: (socket) => proxy.accept(socket, 'primary'),
      onError: (error) => {
        throw error
      },
    })
    onTestFinished(() => {
      listener.close()
      void proxy.stop(0)
      proxy.cut()
    })
    const source = {
      name: 'db1',
      host: '127.0.0.1',
      port: server.port,
      role: 'primary',
      state: 'ONLINE',
    } as const
    const writer = { datasource: 'db1', code: null, reason: null, hold: false }
    const datasources = [{ ...source, readable: false, ...(proxyNetworks && { proxyNetworks }) }]
    proxy.setRouting({ services: [{ name: 'alpha', writer, datasources }] })
    /** Logs in; the forged bytes come before all else that the client says. */
    const login = async (password: string, forged?: Buffer): Promise<Connection> => {
      const stream = openSocket({ port: listener.port, host: '127.0.0.1', localAddress: client })
      onTestFinished(() => void stream.destroy())
      const write = stream.write.bind(stream)
      if (forged) {
        stream.write = (...args: unknown[]) => {
          stream.write = write
          write(forged)
          return Reflect.apply(write, stream, args)
        }
      }
      return createConnection({ stream, user: 'app', password })
    }
    const seen = async (password: string): Promise<unknown> => {
      const [rows] = await (await login(password)).query('SELECT USER() AS it')
      return Array.isArray(rows) ? Object.values(rows[0] ?? {})[0] : undefined
    }
    return { seen, login, notes: () => proxy.notes(['primary']) }
  }

  it('lets a server that takes it see the client, whose account counts', async () => {
    const { seen, notes } = await behind(willing)
    expect(await seen('of the client')).toBe(`app@${client}`)
    expect(notes()).toEqual([])
    await expect(seen('of the connector')).rejects.toMatchObject({ errno: 1045 })
    // What is wrong with a client counts against it, and not against this host.
    expect(await seen('of the client')).toBe(`app@${client}`)
  })

  it('lets no client pass for another one by a header of its own', async () => {
    const { login } = await behind(willing)
    const ends = { remoteAddress: '10.0.0.9', localAddress: '10.0.0.1', remotePort: 1, localPort: 2 }
    const refusal = await login('of the client', proxyHeader(ends)).catch((error: unknown) => String(error))
    expect(refusal).toMatch(/Error/)
    expect(refusal).not.toContain('10.0.0.9')
  })

  it('passes connections on as before to one that does not take it, and names it', async () => {
    const { seen, notes } = await behind(other)
    for (let count = 0; count < 5; count += 1) {
      expect(await seen('of the connector')).toBe('app@127.0.0.1')
    }
    expect(notes()).toEqual([
      'db1 does not take the PROXY protocol from this host (proxy_protocol_networks), and sees clients at its address',
    ])
  })

  it('tells nobody anything without the option', async () => {
    const { seen, notes } = await behind(willing, false)
    expect(await seen('of the connector')).toBe('app@127.0.0.1')
    expect(notes()).toEqual([])
  })
})
