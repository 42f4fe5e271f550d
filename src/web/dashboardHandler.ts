import type { IncomingMessage, ServerResponse } from 'node:http'
import type { EventStreamLimits } from '../base/eventStreams.ts'
import {
  ActionRequest,
  type DashboardPage,
  dashboardPaths,
  LoginRequest,
  type SessionPayload,
  TokenRequest,
} from '../contracts/dashboard.ts'
import { Secret } from '../secrets/secret.ts'
import { createAssetServer, type DashboardAssets } from './assets.ts'
import type { DashboardBackend, DashboardLogin } from './backend.ts'
import { createBrowserSessions } from './browserSessions.ts'
import { DashboardError, loginRequired, notFound } from './dashboardError.ts'
import { explainPage } from './explainPage.ts'
import { relayedCall } from './relayedCall.ts'
import { checkChange, checkHost, checkSite, type OwnNames, readJson, readQuery } from './requestChecks.ts'
import { redirect, sendError, sendJson, setSafeHeaders } from './responses.ts'
import type { Session } from './sessions.ts'
import { createViewerStreams } from './viewerStreams.ts'

/** Folder of the dashboard on its server. */
const root = '/dashboard/'

/** Returns true for a target of a request that the dashboard answers. */
export const isDashboardTarget = (target: string): boolean => /^\/dashboard(?:[/?]|$)/.test(target)

/** The dashboard of one server. */
export type DashboardHandler = {
  /** Answers a request, of whatever path; `onKnown` is called once it is seen to be that of somebody who logged in. */
  handle(request: IncomingMessage, response: ServerResponse, onKnown?: () => void): void
  /** Returns a new one-time token for the page's address; the one before means nothing any more. */
  issueToken(): Secret
  /** Ends all sessions and streams. */
  close(): void
}

type Request = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly query: string
  readonly session: Session | undefined
}

type Handle = (request: Request) => Promise<void>

/** Handlers of a path, by method. */
type Resource = { readonly GET?: Handle; readonly POST?: Handle }

type Read<Name extends string> = (
  login: DashboardLogin,
  query: Readonly<Record<Name, string>>,
) => Promise<unknown>

const notAllowed = (allow: string): DashboardError =>
  new DashboardError({
    code: 'method-not-allowed',
    detail: `This path takes ${allow} only.`,
    headers: { Allow: allow },
  })

