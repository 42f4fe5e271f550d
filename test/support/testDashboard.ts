import { type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { onTestFinished } from 'vitest'
import type { ClusterPicture } from '../../src/contracts/clusterPicture.ts'
import type { SessionPayload } from '../../src/contracts/dashboard.ts'
import type { DashboardAssets } from '../../src/web/assets.ts'
import type { DashboardBackend, DashboardLogin, RelayedCall } from '../../src/web/backend.ts'
import { DashboardError } from '../../src/web/dashboardError.ts'
import { createDashboard } from '../../src/web/dashboardHandler.ts'
import { dataSource, host as hostNamed, service } from '../dashboard/pictures.ts'
import { servePlain } from './loopbackServer.ts'

const asset = (type: string, text: string): DashboardAssets[string] => ({
  type,
  tag: 'abc123',
  brotli: brotliCompressSync(text).toString('base64'),
  gzip: gzipSync(text).toString('base64'),
})

/** A page of two files, in place of the one that is built. */
export const smallAssets: DashboardAssets = {
  'index.html': asset('text/html; charset=utf-8', '<!doctype html><title>muster</title>'),
  'app.js': asset('text/javascript; charset=utf-8', 'export const page = 1\n'),
}

/** A cluster of one service, one data source and one host. */
export const smallPicture = (name: string, appliedLatency: number | null = 0): ClusterPicture => ({
  name,
  verdict: { level: 'ok', problems: [] },
  services: [service()],
  datasources: [dataSource({ name: 'db1', appliedLatency })],
  hosts: [hostNamed({ name: 'db1', components: [], connector: null })],
})

export type TestResponse = {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
  readonly body: unknown
  /** Value of the session's cookie that it set. */
  readonly cookie: string | undefined
}

/** What a test changes about its backend while it runs. */
export type BackendState = {
  pictures: Map<string, ClusterPicture>
  changed: Map<string, () => void>
  followed: string[]
  stopped: string[]
  calls: { readonly login: DashboardLogin; readonly call: RelayedCall }[]
  isCurrent: (login: DashboardLogin) => boolean | Promise<boolean>
}

/** A dashboard on a port of loopback, with users `ada` (full) and `eve` (read) of two clusters, password `right`. */
export async function startDashboard(
  options: {
    readonly needsToken?: boolean
    readonly monotonic?: () => number
    readonly streams?: Parameters<typeof createDashboard>[0]['streams']
    readonly backend?: Partial<DashboardBackend>
    readonly clusters?: readonly string[]
  } = {},
) {
  const clusters = options.clusters ?? ['north', 'south']
  const state: BackendState = {
    pictures: new Map(clusters.map((name) => [name, smallPicture(name)])),
    changed: new Map(),
    followed: [],
    stopped: [],
    calls: [],
    isCurrent: () => true,
  }
  const faults: unknown[] = []
  const backend: DashboardBackend = {
    server: 'muster',
    clusters,
    login: async ({ user, password, cluster }) => {
      const access = { ada: 'full', eve: 'read' } as const
      if (password.reveal() !== 'right' || !(user === 'ada' || user === 'eve')) {
        throw new DashboardError({ code: 'login-refused', detail: 'The user name or the password is wrong.' })
      }
      const names = cluster === undefined ? clusters : [cluster]
      return names.map((name) => ({ cluster: name, user, password, access: access[user] }))
    },
    isCurrent: (login) => state.isCurrent(login),
    follow: (cluster, changed) => {
      state.followed.push(cluster)
      state.changed.set(cluster, changed)
      return {
        picture: () => state.pictures.get(cluster) ?? smallPicture(cluster),
        lags: () => [],
        stop: () => state.stopped.push(cluster),
      }
    },
    call: async (login, call) => {
      state.calls.push({ login, call })
      return { status: 200, payload: { done: true } }
    },
    ...options.backend,
  }
  let host = ''
  const monotonic = options.monotonic ?? (() => performance.now())
  const dashboard = createDashboard({
    backend,
    assets: smallAssets,
    own: { scheme: 'http', isOwnHost: (header) => header === host },
    needsToken: options.needsToken ?? false,
    onFault: (error) => faults.push(error),
    clocks: { now: () => new Date(), monotonic },
    ...(options.streams ? { streams: options.streams } : {}),
  })
  /** Responses that are still open. */
  const streaming = new Set<unknown>()
  const server = await servePlain((received, response) => {
    streaming.add(response)
    response.on('close', () => streaming.delete(response))
    dashboard.handle(received, response)
  })
  host = `x.localhost:${server.port}`
  onTestFinished(async () => {
    dashboard.close()
    await server.close()
  })

  const open = (
    path: string,
    {
      method = 'GET',
      headers = {},
      body,
    }: { method?: string; headers?: OutgoingHttpHeaders; body?: string | Buffer },
  ): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const sent = request(
        {
          host: '127.0.0.1',
          port: server.port,
          path,
          method,
          agent: false,
          setHost: false,
          headers: { Host: host, ...headers },
        },
        resolve,
      )
      sent.on('error', reject)
      sent.end(body)
    })

  async function send(
    path: string,
    how: { method?: string; headers?: OutgoingHttpHeaders; body?: string | Buffer } = {},
  ): Promise<TestResponse> {
    const response = await open(path, how)
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString()
    const isJson = response.headers['content-type']?.startsWith('application/json') ?? false
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      text,
      body: isJson && text !== '' ? JSON.parse(text) : undefined,
      cookie: /^__Host-muster=([^;]+)/.exec(response.headers['set-cookie']?.[0] ?? '')?.[1],
    }
  }

  /** Headers as the page sends them. */
  const fromPage = (cookie?: string): OutgoingHttpHeaders => ({
    Origin: `http://${host}`,
    'Sec-Fetch-Site': 'same-origin',
    'Content-Type': 'application/json',
    'X-Muster-Dashboard': '1',
    ...(cookie === undefined ? {} : { Cookie: `__Host-muster=${cookie}` }),
  })

  const post = (path: string, value: unknown, headers: OutgoingHttpHeaders = fromPage()) =>
    send(path, { method: 'POST', headers, body: JSON.stringify(value) })

  const get = (path: string, cookie?: string) =>
    send(path, {
      headers: { 'Sec-Fetch-Site': 'same-origin', ...(cookie ? { Cookie: `__Host-muster=${cookie}` } : {}) },
    })

  async function logIn(user = 'ada', before?: string): Promise<string> {
    const { status, cookie, text } = await post(
      '/dashboard/login',
      { user, password: 'right' },
      fromPage(before),
    )
    if (status !== 200 || cookie === undefined) throw new Error(`no login: ${status} ${text}`)
    return cookie
  }

  const sessionOf = async (cookie?: string): Promise<SessionPayload> =>
    (await get('/dashboard/session', cookie)).body as SessionPayload

  /** Opens an event stream, and collects its text. */
  async function openEvents(cookie: string, headers: OutgoingHttpHeaders = {}) {
    const response = await open('/dashboard/events', {
      headers: { Cookie: `__Host-muster=${cookie}`, 'Sec-Fetch-Site': 'same-origin', ...headers },
    })
    const stream = { text: '', isEnded: false, response }
    response.on('data', (chunk: Buffer) => {
      stream.text += chunk.toString()
    })
    response.on('close', () => {
      stream.isEnded = true
    })
    response.on('error', () => undefined)
    return stream
  }

  return {
    dashboard,
    backend,
    state,
    faults,
    host,
    port: server.port,
    send,
    post,
    get,
    fromPage,
    logIn,
    sessionOf,
    openEvents,
    connections: () => streaming.size,
  }
}

/** Events of a stream's text: id and data. */
export const eventsIn = (
  text: string,
): readonly { readonly id: string | undefined; readonly data: Readonly<Record<string, unknown>> }[] =>
  text
    .split('\n\n')
    .filter((block) => block.includes('data: '))
    .map((block) => ({
      id: /^id: (.*)$/m.exec(block)?.[1],
      data: JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? 'null'),
    }))
