import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import { type Accounts, createAccounts } from '../../src/accounts/accounts.ts'
import { putUser } from '../../src/accounts/userFile.ts'
import type { ApiContext } from '../../src/api/apiContext.ts'
import type { Door } from '../../src/api/authenticate.ts'
import { commonCalls } from '../../src/api/calls/commonCalls.ts'
import { createApp } from '../../src/api/createApp.ts'
import { createRequestCounts } from '../../src/api/metrics.ts'
import type { ServedRoute } from '../../src/api/serve.ts'
import { Secret } from '../../src/secrets/secret.ts'
import { temporaryFolder } from './temporaryFolder.ts'

/** Cheap enough for tests, and a real scrypt all the same. */
export const testCost = { ln: 4, r: 8, p: 1 }

export const basic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`

/** The login that `withAdmin` makes. */
export const adminLogin = basic('admin', 'right')

export type TestApi = {
  readonly app: FastifyInstance
  readonly usersFile: string
  readonly accounts: Accounts
  readonly lines: readonly string[]
  /** A call as curl would make it; the answer's body is parsed by `.json()`. */
  call(options: InjectOptions): Promise<LightMyRequestResponse>
}

/** An API without sockets: its door, its users (admin with the password `right` unless told), its log lines. */
export async function testApi(
  more: {
    readonly door?: Door
    readonly withAdmin?: boolean
    readonly usersFile?: string
    readonly served?: readonly ServedRoute[]
    readonly context?: Partial<ApiContext>
  } = {},
): Promise<TestApi> {
  const usersFile = more.usersFile ?? join(temporaryFolder(), 'users.json')
  const accounts = createAccounts({
    path: usersFile,
    key: randomBytes(32),
    random: randomBytes,
    cost: testCost,
  })
  if (more.withAdmin ?? true) {
    const record = await accounts.recordFor({ user: 'admin', password: new Secret('right') })
    await accounts.change((file) => putUser(file, record))
  }
  const served = more.served ?? commonCalls
  let requests = 0
  const context: ApiContext = {
    component: 'manager',
    version: '1.2.3',
    node: 'v24.0.0',
    hostName: 'db1',
    pid: 4711,
    uptime: () => 1500.25,
    now: () => new Date('2025-03-10T10:12:18Z'),
    newRequestId: () => {
      requests += 1
      return `request-${requests}`
    },
    accounts,
    routes: served.map(({ route }) => route),
    allowedHosts: ['db1', '10.0.0.11', 'fd00::11'],
    remoteBootstrap: false,
    counts: createRequestCounts(),
    isStopping: () => false,
    ...more.context,
  }
  const lines: string[] = []
  const log = pino({ level: 'trace' }, { write: (line: string) => lines.push(line) })
  const app = createApp({ served, context, door: more.door ?? 'tcp', log })
  onTestFinished(() => app.close())
  return {
    app,
    usersFile,
    accounts,
    lines,
    call: (options) => app.inject({ ...options, headers: { host: 'db1:8090', ...options.headers } }),
  }
}