/** Creates the request handler of a dashboard, whose sessions, streams and files it keeps. */
export function createDashboard(options: {
  readonly backend: DashboardBackend
  readonly assets: DashboardAssets
  readonly own: OwnNames
  /** True for a door that opens by a one-time token before anybody may log in. */
  readonly needsToken: boolean
  /** Notes a fault of the server itself, about which the page learns nothing. */
  readonly onFault: (error: unknown) => void
  /** Wall clock, and one in milliseconds that never goes back. */
  readonly clocks?: { readonly now: () => Date; readonly monotonic: () => number }
  readonly streams?: Partial<EventStreamLimits>
}): DashboardHandler {
  const { backend, own, needsToken, onFault } = options
  const { now, monotonic } = options.clocks ?? {
    now: () => new Date(),
    monotonic: () => performance.now(),
  }
  const assets = createAssetServer(options.assets)
  const viewers = createViewerStreams({
    ...{ follow: backend.follow, now, onFault },
    ...(options.streams ? { limits: options.streams } : {}),
  })
  const sessions = createBrowserSessions({
    ...{ backend, needsToken, monotonic, onFault },
    onLogout: viewers.end,
  })

  const optionalPages = (['host', 'users', 'certificates', 'runs'] as const).filter((page) => backend[page])
  const pages: readonly DashboardPage[] = ['clusters', 'cluster', ...optionalPages]

  const payloadOf = (session: Session | undefined): SessionPayload => ({
    server: backend.server,
    pages,
    ...sessions.clustersOf(session),
  })

  async function exchangeToken({ request, response, session }: Request): Promise<void> {
    const { token } = await readJson(request, TokenRequest)
    if (!sessions.takeToken(token)) {
      const detail =
        'The token in the address was used before, or is not of this server. Run muster dashboard again.'
      throw new DashboardError({ code: 'login-refused', detail })
    }
    sendJson(response, payloadOf(sessions.begin(response, [], session)))
  }

  async function logIn({ request, response, session }: Request): Promise<void> {
    if (needsToken && !session) throw loginRequired()
    const { password, ...asked } = await readJson(request, LoginRequest)
    if (asked.cluster !== undefined && !backend.clusters.includes(asked.cluster)) {
      throw notFound('This server has no cluster of that name.')
    }
    const gained = await backend.login({ ...asked, password: new Secret(password) }, request.socket)
    // Other clusters stay logged in, but for what ended while the password was checked.
    const kept = [...(session?.logins.values() ?? [])].filter(
      ({ cluster }) => !gained.some((login) => login.cluster === cluster),
    )
    // Under a new id: who knew the one before, or chose it, does not know this one.
    sendJson(response, payloadOf(sessions.begin(response, [...kept, ...gained], session)))
  }

  async function logOut({ request, response, session }: Request): Promise<void> {
    request.resume()
    if (needsToken && session) return sendJson(response, payloadOf(sessions.begin(response, [], session)))
    sessions.end(response, session)
    sendJson(response, payloadOf(undefined))
  }

  async function act({ request, response, session }: Request): Promise<void> {
    const action = await readJson(request, ActionRequest)
    const login = sessions.loginTo(session, action.cluster)
    // The response of the called API is told inside: its 401 is not one of this server.
    sendJson(response, await backend.call(login, relayedCall(action, login.access)))
  }

  /** Answers with what the backend knows of the cluster that the query names; nothing where it does not have it. */
  const page = <Name extends string = never>(
    read: Read<Name> | undefined,
    names: readonly Name[] = [],
  ): Resource =>
    read
      ? {
          GET: async ({ response, query, session }) => {
            const given = readQuery(query, ['cluster', ...names])
            sendJson(response, await read(sessions.loginTo(session, given.cluster), given))
          },
        }
      : {}

  const { host } = backend
  const resources: Readonly<Record<string, Resource>> = {
    [dashboardPaths.session]: {
      GET: async ({ response, session }) => sendJson(response, payloadOf(session)),
    },
    [dashboardPaths.login]: { POST: logIn },
    [dashboardPaths.logout]: { POST: logOut },
    [dashboardPaths.events]: {
      GET: async ({ request, response, session }) => viewers.open(request, response, session),
    },
    [dashboardPaths.action]: { POST: act },
    [dashboardPaths.token]: needsToken ? { POST: exchangeToken } : {},
    [dashboardPaths.host]: page<'host'>(host && ((login, given) => host(login, given.host)), ['host']),
    [dashboardPaths.users]: page(backend.users),
    [dashboardPaths.certificates]: page(backend.certificates),
    [dashboardPaths.runs]: page(backend.runs),
    [dashboardPaths.explain]: {
      GET: async ({ response, query, session }) => {
        if (!session || session.logins.size === 0) throw loginRequired()
        const found = explainPage(readQuery(query, ['code']).code)
        if (!found) throw notFound('There is no page of that code. Ask muster explain.')
        sendJson(response, found)
      },
    },
  }

  function sendAsset(request: IncomingMessage, response: ServerResponse, name: string): void {
    // The page has one address.
    const file = name === '' ? 'index.html' : name
    if (name === 'index.html' || !Object.hasOwn(options.assets, file)) {
      throw notFound('The dashboard has no such page.')
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') throw notAllowed('GET, HEAD')
    assets.send(file, request, response)
  }

  async function respond(
    request: IncomingMessage,
    response: ServerResponse,
    onKnown: () => void = () => {},
  ): Promise<void> {
    setSafeHeaders(response, own.scheme)
    checkHost(request, own)
    // Only the path as it stands names something: no escape, no dot segment, no target in another form.
    const [, path = '', query = ''] = /^([^?]*)\??(.*)$/s.exec(request.url ?? '') ?? []
    if (`${path}/` === root) return redirect(response, root)
    if (!path.startsWith(root)) throw notFound('The dashboard is at /dashboard/.')
    const name = path.slice(root.length)
    const resource = Object.hasOwn(resources, name) ? resources[name] : undefined
    if (!resource?.GET && !resource?.POST) return sendAsset(request, response, name)
    const method = request.method === 'HEAD' ? 'GET' : request.method
    const handle = method === 'GET' || method === 'POST' ? resource[method] : undefined
    if (!handle) throw notAllowed(resource.GET ? 'GET, HEAD' : 'POST')
    checkSite(request, own)
    if (method === 'POST') checkChange(request)
    const session = await sessions.of(request)
    if (session && session.logins.size > 0) onKnown()
    await handle({ request, response, query, session })
  }

  return {
    handle: (request, response, onKnown) => {
      respond(request, response, onKnown).catch((error: unknown) => {
        // A request that broke has nobody to answer.
        if (error === request.errored) return void response.destroy()
        if (!(error instanceof DashboardError)) onFault(error)
        return sendError(error, response)
      })
    },
    issueToken: sessions.issueToken,
    close: () => {
      sessions.close()
      viewers.close()
    },
  }
}
