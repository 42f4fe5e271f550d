import type { FastifyRequest } from 'fastify'

/** Path of a request without its query, as it came. */
export const pathOf = (request: FastifyRequest): string => request.raw.url?.split('?', 1)[0] ?? ''

/** The path of the route that a request is for, as the route table writes it; `unmatched` where there is none. */
export function routeOf(request: FastifyRequest): string {
  const pattern = request.is404 ? undefined : request.routeOptions.url
  return pattern?.replaceAll(/:(\w+)/g, '{$1}') ?? 'unmatched'
}
