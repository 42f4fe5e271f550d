import { isDecodable } from './requestTarget.ts'
import type { ServedRoute } from './serve.ts'

/** What is served at one path, method by method. */
export type Resource = {
  /** The path as the routes write it, such as `/api/v2/user/{user}`. */
  readonly path: string
  readonly served: readonly ServedRoute[]
  /** Value of the Allow header: its methods, HEAD beside GET, and OPTIONS. */
  readonly allow: string
}

type Params = Readonly<Record<string, string>>

/** A resource, and what the path of a request holds in place of its parameters, percent-decoded. */
export type Found = { readonly resource: Resource; readonly params: Params }

const isParameter = (segment: string): boolean => segment.startsWith('{')

function resourceOf(path: string, all: readonly ServedRoute[]): Resource {
  const served = all.filter(({ route }) => route.path === path)
  const methods = served.flatMap(({ route }) => (route.method === 'GET' ? ['GET', 'HEAD'] : [route.method]))
  return { path, served, allow: [...methods, 'OPTIONS'].join(', ') }
}

/** What given segments, as many as those of a pattern, hold in place of its parameters; undefined where they do not fit. */
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
 * Finds what is served at a path, letter by letter as the routes write it: an escape stands for a character in a
 * parameter only. Open calls, which probes make, may end in a slash.
 */
export function createRouteTable(served: readonly ServedRoute[]): (path: string) => Found | undefined {
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
