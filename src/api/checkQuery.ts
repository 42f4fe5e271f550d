import { guardParameter, type Route } from '../contracts/route.ts'
import { ProblemError } from './problemError.ts'

/**
 * Refuses a query that is not exactly what the route takes: `i-am-sure=true` once where it is guarded, and
 * nothing otherwise. A member that came twice is a list here.
 */
export function checkQuery(route: Route, query: Readonly<Record<string, unknown>>): void {
  if (route.guard && query[guardParameter] !== 'true') {
    const message = Array.isArray(query[guardParameter])
      ? 'stands more than once'
      : query[guardParameter] === undefined
        ? 'is missing'
        : "is something other than 'true'"
    throw new ProblemError({
      code: 'not-confirmed',
      detail: `This call changes things. Add the query parameter ${guardParameter}=true, once, to confirm it.`,
      errors: [{ path: guardParameter, message }],
    })
  }
  const unknown = Object.keys(query).filter((name) => !(route.guard && name === guardParameter))
  if (unknown.length === 0) return
  throw new ProblemError({
    code: 'unknown-query',
    detail: `This call takes ${route.guard ? `no query parameter but ${guardParameter}` : 'no query parameters'}.`,
    errors: unknown.slice(0, 20).map((path) => ({ path, message: 'is not a parameter of this call' })),
  })
}
