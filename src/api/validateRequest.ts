import type { IncomingMessage } from 'node:http'
import { listOf } from '../base/words.ts'
import { allows } from '../contracts/accessLevels.ts'
import type { FieldError } from '../contracts/envelope.ts'
import {
  accessFor,
  guardParameter,
  type Route,
  type RouteAuth,
  type RouteResponse,
  takesValue,
} from '../contracts/route.ts'
import type { ApiContext } from './apiContext.ts'
import type { Caller, Listener } from './caller.ts'
import { ProblemError } from './problemError.ts'
import type { RequestContext } from './requestContext.ts'
import { isCrossSite } from './requestHeaders.ts'
import { acceptQuality, eventStreamType, namesProblemJson } from './response.ts'
import { isDecodable, isOpen } from './routeTable.ts'
import type { ServedRoute } from './serve.ts'

/** Empty query. */
export const noQuery: Readonly<Record<string, unknown>> = {}

/**
 * Refuses a query that is not what the route takes: `i-am-sure=true` once where it is guarded, and the
 * parameters that it names. A member that came twice is a list here.
 */
export function checkQuery(route: Route, query: Readonly<Record<string, unknown>>): void {
  if (route.guard && query[guardParameter] !== 'true') {
    const message = Array.isArray(query[guardParameter])
      ? 'is given more than once'
      : query[guardParameter] === undefined
        ? 'is missing'
        : "must be 'true'"
    throw new ProblemError({
      code: 'not-confirmed',
      detail: `This call makes changes. Add the query parameter ${guardParameter}=true, once, to confirm it.`,
      errors: [{ path: guardParameter, message }],
    })
  }
  if (query === noQuery) return
  const { query: known = {} } = route
  const given = Object.entries(query).filter(([name]) => !(route.guard && name === guardParameter))
  const errors = given.flatMap(([path, value]) => {
    const parameter = Object.hasOwn(known, path) ? known[path] : undefined
    if (!parameter) return [{ path, message: 'is not a parameter of this call' }]
    if (Array.isArray(value)) return [{ path, message: 'is given more than once' }]
    if (takesValue(parameter, String(value))) return []
    const { values } = parameter
    const wanted = 'pattern' in values ? `match ${values.pattern}` : `be one of ${values.join(', ')}`
    return [{ path, message: `must ${wanted}` }]
  })
  if (errors.length === 0) return
  // A member that is known and has another value is no unknown one.
  const [code, detail] = given.some(([name]) => !Object.hasOwn(known, name))
    ? (['unknown-query', describeParameters(route)] as const)
    : (['invalid-query', describeErrors(errors)] as const)
  throw new ProblemError({ code, detail, errors: errors.slice(0, 20) })
}

const describeErrors = (errors: readonly FieldError[]): string =>
  errors.map(({ path, message }) => `The query parameter ${path} ${message}.`).join(' ')

function describeParameters({ guard, query = {} }: Route): string {
  const names = [...(guard ? [guardParameter] : []), ...Object.keys(query)]
  if (names.length === 0) return 'This call takes no query parameters.'
  return `This call takes only the query parameter${names.length === 1 ? '' : 's'} ${listOf(names)}.`
}

/** Action that a valid request leads to: a call of a route, or a response to OPTIONS. */
type RequestAction =
  | { readonly kind: 'call'; readonly served: ServedRoute }
  | { readonly kind: 'options'; readonly allow: string }

export const joinedHeader = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(', ') : value

/** Returns scheme and host that the caller used. */
export const ownOrigin = (listener: Listener, host: string | undefined): string =>
  `${listener === 'socket' ? 'http' : 'https'}://${host ?? 'localhost'}`

const badRequest = (detail: string): ProblemError => new ProblemError({ code: 'bad-request', detail })

/**
 * Probes of load balancers speak HTTP/1.0, which knows no Host header; browsers, which a page of another site could
 * lead here by a name of its own, always send one.
 */
function isProbe({ request, match }: RequestContext): boolean {
  return request.httpVersion === '1.0' && match !== undefined && isOpen(match.resource)
}

function rejectWrongHost(requestContext: RequestContext, isOwnHost: (header: string) => boolean): void {
  const { host, request, targetOrigin } = requestContext
  // HTTP/1.1 demands the header beside a target that names the host, too (RFC 9112 section 3.2).
  const lacksHeader = request.headers.host === undefined && request.httpVersion !== '1.0'
  if (lacksHeader || host === undefined || host === '') {
    if (isProbe(requestContext) && targetOrigin === undefined) return
    throw badRequest('The request has no Host header.')
  }
  // The text before the @ may be a password, so none of it is repeated (RFC 9110 section 4.2.4).
  if (targetOrigin && host.includes('@')) throw badRequest('The target of the request contains a user name.')
  if (targetOrigin && targetOrigin.scheme !== 'https') {
    const detail = `This server accepts https, not ${targetOrigin.scheme}.`
    throw new ProblemError({ code: 'unknown-host', detail })
  }
  if (isOwnHost(host)) return
  const detail = `'${host}' is not a name of this server. Set rest-api-allowed-hosts to allow further names.`
  throw new ProblemError({ code: 'unknown-host', detail })
}

