import type { ServedRoute } from './serve.ts'

/** Target of a request in parts (RFC 9112 section 3.2). */
export type RequestTarget = {
  /**
   * Path without query. Percent-encoded unreserved characters are decoded once (RFC 3986 section 6.2.2.2); every other
   * escape stays, so a `%2F` never becomes a separator, and dot segments are not resolved.
   */
  readonly path: string
  /** Absent without a question mark. */
  readonly query?: string
  /** Scheme in lower case and authority of a target in absolute form, which take the place of the Host header. */
  readonly origin?: { readonly scheme: string; readonly authority: string }
}

/** `scheme://authority/path?query`, with a path that may be empty. */
const absoluteForm = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)([^?]*)/i

const unreserved = /[A-Za-z0-9._~-]/

const decodeUnreserved = (path: string): string =>
  path.replaceAll(/%[0-9a-f]{2}/gi, (written) => {
    const character = String.fromCharCode(Number.parseInt(written.slice(1), 16))
    return unreserved.test(character) ? character : written
  })

/** Returns true if every percent sign of a path begins a character in UTF-8. */
export function isDecodable(path: string): boolean {
  if (!path.includes('%')) return true
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}

/** Reads the target of a request; one that is in neither form is a path that no route has. */
export function readTarget(target: string): RequestTarget {
  const mark = target.indexOf('?')
  const query = mark < 0 ? {} : { query: target.slice(mark + 1) }
  const beforeQuery = mark < 0 ? target : target.slice(0, mark)
  const [, scheme, authority = '', rest = ''] = absoluteForm.exec(beforeQuery) ?? []
  const written = scheme === undefined ? beforeQuery : rest || '/'
  // A path that cannot be decoded as a whole is rejected, and logged as it came.
  const path = written.includes('%') && isDecodable(written) ? decodeUnreserved(written) : written
  return {
    path,
    ...query,
    ...(scheme === undefined ? {} : { origin: { scheme: scheme.toLowerCase(), authority } }),
  }
}

/** Routes of one path, by method. */
type Resource = {
  /** The path as the routes write it, such as `/api/v2/user/{user}`. */
  readonly path: string
  readonly served: readonly ServedRoute[]
  /** Value of the Allow header: its methods, HEAD beside GET, and OPTIONS. */
  readonly allow: string
}

type Params = Readonly<Record<string, string>>

/** A resource and the path parameters of a request, percent-decoded. */
export type RouteMatch = { readonly resource: Resource; readonly params: Params }

const isParameter = (segment: string): boolean => segment.startsWith('{')

function resourceOf(path: string, all: readonly ServedRoute[]): Resource {
  const served = all.filter(({ route }) => route.path === path)
  const methods = served.flatMap(({ route }) => (route.method === 'GET' ? ['GET', 'HEAD'] : [route.method]))
  return { path, served, allow: [...methods, 'OPTIONS'].join(', ') }
}

/** Returns the parameters of a path; undefined if it does not match. Both have the same number of segments. */
function paramsOf(pattern: readonly string[], given: readonly string[]): Params | undefined {
  const params: Record<string, string> = {}
  for (let index = 0; index < pattern.length; index += 1) {
    const [segment = '', its = ''] = [pattern[index], given[index]]
    if (!isParameter(segment)) {
      if (its !== segment) return undefined
    } else {
      if (its === '') return undefined
      params[segment.slice(1, -1)] = its.includes('%') ? decodeURIComponent(its) : its
    }
  }
  return params
}

/** Returns true for calls that need no login, whoever makes them. */
export const isOpen = ({ served }: Resource): boolean =>
  served.every(({ route }) => route.auth === 'none' || route.auth === 'optional')

/**
 * Returns a lookup of resources by path, which must match the routes exactly: an escape stands for a character in a
 * parameter only. Open calls, which probes make, may end in a slash.
 */
export function createRouteTable(served: readonly ServedRoute[]): (path: string) => RouteMatch | undefined {
  const paths = new Set(served.map(({ route }) => route.path))
  const resources = [...paths].map((path) => resourceOf(path, served))
  const isFixed = ({ path }: Resource): boolean => !path.split('/').some(isParameter)
  const fixed = new Map(
    resources.filter(isFixed).map((resource) => [resource.path, { resource, params: {} }]),
  )
  // A word of a route wins over a parameter.
  const patterns = resources
    .filter((resource) => !isFixed(resource))
    .map((resource) => ({ resource, segments: resource.path.split('/') }))
    .toSorted((a, b) => a.segments.filter(isParameter).length - b.segments.filter(isParameter).length)

  return (path) => {
    const found = fixed.get(path)
    if (found || !isDecodable(path)) return found
    const withoutSlash = path.endsWith('/') ? fixed.get(path.slice(0, -1)) : undefined
    if (withoutSlash && isOpen(withoutSlash.resource)) return withoutSlash
    const given = path.split('/')
    for (const { resource, segments } of patterns) {
      if (segments.length !== given.length) continue
      const params = paramsOf(segments, given)
      if (params) return { resource, params }
    }
    return undefined
  }
}
