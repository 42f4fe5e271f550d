import { Socket, type SocketConstructorOpts } from 'node:net'
import { expect, onTestFinished } from 'vitest'
import { changedMode, installedMode } from '../../src/components/connector/connectorState.ts'
import { createProxy, type ProxyCounts, type TcpProxy } from '../../src/components/connector/proxy.ts'
import { routingOf } from '../../src/components/connector/routing.ts'
import { dial, listen } from '../../src/components/connector/sockets.ts'
import type { ConnectorMode } from '../../src/contracts/connectorPayloads.ts'
import type { Writer } from '../../src/contracts/routing.ts'
import type { DataSourceEntry } from '../../src/contracts/servicesMap.ts'
import { type DatabaseClient, databaseClient, refusalIn } from './databaseClient.ts'
import { eventually } from './eventually.ts'
import { type ManualClock, manualClock } from './manualClock.ts'
import { proxySettings } from './proxySettings.ts'

/** A port to which a connection never comes about, and never fails. */
export const silentPort = 1

/** A data source on loopback, a primary that is ONLINE unless told. */
export const source = (
  at: { readonly name: string; readonly port: number },
  more: Partial<DataSourceEntry> = {},
): DataSourceEntry => ({
  name: at.name,
  host: '127.0.0.1',
  port: at.port,
  role: 'primary',
  state: 'ONLINE',
  ...more,
})

/** A proxy of the service alpha with real ports, whose time stands still. */
export type TestProxy = {
  readonly proxy: TcpProxy
  readonly clock: ManualClock
  readonly dialled: readonly number[]
  /** Connections on their way to the silent port: they come about when a test connects them. */
  readonly silent: readonly Socket[]
  enter(value: ConnectorMode): void
  /** Routes to these data sources from now on. */
  route(...datasources: readonly DataSourceEntry[]): void
  /** Routes with what a manager says of the writer; replicas in use are readable. */
  direct(writer: Partial<Writer>, ...datasources: readonly DataSourceEntry[]): void
  /** Waits until the proxy has connected to a server so many times. */
  connects(at: { readonly port: number }, count: number): Promise<void>
  /** A new client of the port to the primary, from another address of loopback where told. */
  client(from?: string): Promise<DatabaseClient>
  /** A new client of the port to the replicas. */
  reader(): Promise<DatabaseClient>
  /** Waits until the proxy counts so. */
  counts(wanted: Partial<ProxyCounts>): Promise<void>
  /** What a new client is refused with. */
  refusal(role?: 'primary' | 'replica'): Promise<{ readonly number: number; readonly message: string }>
}

export async function testProxy(
  limits: {
    readonly maxHeld?: number
    readonly maxHold?: number
    readonly drainTimeout?: number
    readonly readonlyFallback?: boolean
    readonly proxyProtocol?: boolean
    readonly balancerNetworks?: readonly string[]
  } = {},
): Promise<TestProxy> {
  const clock = manualClock()
  const dialled: number[] = []
  const silent: Socket[] = []
  const connected = new Map<number, number>()
  let mode = installedMode(clock.now())
  const proxy = createProxy({
    ...proxySettings,
    maxHeld: 100,
    dialTimeout: 3000,
    readonlyFallback: false,
    ...limits,
    mode,
    clock,
    dial: (place, readBuffer) => {
      dialled.push(place.port)
      if (place.port !== silentPort) {
        const database = dial(place, readBuffer)
        database.once('connect', () => connected.set(place.port, (connected.get(place.port) ?? 0) + 1))
        return database
      }
      const { buffer, callback } = readBuffer
      const socket = new Socket({ onread: { buffer, callback } } as SocketConstructorOpts)
      silent.push(socket)
      return socket
    },
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
    // Whoever was turned away and does not leave.
    clock.advance(60_000)
  })
  const direct: TestProxy['direct'] = (writer, ...datasources) => {
    const { services } = routingOf({ services: [{ name: 'alpha', datasources }] })
    const none = { datasource: null, code: null, reason: null, hold: false }
    proxy.setRouting({ services: services.map((it) => ({ ...it, writer: { ...none, ...writer } })) })
  }
  return {
    proxy,
    clock,
    dialled,
    silent,
    enter: (value) => {
      mode = changedMode(mode, { value, by: 'anna', now: clock.now() })
      proxy.setMode(mode)
    },
    route: (...datasources) => proxy.setRouting(routingOf({ services: [{ name: 'alpha', datasources }] })),
    direct,
    connects: ({ port }, count) => eventually(() => expect(connected.get(port) ?? 0).toBe(count)),
    client: (from) => databaseClient(listeners.primary.port, from),
    reader: () => databaseClient(listeners.replica.port),
    counts: (wanted) =>
      eventually(() => {
        const counts = proxy.counts()
        for (const [name, value] of Object.entries(wanted)) {
          const found: unknown = Reflect.get(counts, name)
          if (found !== value) throw new Error(`${name} is ${found} instead of ${value}`)
        }
      }),
    refusal: async (role = 'primary') => {
      const refused = await databaseClient(listeners[role].port)
      const bytes = await refused.ended
      refused.socket.end()
      return refusalIn(bytes)
    },
  }
}
