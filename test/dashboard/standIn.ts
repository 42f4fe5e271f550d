import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import type {
  ActionRequest,
  ActionResponse,
  ClusterCertificates,
  ClusterRuns,
  ClusterUsers,
  DashboardEvent,
  ExplainPage,
  HostDetails,
  SessionPayload,
} from '../../src/contracts/dashboard.ts'
import { dashboardHeader } from '../../src/contracts/dashboard.ts'
import type { DashboardAssets } from '../../src/web/assets.ts'
import page from '../../src/web/page.json' with { type: 'json' }

/** What the stand-in answers; the events go to all open streams. */
export type Play = {
  readonly session: () => SessionPayload
  /** Returns the session after a login, and undefined where it is refused. */
  readonly logIn: (login: { readonly user: string; readonly password: string }) => SessionPayload | undefined
  readonly logOut: () => void
  readonly snapshot: () => DashboardEvent
  readonly host: (cluster: string, host: string) => HostDetails
  readonly users: (cluster: string) => ClusterUsers
  readonly certificates: (cluster: string) => ClusterCertificates
  readonly runs: (cluster: string) => ClusterRuns
  readonly explain: (code: string) => ExplainPage
  readonly act: (request: ActionRequest) => ActionResponse
}

/** What both real servers send with the page. */
const policy =
  "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'; require-trusted-types-for 'script'"

const files: DashboardAssets = page

/** A server of the page without a cluster behind it: it serves the built files and plays what it is told. */
export class StandIn {
  readonly #play: Play
  readonly #streams = new Set<ServerResponse>()
  #nextId = 1
  /** Recent events, from which a stream is resumed. */
  #sent: { readonly id: number; readonly text: string }[] = []
  #isRefusing = false
  readonly #server = createServer((request, response) => {
    void this.#serve(request, response).catch(() => response.destroy())
  })

  constructor(play: Play) {
    this.#play = play
  }

  async listen(port = 0): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(port, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/dashboard/`
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  send(event: DashboardEvent): void {
    const text = this.#textOf(event)
    this.#sent = [...this.#sent, { id: this.#nextId - 1, text }].slice(-1000)
    for (const stream of this.#streams) stream.write(text)
  }

  /** Answers new streams with 503 until `refuse(false)`. */
  refuse(isRefusing: boolean): void {
    this.#isRefusing = isRefusing
  }

  /** Cuts all streams; by `forget` none of them can be resumed, as after a restart of the server. */
  cut({ forget = false }: { readonly forget?: boolean } = {}): void {
    if (forget) this.#sent = []
    for (const stream of this.#streams) stream.destroy()
    this.#streams.clear()
  }

  /** Returns the events after an id, and a snapshot where they are not known any more. */
  #missed(lastId: number): string {
    const index = this.#sent.findIndex(({ id }) => id === lastId)
    if (index === -1) return this.#textOf(this.#play.snapshot())
    return this.#sent
      .slice(index + 1)
      .map(({ text }) => text)
      .join('')
  }

  #textOf(event: DashboardEvent): string {
    const id = this.#nextId
    this.#nextId += 1
    return `id: ${id}\ndata: ${JSON.stringify(event)}\n\n`
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://localhost')
    response.setHeader('Content-Security-Policy', policy)
    const name = url.pathname.replace(/^\/dashboard\//, '') || 'index.html'
    const file = files[name]
    if (file !== undefined) {
      response.setHeader('Content-Type', file.type)
      response.end(gunzipSync(Buffer.from(file.gzip, 'base64')))
      return
    }
    if (
      request.method !== 'GET' &&
      request.headers[dashboardHeader.name.toLowerCase()] !== dashboardHeader.value
    ) {
      problem(response, 403, 'cross-site')
      return
    }
    const cluster = url.searchParams.get('cluster') ?? ''
    switch (`${request.method} ${name}`) {
      case 'GET session':
        return json(response, this.#play.session())
      case 'POST token':
        return json(response, this.#play.session())
      case 'POST login': {
        const session = this.#play.logIn(JSON.parse(await bodyOf(request)))
        if (session === undefined) return problem(response, 401, 'login-refused')
        return json(response, session)
      }
      case 'POST logout':
        this.#play.logOut()
        return json(response, null)
    }
    if (this.#play.session().state !== 'in') return problem(response, 401, 'login-required')
    switch (`${request.method} ${name}`) {
      case 'GET events':
        if (this.#isRefusing) return problem(response, 503, 'stopping')
        response.setHeader('Content-Type', 'text/event-stream')
        response.write(this.#missed(Number(request.headers['last-event-id'])))
        this.#streams.add(response)
        response.on('close', () => this.#streams.delete(response))
        return
      case 'GET host':
        return json(response, this.#play.host(cluster, url.searchParams.get('host') ?? ''))
      case 'GET users':
        return json(response, this.#play.users(cluster))
      case 'GET certificates':
        return json(response, this.#play.certificates(cluster))
      case 'GET runs':
        return json(response, this.#play.runs(cluster))
      case 'GET explain':
        return json(response, this.#play.explain(url.searchParams.get('code') ?? ''))
      case 'POST action':
        return json(response, this.#play.act(JSON.parse(await bodyOf(request))))
    }
    problem(response, 404, 'not-found')
  }
}

function json(response: ServerResponse, value: unknown): void {
  response.setHeader('Content-Type', 'application/json')
  response.end(JSON.stringify(value))
}

function problem(response: ServerResponse, status: number, code: string): void {
  response.statusCode = status
  json(response, { code, detail: detailOf[code] ?? code })
}

const detailOf: Readonly<Record<string, string>> = {
  'login-refused': 'The user or the password is wrong.',
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += chunk
  return text
}
