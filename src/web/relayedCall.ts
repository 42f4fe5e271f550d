import { type AccessLevel, allows } from '../contracts/accessLevels.ts'
import { apiRoutes } from '../contracts/apiRoutes.ts'
import { existingNameProblems } from '../contracts/credentialRules.ts'
import type { ActionRequest } from '../contracts/dashboard.ts'
import { taskIdPattern } from '../contracts/managerPayloads.ts'
import { basePath, type Route, takesValue } from '../contracts/route.ts'
import { callOf } from '../contracts/routeCall.ts'
import { mapNamePattern } from '../contracts/servicesMap.ts'
import type { RelayedCall } from './backend.ts'
import { DashboardError, notFound } from './dashboardError.ts'
import { rejectInvalid } from './requestChecks.ts'

/** Values that a parameter of a path takes. */
const parameters: Readonly<Record<string, (value: string) => boolean>> = {
  service: (value) => new RegExp(mapNamePattern).test(value),
  datasource: (value) => new RegExp(mapNamePattern).test(value),
  task: (value) => new RegExp(taskIdPattern).test(value),
  user: (value) => existingNameProblems(value).length === 0,
}

const refuse = (detail: string): DashboardError => new DashboardError({ code: 'invalid-body', detail })

function routeOf({ component, route: name }: ActionRequest): Route {
  const known = apiRoutes[component]
  const route = Object.hasOwn(known, name) ? known[name] : undefined
  const takesLogin = route?.auth === 'basic' || route?.auth === 'bootstrap'
  if (takesLogin && route.path.startsWith(`${basePath}/`) && route.response.kind === 'payload') return route
  throw notFound(`The ${component} has no call of that name for the dashboard.`)
}

/**
 * Rejects createAdminUser for a session below the level full. All other levels are the host's to check, but a host without
 * users takes its first one from anybody on loopback, and there our call comes from.
 */
function rejectBootstrap({ auth }: Route, access: AccessLevel): void {
  if (auth !== 'bootstrap' || allows(access, 'full')) return
  const detail = `Your access level is ${access}; to create users or change their password and level needs full.`
  throw new DashboardError({ code: 'access-level', detail })
}

function checkParameters({ path }: Route, params: ActionRequest['params']): void {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  if (names.length !== Object.keys(params).length || !names.every((name) => Object.hasOwn(params, name)))
    throw refuse(
      `The call takes ${names.length === 0 ? 'no parameters' : `the parameters ${names.join(', ')}`}.`,
    )
  for (const name of names) {
    if (!parameters[name]?.(params[name] ?? ''))
      throw refuse(`The parameter ${name} has a value that it does not take.`)
  }
}

function checkQuery({ query: known = {} }: Route, given: NonNullable<ActionRequest['query']>): void {
  for (const [name, value] of Object.entries(given)) {
    const parameter = Object.hasOwn(known, name) ? known[name] : undefined
    if (!parameter || !takesValue(parameter, value))
      throw refuse(`The call does not take this value of the query parameter ${JSON.stringify(name)}.`)
  }
}

/**
 * Builds the call that a page asks for. Nothing of the path is the page's but values that were checked; only calls of
 * users are possible, with the guard that the person gave by the confirmation. `access` is the level of the session.
 */
export function relayedCall(action: ActionRequest, access: AccessLevel): RelayedCall {
  const route = routeOf(action)
  rejectBootstrap(route, access)
  const { host, component, params, query = {}, payload } = action
  checkParameters(route, params)
  checkQuery(route, query)
  if (route.request === null && payload !== undefined) throw refuse('The call takes no payload.')
  const call = callOf(route, params, { query, payload })
  if (route.request !== null) rejectInvalid(route.request, call.body)
  return { host, component, ...call }
}
