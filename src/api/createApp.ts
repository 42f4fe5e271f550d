import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import { parse as parseQuery } from 'node:querystring'
import {
  createEventStreams,
  defaultEventStreamLimits,
  type EventStreamLimits,
  type EventStreams,
} from '../base/eventStreams.ts'
import { internalUserAgent } from '../contracts/route.ts'
import type { ApiContext } from './apiContext.ts'
import { auditCalls } from './audit/auditCalls.ts'
import { loginCheck } from './authenticate.ts'
import { type Listener, streamOwner } from './caller.ts'
import { type CallLog, createCallLog } from './callLog.ts'
import {
  type ConnectionLimits,
  defaultConnectionLimits,
  limitConnections,
  trackConnections,
} from './connectionLimits.ts'
import { handleRequest, type ListenerContext } from './handleRequest.ts'
import type { ListenerLog, Log } from './log.ts'
import { ProblemError, toProblem } from './problemError.ts'
import { isOwnAddress, peerNetwork } from './remoteAddress.ts'
import type { RequestContext } from './requestContext.ts'
import { hostCheck } from './requestHeaders.ts'
import { headersOf, problemResponse, type Response } from './response.ts'
import { createRouteTable, readTarget } from './routeTable.ts'
import type { ServedPages, ServedRoute } from './serve.ts'
import { createHttpServer, type ServerLimits, type TlsMaterial } from './server.ts'
import { noQuery } from './validateRequest.ts'

/** One listener of a component's API, not listening yet. */
export type App = {
  readonly server: Server
  readonly requestListener: RequestListener
  readonly log: Log
  readonly streams: EventStreams
  /** Closes all connections at once but those with a call of a known caller, or a login that is checked, under way. */
  readonly closeStrangers: () => void
  /** Closes those with a login that is still being checked, too. */
  readonly closeUnknown: () => void
}

/** Builds the response to a failed request; logs faults of the server. */
function errorResponse(
  error: unknown,
  { request, requestId, auditEntry }: RequestContext,
  { log, callLog }: { readonly log: Log; readonly callLog: CallLog },
): Response {
  const isAborted = error === request.errored
  const problem = isAborted
    ? new ProblemError({
        code: 'bad-request',
        detail: 'The connection was closed before the body was complete.',
      })
    : toProblem(error)
  if (auditEntry) auditEntry.code = problem.code
  if (isAborted) log.info({ requestId }, 'the caller closed the connection')
  if (problem.code === 'internal') callLog.fault({ requestId, err: error }, 'internal error')
  if (problem.code === 'not-ready') callLog.fault({ requestId, reason: String(error) }, 'not ready')
  return problemResponse({ problem, requestId, accept: request.headers.accept })
}

/** Browsers that have seen a host once ask it over TLS only, for a year in seconds (RFC 6797 section 6.1). */
const transportSecurity = ['Strict-Transport-Security', 'max-age=31536000']

function send(
  response: ServerResponse,
  sent: Response,
  about: { requestId: string; isLast: boolean; listener: Listener },
): void {
  const headers = headersOf(sent, about.requestId)
  // Over plain HTTP the header must not be sent (RFC 6797 section 7.2).
  if (about.listener === 'tcp') headers.push(...transportSecurity)
  // A connection kept open would keep a stopping server waiting for it, also after the end of a stream.
  const isLast = about.isLast || sent.events !== undefined
  response.writeHead(sent.status, isLast ? [...headers, 'Connection', 'close'] : headers)
  if (!sent.events || response.req.method === 'HEAD') response.end(sent.body)
}

/**
 * Creates one listener of a component's API. With `tls` its server speaks HTTPS, without it plain HTTP;
 * `requestListener` takes requests that came any other way, too.
 */
