import type { IncomingMessage } from 'node:http'
import type { Route, RouteAuth } from '../contracts/route.ts'
import { namesProblemJson, wanted } from './accept.ts'
import type { ApiContext } from './apiContext.ts'
import type { Door } from './authenticate.ts'
import { checkQuery } from './checkQuery.ts'
import { isCrossSite } from './crossSite.ts'
import type { Exchange } from './exchange.ts'
import { ProblemError } from './problemError.ts'
import { isDecodable } from './requestTarget.ts'
import { isOpen } from './routeTable.ts'
import type { ServedRoute } from './serve.ts'

/** What becomes of a request: a call of a route, or an answer to OPTIONS. */
export type Admission =
  | { readonly kind: 'call'; readonly served: ServedRoute }
  | { readonly kind: 'options'; readonly allow: string }

const one = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(', ') : value

/** Scheme and host that the caller used. */
export const ownOrigin = (door: Door, host: string | undefined): string =>
  `${door === 'tcp' ? 'https' : 'http'}://${host ?? 'localhost'}`

const badRequest = (detail: string): ProblemError => new ProblemError({ code: 'bad-request', detail })

/**
 * Probes of load balancers speak HTTP/1.0, which knows no Host header; browsers, which a page of another site could
 * lead here by a name of its own, always send one.
 */
function isProbe({ request, found }: Exchange): boolean {
  return request.httpVersion === '1.0' && found !== undefined && isOpen(found.resource)
}

function refuseWrongHost(exchange: Exchange, isOwnHost: (header: string) => boolean): void {
  const { host, request, targetOrigin } = exchange
  // HTTP/1.1 demands the header beside a target that names the host, too (RFC 9112 section 3.2).
  const lacksHeader = request.headers.host === undefined && request.httpVersion !== '1.0'
  if (lacksHeader || host === undefined || host === '') {
    if (isProbe(exchange) && targetOrigin === undefined) return
    throw badRequest('The request has no Host header.')
  }
  // The text before the @ may be a password, so none of it is repeated (RFC 9110 section 4.2.4).
  if (targetOrigin && host.includes('@')) throw badRequest('The target of the request names a user.')
  if (targetOrigin && targetOrigin.scheme !== 'https') {
    const detail = `This server speaks https, not ${targetOrigin.scheme}.`
    throw new ProblemError({ code: 'unknown-host', detail })
  }
  if (isOwnHost(host)) return
  const detail = `No name of this server is '${host}'. Names beside the host's own go into rest-api-allowed-hosts.`
  throw new ProblemError({ code: 'unknown-host', detail })
}

const isSafe = (method: string): boolean => method === 'GET' || method === 'HEAD' || method === 'OPTIONS'

function refuseCrossSite({ method, host, request: { headers } }: Exchange, door: Door): void {
  if (isSafe(method)) return
  const own = ownOrigin(door, host)
  const [origin, fetchSite] = [one(headers.origin), one(headers['sec-fetch-site'])]
  if (!isCrossSite({ origin, fetchSite, own })) return
  const detail = 'The headers Origin or Sec-Fetch-Site say that a page of another site makes this call.'
  throw new ProblemError({ code: 'cross-site', detail })
}

function refuseUnwantedForms({ headers }: IncomingMessage, route: Route): void {
  const { accept } = headers
  const { response } = route
  const form = response.kind === 'text' ? response.mediaType : 'application/json'
  // Who asks for problems in their own type takes the good answer as JSON.
  if (wanted(accept, form) === 0 && (response.kind === 'text' || !namesProblemJson(accept))) {
    throw new ProblemError({ code: 'not-acceptable', detail: `The answer comes as ${form} only.` })
  }
  if (route.method !== 'POST') return
  const encoding = one(headers['content-encoding']) ?? 'identity'
  if (encoding.toLowerCase() !== 'identity') {
    throw new ProblemError({ code: 'not-json', detail: 'Send the body as it is, without Content-Encoding.' })
  }
}

function refuseBadEscapes(path: string): void {
  if (!isDecodable(path)) throw badRequest('The path holds a percent sign that begins no character in UTF-8.')
}

/** Health is asked while stopping, too: that is when its answer matters. */
function refuseWhileStopping({ path }: Exchange, context: ApiContext): void {
  if (!context.isStopping() || path.startsWith('/health/')) return
  throw new ProblemError({ code: 'stopping', detail: 'The server is stopping. Try again when it is back.' })
}

/** What all requests through one door are judged by. */
export type DoorRules = {
  readonly door: Door
  readonly context: ApiContext
  /** Whether a Host header means this server. */
  readonly isOwnHost: (header: string) => boolean
}

/** Refuses a request, whatever it asks for, in this order: path, stopping, Host, cross-site. */
export function refuseStrangers(exchange: Exchange, { door, context, isOwnHost }: DoorRules): void {
  refuseBadEscapes(exchange.path)
  refuseWhileStopping(exchange, context)
  if (door === 'tcp') refuseWrongHost(exchange, isOwnHost)
  refuseCrossSite(exchange, door)
}

/** The route that a request asks for, if there is one; HEAD asks as GET does. */
export function routeFor({ method, found }: Exchange): ServedRoute | undefined {
  const wantedMethod = method === 'HEAD' ? 'GET' : method
  return found?.resource.served.find(({ route }) => route.method === wantedMethod)
}

/** Who may ask for what a request asks for: a route, another method of its resource, or nothing that there is. */
export const authFor = ({ found }: Exchange, served: ServedRoute | undefined): RouteAuth =>
  (served ?? found?.resource.served[0])?.route.auth ?? 'basic'

/**
 * Lets in a request whose caller is known, or refuses it in this order: resource, method, Accept, query. It comes
 * after the login, so that nobody without one learns which resources there are.
 */
export function admit(
  { request, method, found, query }: Exchange,
  served: ServedRoute | undefined,
): Admission {
  if (!found) {
    throw new ProblemError({ code: 'not-found', detail: 'The call uris lists everything there is.' })
  }
  const { allow } = found.resource
  if (method === 'OPTIONS') return { kind: 'options', allow }
  if (!served) {
    const detail = `This resource takes ${allow}.`
    throw new ProblemError({ code: 'method-not-allowed', detail, headers: { Allow: allow } })
  }
  refuseUnwantedForms(request, served.route)
  checkQuery(served.route, query)
  return { kind: 'call', served }
}
