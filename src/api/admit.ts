import type { IncomingHttpHeaders } from 'node:http'
import type { Route, RouteAuth } from '../contracts/route.ts'
import { namesProblemJson, wanted } from './accept.ts'
import type { ApiContext } from './apiContext.ts'
import { authenticate, type Door } from './authenticate.ts'
import { checkQuery } from './checkQuery.ts'
import { isCrossSite } from './crossSite.ts'
import { ProblemError } from './problemError.ts'
import { type Found, isDecodable } from './routeTable.ts'
import type { Caller, ServedRoute } from './serve.ts'

/** A request as far as its headers say, before its body is read. */
export type Arrival = {
  readonly method: string
  /** Path without query, as it came. */
  readonly path: string
  /** What is served there. */
  readonly found: Found | undefined
  readonly query: Readonly<Record<string, unknown>>
  readonly headers: IncomingHttpHeaders
  readonly peer: string | undefined
}

/** What becomes of a request: a call of a route, or an answer to OPTIONS. */
export type Admission =
  | { readonly kind: 'call'; readonly served: ServedRoute; readonly caller: Caller }
  | { readonly kind: 'options'; readonly allow: string }

const one = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(', ') : value

/** Scheme and host that the caller used. */
export const ownOrigin = (door: Door, host: string | undefined): string =>
  `${door === 'tcp' ? 'https' : 'http'}://${host ?? 'localhost'}`

function refuseWrongHost({ host }: Arrival['headers'], isOwnHost: (header: string) => boolean): void {
  if (host === undefined || host === '') {
    throw new ProblemError({ code: 'bad-request', detail: 'The request has no Host header.' })
  }
  if (isOwnHost(host)) return
  const detail = `No name of this server is '${host}'. Names beside the host's own go into rest-api-allowed-hosts.`
  throw new ProblemError({ code: 'unknown-host', detail })
}

const isSafe = (method: string): boolean => ['GET', 'HEAD', 'OPTIONS'].includes(method)

function refuseCrossSite({ method, headers }: Arrival, door: Door): void {
  const own = ownOrigin(door, one(headers.host))
  const origin = one(headers.origin)
  if (isSafe(method) || !isCrossSite({ origin, fetchSite: one(headers['sec-fetch-site']), own })) return
  const detail = 'The headers Origin or Sec-Fetch-Site say that a page of another site makes this call.'
  throw new ProblemError({ code: 'cross-site', detail })
}

function refuseUnwantedForms({ headers }: Arrival, route: Route): void {
  const accept = one(headers.accept)
  const { response } = route
  const form = response.kind === 'text' ? response.mediaType : 'application/json'
  // Who asks for problems in their own type takes the good answer as JSON.
  if (wanted(accept, form) === 0 && (response.kind === 'text' || !namesProblemJson(accept))) {
    throw new ProblemError({ code: 'not-acceptable', detail: `The answer comes as ${form} only.` })
  }
  const encoding = one(headers['content-encoding']) ?? 'identity'
  if (route.method === 'POST' && encoding.toLowerCase() !== 'identity') {
    throw new ProblemError({ code: 'not-json', detail: 'Send the body as it is, without Content-Encoding.' })
  }
}

function refuseBadEscapes(path: string): void {
  if (isDecodable(path)) return
  const detail = 'The path holds a percent sign that begins no character in UTF-8.'
  throw new ProblemError({ code: 'bad-request', detail })
}

/** Health is asked while stopping, too: that is when its answer matters. */
function refuseWhileStopping({ path }: Arrival, context: ApiContext): void {
  if (!context.isStopping() || path.startsWith('/health/')) return
  throw new ProblemError({ code: 'stopping', detail: 'The server is stopping. Try again when it is back.' })
}

/**
 * Lets a request in or throws the problem that keeps it out, in this order: path, stopping, Host, cross-site, login,
 * resource, method, Accept, query. So nobody without a login learns which resources there are.
 */
export async function admit(
  arrival: Arrival,
  at: { readonly door: Door; readonly context: ApiContext; readonly isOwnHost: (header: string) => boolean },
): Promise<Admission> {
  const { door, context } = at
  const { method, path, headers, found } = arrival
  refuseBadEscapes(path)
  refuseWhileStopping(arrival, context)
  if (door === 'tcp') refuseWrongHost(headers, at.isOwnHost)
  refuseCrossSite(arrival, door)

  const here = found?.resource.served ?? []
  const wantedMethod = method === 'HEAD' ? 'GET' : method
  const served = here.find(({ route }) => route.method === wantedMethod)
  const auth: RouteAuth = (served ?? here[0])?.route.auth ?? 'basic'
  const { authorization } = headers
  const caller = await authenticate({ auth, authorization, door, peer: arrival.peer, context })

  if (!found) {
    throw new ProblemError({ code: 'not-found', detail: 'The call uris lists everything there is.' })
  }
  const { allow } = found.resource
  if (method === 'OPTIONS') return { kind: 'options', allow }
  if (!served) {
    const detail = `This resource takes ${allow}.`
    throw new ProblemError({ code: 'method-not-allowed', detail, headers: { Allow: allow } })
  }
  refuseUnwantedForms(arrival, served.route)
  checkQuery(served.route, arrival.query)
  return { kind: 'call', served, caller }
}