const isSafe = (method: string): boolean => method === 'GET' || method === 'HEAD' || method === 'OPTIONS'

function rejectCrossSite({ method, host, request: { headers } }: RequestContext, listener: Listener): void {
  if (isSafe(method)) return
  const own = ownOrigin(listener, host)
  const [origin, fetchSite] = [joinedHeader(headers.origin), joinedHeader(headers['sec-fetch-site'])]
  if (!isCrossSite({ origin, fetchSite, own })) return
  const detail = 'A page of another site makes this call, as its header Origin or Sec-Fetch-Site says.'
  throw new ProblemError({ code: 'cross-site', detail })
}

function mediaTypeOf(response: RouteResponse): string {
  if (response.kind === 'text') return response.mediaType
  return response.kind === 'events' ? eventStreamType : 'application/json'
}

function rejectUnacceptable({ headers }: IncomingMessage, route: Route): void {
  const { accept } = headers
  const { response } = route
  const form = mediaTypeOf(response)
  // Whoever asks for problems in their own type accepts a successful response as JSON.
  if (acceptQuality(accept, form) === 0 && (form !== 'application/json' || !namesProblemJson(accept))) {
    throw new ProblemError({ code: 'not-acceptable', detail: `This call responds with ${form} only.` })
  }
  if (route.method !== 'POST') return
  const encoding = joinedHeader(headers['content-encoding']) ?? 'identity'
  if (encoding.toLowerCase() !== 'identity') {
    throw new ProblemError({ code: 'not-json', detail: 'Send the body without Content-Encoding.' })
  }
}

function rejectBadEscapes(path: string): void {
  if (!isDecodable(path))
    throw badRequest('The path contains a percent sign that does not encode a UTF-8 character.')
}

/** Health is served while stopping, too: that is when it matters. */
function rejectWhileStopping({ path }: RequestContext, context: ApiContext): void {
  if (!context.isStopping() || path.startsWith('/health/')) return
  throw new ProblemError({ code: 'stopping', detail: 'The server is stopping. Try again when it is back.' })
}

/** Rules for all requests of one listener. */
export type ListenerRules = {
  readonly listener: Listener
  readonly context: ApiContext
  /** Returns true for a Host header that names this server. */
  readonly isOwnHost: (header: string) => boolean
}

/** Rejects a host with a certificate of the cluster that has no business here, or proves nothing any more. */
function rejectUnknownPeer({ request }: RequestContext, { hostOf }: ListenerRules['context']): void {
  if (hostOf?.(request.socket) !== undefined) return
  const detail =
    'The certificate is for no host of the services of this manager. Where the file has one, run muster install on this host.'
  throw new ProblemError({ code: 'login-required', detail })
}

/** Rejects a request before its route is known, in this order: path, stopping, Host, cross-site. */
export function rejectUntrusted(
  requestContext: RequestContext,
  { listener, context, isOwnHost }: ListenerRules,
): void {
  rejectBadEscapes(requestContext.path)
  rejectWhileStopping(requestContext, context)
  if (listener === 'tcp') rejectWrongHost(requestContext, isOwnHost)
  if (listener === 'channel') rejectUnknownPeer(requestContext, context)
  rejectCrossSite(requestContext, listener)
}

/** Returns the route of a request, if there is one; HEAD counts as GET. */
export function routeFor({ method, match }: RequestContext): ServedRoute | undefined {
  const routeMethod = method === 'HEAD' ? 'GET' : method
  return match?.resource.served.find(({ route }) => route.method === routeMethod)
}

/** Returns the authentication that a request needs, whether its route, its method or its resource exists or not. */
export const authFor = ({ match }: RequestContext, served: ServedRoute | undefined): RouteAuth =>
  (served ?? match?.resource.served[0])?.route.auth ?? 'basic'

/** Rejects a user whose level is too low; other callers were let in for what they are. */
function rejectLowAccess(route: Route, caller: Caller): void {
  const needed = accessFor(route)
  if (caller.kind !== 'user' || needed === undefined || allows(caller.access, needed)) return
  const detail = `This call needs the access level ${needed}; ${caller.user} has ${caller.access}.`
  throw new ProblemError({ code: 'access-level', detail })
}

/**
 * Validates a request of a caller, in this order: resource, method, access level, Accept, query. It comes
 * after the login, so that nobody without one learns which resources there are.
 */
export function validateRequest(
  { request, method, match, query }: RequestContext,
  served: ServedRoute | undefined,
  caller: Caller,
): RequestAction {
  if (!match) {
    throw new ProblemError({ code: 'not-found', detail: 'Use the call uris to list all resources.' })
  }
  const { allow } = match.resource
  if (method === 'OPTIONS') return { kind: 'options', allow }
  if (!served) {
    const detail = `This resource supports ${allow}.`
    throw new ProblemError({ code: 'method-not-allowed', detail, headers: { Allow: allow } })
  }
  rejectLowAccess(served.route, caller)
  rejectUnacceptable(request, served.route)
  checkQuery(served.route, query)
  return { kind: 'call', served }
}
