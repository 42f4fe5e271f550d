import type { Route, RouteAuth } from '../contracts/route.ts'
import { namesProblemJson, wanted } from './accept.ts'
import type { ApiContext } from './apiContext.ts'
import { authenticate, type Door } from './authenticate.ts'
import { checkQuery } from './checkQuery.ts'
import { isCrossSite } from './crossSite.ts'
import { isAllowedHost } from './hostHeader.ts'
import { allowOf, routesOfPath } from './matchPath.ts'
import { ProblemError } from './problemError.ts'
import type { Caller } from './serve.ts'

/** A request as far as its headers say, before its body is read. */
export type Arrival = {
  readonly method: string
  /** Path without query, as it came. */
  readonly path: string
  readonly query: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly peer: string | undefined
}

/** What becomes of a request: a call of a route, or an answer to OPTIONS. */
export type Admission =
  | { readonly kind: 'call'; readonly route: Route; readonly caller: Caller }
  | { readonly kind: 'options'; readonly allow: string }

const one = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(', ') : value

/** Scheme and host that the caller used. */
export const ownOrigin = (door: Door, host: string | undefined): string =>
  `${door === 'tcp' ? 'https' : 'http'}://${host ?? 'localhost'}`

function refuseWrongHost(headers: Arrival['headers'], allowed: readonly string[]): void {
  const host = one(headers.host)
  if (host === undefined || host === '') {
    throw new ProblemError({ code: 'bad-request', detail: 'The request has no Host header.' })
  }
  if (isAllowedHost(host, allowed)) return
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

/** Health is asked while stopping, too: that is when its answer matters. */
function refuseWhileStopping({ path }: Arrival, context: ApiContext): void {
  if (!context.isStopping() || path.startsWith('/health/')) return
  throw new ProblemError({ code: 'stopping', detail: 'The server is stopping. Try again when it is back.' })
}

/**
 * Lets a request in or throws the problem that keeps it out, in this order: stopping, Host, cross-site, login,
 * resource, method, Accept, query. So nobody without a login learns which resources there are.
 */
export async function admit(arrival: Arrival, at: { readonly door: Door; readonly context: ApiContext }) {
  const { door, context } = at
  const { method, path, headers } = arrival
  refuseWhileStopping(arrival, context)
  if (door === 'tcp') refuseWrongHost(headers, context.allowedHosts)
  refuseCrossSite(arrival, door)

  const here = routesOfPath(context.routes, path)
  const route = here.find((it) => it.method === (method === 'HEAD' ? 'GET' : method))
  const auth: RouteAuth = (route ?? here[0])?.auth ?? 'basic'
  const authorization = one(headers.authorization)
  const caller = await authenticate({ auth, authorization, door, peer: arrival.peer, context })

  if (here.length === 0) {
    throw new ProblemError({ code: 'not-found', detail: 'The call uris lists everything there is.' })
  }
  const allow = allowOf(here)
  if (method === 'OPTIONS') return { kind: 'options', allow } satisfies Admission
  if (!route) {
    const detail = `This resource takes ${allow}.`
    throw new ProblemError({ code: 'method-not-allowed', detail, headers: { Allow: allow } })
  }
  refuseUnwantedForms(arrival, route)
  checkQuery(route, arrival.query)
  return { kind: 'call', route, caller } satisfies Admission
}
