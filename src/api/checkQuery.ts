import type { FieldError } from '../contracts/envelope.ts'
import { guardParameter, type Route } from '../contracts/route.ts'
import { ProblemError } from './problemError.ts'

/** A query that holds nothing. */
export const noQuery: Readonly<Record<string, unknown>> = {}

/**
 * Refuses a query that is not what the route takes: `i-am-sure=true` once where it is guarded, and the
 * parameters that it names. A member that came twice is a list here.
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
  if (query === noQuery) return
  const { query: known = {} } = route
  const given = Object.entries(query).filter(([name]) => !(route.guard && name === guardParameter))
  const errors = given.flatMap(([path, value]) => {
    const parameter = Object.hasOwn(known, path) ? known[path] : undefined
    if (!parameter) return [{ path, message: 'is not a parameter of this call' }]
    if (Array.isArray(value)) return [{ path, message: 'stands more than once' }]
    if (parameter.values.includes(String(value))) return []
    return [{ path, message: `must be one of ${parameter.values.join(', ')}` }]
  })
  if (errors.length === 0) return
  // A member that is known and has another value is no unknown one.
  const [code, detail] = given.some(([name]) => !Object.hasOwn(known, name))
    ? (['unknown-query', taken(route)] as const)
    : (['invalid-query', of(errors)] as const)
  throw new ProblemError({ code, detail, errors: errors.slice(0, 20) })
}

const of = (errors: readonly FieldError[]): string =>
  errors.map(({ path, message }) => `The query parameter ${path} ${message}.`).join(' ')

function taken({ guard, query = {} }: Route): string {
  const names = [...(guard ? [guardParameter] : []), ...Object.keys(query)]
  if (names.length === 0) return 'This call takes no query parameters.'
  return `This call takes no query parameter but ${names.join(' and ')}.`
}
