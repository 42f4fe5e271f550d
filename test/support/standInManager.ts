import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import { commonCalls } from '../../src/api/calls/commonCalls.ts'
import type { ComponentApi, ServedRoute } from '../../src/api/serve.ts'
import { type RunningServer, startServer } from '../../src/api/startServer.ts'
import { routingFeed } from '../../src/components/manager/routingFeed.ts'
import type { Routing, Writer } from '../../src/contracts/routing.ts'
import type { ServerSettings } from '../../src/contracts/serverSettings.ts'
import type { DataSourceState, MapDataSource } from '../../src/contracts/servicesMap.ts'
import { testCost } from './testApi.ts'

/** Data source of a routing: readable where it is a replica that is ONLINE. */
export const routed = (it: MapDataSource, state: DataSourceState = 'ONLINE') => ({
  ...it,
  state,
  readable: it.role === 'replica' && state === 'ONLINE',
})

/** The routing of the service alpha whose writer is the first primary that is ONLINE or UNKNOWN, unless told. */
export function routingOf(
  datasources: readonly ReturnType<typeof routed>[],
  writer: Partial<Writer> = {},
): Routing {
  const usable = datasources.find(
    ({ role, state }) => role === 'primary' && (state === 'ONLINE' || state === 'UNKNOWN'),
  )
  const found = { datasource: usable?.name ?? null, code: null, reason: null, hold: false }
  return { services: [{ name: 'alpha', writer: { ...found, ...writer }, datasources }] }
}

/** A manager that says what it is told to, over the real server of the APIs. */
export type StandInManager = {
  readonly settings: ServerSettings
  /** What connectors are told from now on. */
  say(routing: Routing): void
  /** Number of streams that are open. */
  followers(): number
  /** Number of streams that were opened so far. */
  opened(): number
  start(): Promise<RunningServer>
  stop(): Promise<void>
}

export function standInManager(
  settings: ServerSettings,
  served: readonly ServedRoute[] = [],
): StandInManager {
  const listeners = new Set<() => void>()
  let routing: Routing = { services: [] }
  let opened = 0
  let server: RunningServer | undefined
  const api: ComponentApi = {
    component: 'manager',
    served: [...commonCalls, ...served],
    peers: [
      routingFeed({
        routing: () => routing,
        onRoutingChange: (listener) => {
          listeners.add(listener)
          opened += 1
          return () => listeners.delete(listener)
        },
      }),
    ],
  }
  const manager: StandInManager = {
    settings,
    say: (next) => {
      routing = next
      for (const listener of listeners) listener()
    },
    followers: () => listeners.size,
    opened: () => opened,
    start: async () => {
      server = await startServer({
        ...{ settings, api, version: '1.2.3', log: pino({ level: 'silent' }), cost: testCost },
      })
      return server
    },
    stop: async () => {
      await server?.stop()
      server = undefined
    },
  }
  onTestFinished(() => manager.stop())
  return manager
}
