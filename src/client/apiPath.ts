import { basePath, guardParameter } from '../contracts/route.ts'

/** Paths outside /api/v2 (contract.md, "Common to the three components"). */
const outside = /^\/(openapi\.json|docs|health\/(live|ready)|metrics)(\?|$)/

/**
 * Completes a path of the command line: `ping`, `/ping` and `/api/v2/ping` become `/api/v2/ping`.
 * `/openapi.json`, `/docs`, `/health/…` and `/metrics` stay as they are.
 */
export function apiPath(written: string): string {
  const path = written.startsWith('/') ? written : `/${written}`
  if (path === basePath || path.startsWith(`${basePath}/`) || path.startsWith(`${basePath}?`)) return path
  return outside.test(path) ? path : `${basePath}${path}`
}

/** Returns true for a path without login: ping, health and the API's own description. */
export const isPublicPath = (path: string): boolean =>
  /^\/(api\/v2\/ping|openapi\.json|docs|health\/(live|ready))(\?|$)/.test(path)

/** Adds `i-am-sure=true` to the path unless it is there (specification section 4.4). */
export function withGuard(path: string): string {
  const guard = `${guardParameter}=true`
  const [, query] = path.split('?')
  if (query?.split('&').includes(guard)) return path
  return `${path}${query === undefined ? '?' : '&'}${guard}`
}