export function createApp(options: {
  readonly served: readonly ServedRoute[]
  readonly context: ApiContext
  readonly listener: Listener
  readonly log: ListenerLog
  readonly tls?: TlsMaterial
  readonly limits?: Partial<ServerLimits>
  readonly connections?: ConnectionLimits
  readonly streams?: Partial<EventStreamLimits>
  readonly pages?: ServedPages | undefined
}): App {
  const { context, listener, tls, limits } = options
  const log = options.log.child({ door: listener })
  const callLog = createCallLog(log)
  const find = createRouteTable(options.served)
  const audit = auditCalls(context.audit, listener)
  const streams = createEventStreams({ ...defaultEventStreamLimits, ...options.streams })
  /** Calls whose response has not ended, and requests of pages by people who logged in. */
  const underWay = new Set<RequestContext>()
  const knownPages = new Set<IncomingMessage>()
  const facts: ListenerContext = { listener, context, audit, isOwnHost: hostCheck(context.allowedHosts) }

  function createContext(request: IncomingMessage): RequestContext {
    const { url = '', method = '' } = request
    const { path, query, origin } = readTarget(url)
    const match = find(path)
    return {
      request,
      requestId: context.newRequestId(),
      method,
      path,
      targetOrigin: origin,
      host: origin ? origin.authority : request.headers.host,
      query: query === undefined ? noQuery : parseQuery(query, '&', '=', { maxKeys: 0 }),
      match,
      remoteAddress: request.socket.remoteAddress,
      caller: null,
      auditEntry: audit.entryFor(method, match),
    }
  }

  function logCall(
    { request, requestId, method, path, match, remoteAddress, caller }: RequestContext,
    status: number,
    startedAt: number,
  ): void {
    const elapsed = performance.now() - startedAt
    const route = match?.resource.path ?? 'unmatched'
    const user = caller?.kind === 'user' ? caller.user : undefined
    context.counts.count({ route, method, status, seconds: elapsed / 1000 })
    const milliseconds = Math.round(elapsed)
    const isRead = method === 'GET' || method === 'HEAD'
    // What a caller says of itself counts for the level of a line alone, of a successful reading from this host.
    const isAutomatic =
      caller?.kind === 'socket' ||
      caller?.kind === 'host' ||
      (request.headers['user-agent'] === internalUserAgent &&
        (listener === 'socket' || isOwnAddress(request.socket)))
    callLog.call(
      { requestId, route, method, status, path, peer: remoteAddress, user, milliseconds },
      {
        isKnown: caller !== null && caller.kind !== 'anonymous',
        isRoutine: isRead && status < 400 && isAutomatic,
        origin: peerNetwork(remoteAddress ?? 'gone'),
      },
    )
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const startedAt = performance.now()
    const requestContext = createContext(request)
    underWay.add(requestContext)
    response.once('close', () => underWay.delete(requestContext))
    const { auditEntry } = requestContext
    let sent: Response
    const path = requestContext.match?.resource.path ?? ''
    let owner = ''
    try {
      sent = await handleRequest(requestContext, facts)
      owner = streamOwner(requestContext.caller, peerNetwork(request.socket.remoteAddress ?? 'gone'))
      if (sent.events) streams.admit({ path, owner })
    } catch (error) {
      sent = errorResponse(error, requestContext, { log, callLog })
    }
    if (auditEntry) sent = await audit.record(requestContext, auditEntry, sent)
    send(response, sent, { requestId: requestContext.requestId, isLast: context.isStopping(), listener })
    if (sent.events && request.method !== 'HEAD') {
      const isAllowed = loginCheck(requestContext, context)
      streams.open({ path, owner, response, isAllowed }, sent.events)
    }
    logCall(requestContext, sent.status, startedAt)
  }

  const requestListener: RequestListener = (request, response) => {
    if (options.pages?.isFor(request.url ?? '')) {
      return options.pages.handle(request, response, () => {
        knownPages.add(request)
        response.once('close', () => knownPages.delete(request))
      })
    }
    respond(request, response).catch((error) => {
      log.error({ err: error }, 'internal error')
      response.destroy()
    })
  }
  const server = createHttpServer({
    listener: requestListener,
    tls,
    limits,
    newRequestId: context.newRequestId,
  })
  const connections = options.connections ?? defaultConnectionLimits
  // Only root and our own user can open the socket.
  if (listener === 'socket') server.maxConnections = connections.local
  else {
    limitConnections(server, connections, callLog.closed)
  }
  const open = trackConnections(server)
  const closeBut = (isKept: (call: RequestContext) => boolean): void =>
    open.closeBut([...[...underWay].filter(isKept).map(({ request }) => request), ...knownPages])
  const isKnown = ({ caller }: RequestContext): boolean => caller !== null && caller.kind !== 'anonymous'
  server.on('close', callLog.end)
  return {
    server,
    requestListener,
    log,
    streams,
    // Nobody is the caller of a call yet while its login is checked.
    closeStrangers: () =>
      closeBut(
        (call) => isKnown(call) || (call.caller === null && call.request.headers.authorization !== undefined),
      ),
    closeUnknown: () => closeBut(isKnown),
  }
}
