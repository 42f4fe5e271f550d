import { basePath, guardParameter } from '../contracts/route.ts'

/** What the servers offer outside /api/v2 (contract.md, "Common to the three components"). */
const outside = /^\/(openapi\.json|docs|health\/(live|ready)|metrics)(\?|$)/

/**
 * The path of a call as a person may write it, `ping`, `/ping` or `/api/v2/ping`, as the server knows it:
 * `/api/v2/ping`. `/openapi.json`, `/docs`, `/health/…` and `/metrics` stay where they are.
 */
export function apiPath(written: string): string {
  const path = written.startsWith('/') ? written : `/${written}`
  if (path === basePath || path.startsWith(`${basePath}/`) || path.startsWith(`${basePath}?`)) return path
  return outside.test(path) ? path : `${basePath}${path}`
}

/** Whether a call needs no login: ping, health and the API's own description. */
export const isPublicPath = (path: string): boolean =>
  /^\/(api\/v2\/ping|openapi\.json|docs|health\/(live|ready))(\?|$)/.test(path)

/** The path with `i-am-sure=true`, once (specification section 4.4). */
export function guarded(path: string): string {
  const guard = `${guardParameter}=true`
  const [, query] = path.split('?')
  if (query?.split('&').includes(guard)) return path
  return `${path}${query === undefined ? '?' : '&'}${guard}`
}
