import { commonRoutes } from '../contracts/commonRoutes.ts'
import { basePath, guardParameter, type Route } from '../contracts/route.ts'

const common: readonly Route[] = Object.values(commonRoutes)

const pathOnly = (path: string): string => path.split('?', 1)[0] ?? ''

/**
 * Completes a path of the command line: `ping`, `/ping` and `/api/v2/ping` become `/api/v2/ping`.
 * `/openapi.json`, `/docs`, `/health/…` and `/metrics` stay as they are.
 */
export function apiPath(written: string): string {
  const path = written.startsWith('/') ? written : `/${written}`
  if (path === basePath || path.startsWith(`${basePath}/`) || path.startsWith(`${basePath}?`)) return path
  return common.some((route) => route.path === pathOnly(path)) ? path : `${basePath}${path}`
}

/** Returns true for a path without login: ping, health and the API's own description. */
export const isPublicPath = (path: string): boolean =>
  common.some(
    (route) => route.path === pathOnly(path) && (route.auth === 'none' || route.auth === 'optional'),
  )

/** Adds `i-am-sure=true` to the path unless it is there (specification section 4.4). */
export function withGuard(path: string): string {
  const guard = `${guardParameter}=true`
  const [, query] = path.split('?')
  if (query?.split('&').includes(guard)) return path
  return `${path}${query === undefined ? '?' : '&'}${guard}`
}
