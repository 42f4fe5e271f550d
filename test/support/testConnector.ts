import { join } from 'node:path'
import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import { type OpenedConnector, openConnector } from '../../src/components/connector/connector.ts'
import type { ServerSettings } from '../../src/contracts/serverSettings.ts'
import type { MapDataSource } from '../../src/contracts/servicesMap.ts'
import { type DatabaseClient, databaseClient, refusalIn } from './databaseClient.ts'
import { eventually } from './eventually.ts'
import { proxySettings } from './proxySettings.ts'
import { temporaryFolder } from './temporaryFolder.ts'
import { adminLogin, type TestApi, testApi } from './testApi.ts'
import { settingsIn } from './testServer.ts'

/** A data source on loopback, the primary unless told. */
export const dataSource = (
  at: { readonly name: string; readonly port: number },
  role: MapDataSource['role'] = 'primary',
): MapDataSource => ({ name: at.name, host: '127.0.0.1', port: at.port, role })

/** Settings of a connector of the service alpha on ports that the system chooses; one for readers where there are replicas. */
export function connectorSettings(
  datasources: readonly MapDataSource[],
  more: Partial<ServerSettings> & { readonly folder?: string } = {},
): ServerSettings {
  const { folder = temporaryFolder(), ...settings } = more
  return settingsIn(folder, {
    component: 'connector',
    listen: null,
    services: { services: [{ name: 'alpha', datasources }] },
    stateFile: join(folder, 'connector.state.json'),
    proxy: {
      ...proxySettings,
      port: 0,
      readonlyPort: datasources.some(({ role }) => role === 'replica') ? 0 : null,
      maxHeld: 100,
      maxHold: 60_000,
      drainTimeout: 60_000,
    },
    ...settings,
  })
}

/** A connector as its program opens it, with its API. */
export type TestConnector = TestApi & {
  readonly opened: OpenedConnector
  /** What it told its operator. */
  readonly told: readonly Readonly<Record<string, unknown>>[]
  get(path: string): Promise<Answer>
  post(path: string, body?: unknown, query?: string): Promise<Answer>
  /** A new client of the port to the primary; to the replicas where told. */
  client(role?: 'primary' | 'replica'): Promise<DatabaseClient>
  refusal(role?: 'primary' | 'replica'): Promise<{ readonly number: number; readonly message: string }>
  /** Waits until the status holds these members. */
  until(wanted: Readonly<Record<string, unknown>>): Promise<void>
}

/** Status and payload of an answer. */
export type Answer = readonly [status: number, payload: Readonly<Record<string, unknown>>]

export async function testConnector(settings: ServerSettings): Promise<TestConnector> {
  const told: Readonly<Record<string, unknown>>[] = []
  const log = pino({ level: 'trace' }, { write: (line: string) => void told.push(JSON.parse(line)) })
  const opened = openConnector(settings, log)
  onTestFinished(() => opened.close())
  await opened.start?.()
  const { served, metrics } = opened.api
  const context = { component: 'connector', ...(metrics ? { componentMetrics: metrics } : {}) } as const
  const api = await testApi({ served, context })
  const headers = { authorization: adminLogin }
  const get = async (path: string): Promise<Answer> => {
    const answer = await api.call({ url: `/api/v2/connector/${path}`, headers })
    return [answer.statusCode, answer.json().payload]
  }
  const client = (role: 'primary' | 'replica' = 'primary') =>
    databaseClient(opened.ports()[role === 'primary' ? 0 : 1] ?? 0)
  return {
    ...api,
    opened,
    told,
    get,
    post: async (path, body, query = 'i-am-sure=true') => {
      const url = `/api/v2/connector/${path}?${query}`
      const payload = body === undefined ? {} : { payload: body as object }
      const answer = await api.call({ method: 'POST', url, headers, ...payload })
      return [answer.statusCode, answer.json().payload]
    },
    client,
    refusal: async (role) => {
      const refused = await client(role)
      const bytes = await refused.ended
      refused.socket.end()
      return refusalIn(bytes)
    },
    until: (wanted) =>
      eventually(async () => {
        const [, payload] = await get('status')
        for (const [name, value] of Object.entries(wanted)) {
          if (payload[name] !== value)
            throw new Error(`${name} is ${payload[name]} instead of ${value}: ${JSON.stringify(payload)}`)
        }
      }),
  }
}
