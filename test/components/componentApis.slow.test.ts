import { type InjectOptions, inject } from 'light-my-request'
import { describe, expect, it } from 'vitest'
import { ProblemError } from '../../src/api/problemError.ts'
import type { ServedRoute } from '../../src/api/serve.ts'
import { componentApis } from '../../src/components/componentApis.ts'
import { commonRoutes } from '../../src/contracts/commonRoutes.ts'
import { type Component, components } from '../../src/contracts/component.ts'
import type { Route } from '../../src/contracts/route.ts'
import { sampleOf } from '../support/sampleOf.ts'
import { adminLogin, basic, testApi } from '../support/testApi.ts'

describe('the three components', () => {
  it.each(components)('the %s names itself and serves the common calls, each route once', (component) => {
    const { component: name, served } = componentApis[component]
    expect(name).toBe(component)
    const routes = served.map(({ route }) => route)
    expect(routes).toEqual(expect.arrayContaining(Object.values(commonRoutes)))
    expect(new Set(routes.map((it) => it.name)).size).toBe(routes.length)
    expect(new Set(routes.map((it) => `${it.method} ${it.path}`)).size).toBe(routes.length)
  })

  it.each(components)('the %s does not pretend calls that are not there', async (component) => {
    const { call } = await testApi({ served: componentApis[component].served, context: { component } })
    const headers = { authorization: adminLogin }
    const others = components.filter((it) => it !== component).map((it) => `${it}/status`)
    for (const path of [...others, 'reset', 'online']) {
      for (const method of ['GET', 'POST'] as const) {
        const answer = await call({ method, url: `/api/v2/${path}?i-am-sure=true`, headers })
        expect([path, answer.statusCode]).toEqual([path, 404])
      }
    }
  })
})

const logins = { none: undefined, wrong: basic('admin', 'wrong'), right: adminLogin }
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'] as const
const guards = {
  absent: '',
  exact: '?i-am-sure=true',
  other: '?i-am-sure=TRUE',
  twice: '?i-am-sure=true&i-am-sure=true',
  more: '?i-am-sure=true&more=1',
}
const contents = {
  nothing: {},
  'an empty body': { 'content-type': 'application/json' },
  JSON: { 'content-type': 'application/json' },
  'JSON with its character set': { 'content-type': 'application/json; charset=utf-8' },
  'other JSON': { 'content-type': 'application/json' },
  'half of it': { 'content-type': 'application/json' },
  text: { 'content-type': 'text/plain' },
  'a form': { 'content-type': 'application/x-www-form-urlencoded' },
  'packed JSON': { 'content-type': 'application/json', 'content-encoding': 'gzip' },
} as const

type Case = {
  readonly login: keyof typeof logins
  readonly method: (typeof methods)[number]
  readonly guard: keyof typeof guards
  readonly content: keyof typeof contents
}

function bodyOf(content: Case['content'], route: Route): string | undefined {
  if (content === 'nothing' || content === 'an empty body') return undefined
  if (content === 'other JSON') return '{"other":1}'
  const body = JSON.stringify(route.request ? sampleOf(route.request) : {})
  return content === 'half of it' ? body.slice(0, -1) : body
}

/** What the contract says of the query: a guard exactly where there is one, and nothing else. */
function ofQuery(route: Route, guard: Case['guard']): string | undefined {
  if (guard === 'absent') return route.guard ? '400 not-confirmed' : undefined
  if (!route.guard) return '400 unknown-query'
  if (guard === 'more') return '400 unknown-query'
  return guard === 'exact' ? undefined : '400 not-confirmed'
}

/** What the contract says of the body of a POST. */
function ofBody(route: Route, content: Case['content']): string | undefined {
  switch (content) {
    case 'nothing':
      return route.request ? '400 invalid-body' : undefined
    case 'an empty body':
      return route.request ? '400 malformed-json' : undefined
    case 'other JSON':
      return '400 invalid-body'
    case 'half of it':
      return '400 malformed-json'
    case 'JSON':
    case 'JSON with its character set':
      return undefined
    default:
      return '415 not-json'
  }
}

const isMethodOf = (route: Route, method: Case['method']): boolean =>
  method === route.method || (method === 'HEAD' && route.method === 'GET')

/** Status and code that a case must be answered with; `reached` where the call is made. */
function expected(route: Route, { login, method, guard, content }: Case): string {
  if (needsLogin(route) && login === 'none') return '401 login-required'
  if (needsLogin(route) && login === 'wrong') return '401 login-refused'
  if (method === 'OPTIONS') return '204'
  if (!isMethodOf(route, method)) return '405 method-not-allowed'
  if (route.method === 'POST' && content === 'packed JSON') return '415 not-json'
  const refusal = ofQuery(route, guard) ?? (route.method === 'POST' ? ofBody(route, content) : undefined)
  return refusal ?? `reached ${route.name}`
}

const guardNames = Object.keys(guards) as Case['guard'][]
const contentNames = Object.keys(contents) as Case['content'][]
const everyCase = guardNames.flatMap((guard) => contentNames.map((content) => ({ guard, content })))
/** For what is turned away before the rest is looked at: each guard and each content once. */
const eachOnce = everyCase.filter(({ guard, content }) => guard === 'absent' || content === 'nothing')

const needsLogin = ({ auth }: Route): boolean => auth === 'basic' || auth === 'bootstrap'

/** For who is turned away for two reasons. */
const one = everyCase.filter(({ guard, content }) => guard === 'exact' && content === 'JSON')

const cases = (route: Route, login: Case['login']): readonly Case[] =>
  methods.flatMap((method) => {
    const reasons = [needsLogin(route) && login !== 'right', !isMethodOf(route, method)].filter(
      Boolean,
    ).length
    return ([everyCase, eachOnce, one][reasons] ?? []).map((it) => ({ ...it, login, method }))
  })

/** The calls that only one component has, and those of all; the document cannot describe itself where it only counts. */
const isCommon = ({ name }: Route): boolean =>
  Object.values<Route>(commonRoutes).some((it) => it.name === name)
const routesOf = (component: Component): readonly Route[] =>
  componentApis[component].served.map(({ route }) => route)
const groups = [
  ...components.map(
    (component) => [`of the ${component}`, routesOf(component).filter((it) => !isCommon(it))] as const,
  ),
  ['of all components', routesOf('manager').filter((it) => isCommon(it) && it.name !== 'openapi')],
  ['for the OpenAPI document', [commonRoutes.openapi]],
] as const

/** An API with these routes, whose calls only note their names: to be let in is all that is asked here. */
async function noting(routes: readonly Route[]) {
  const called: string[] = []
  const served = routes.map(
    (route): ServedRoute => ({
      route,
      handle: () => {
        called.push(route.name)
        throw new ProblemError({ code: 'internal', detail: 'reached' })
      },
    }),
  )
  const isDescribed = !routes.includes(commonRoutes.openapi)
  const document = componentApis.manager.served.filter((it) => it.route.name === 'openapi' && isDescribed)
  const api = await testApi({ served: [...document, ...served] })
  return {
    api,
    called,
    call: isDescribed ? api.call : (it: InjectOptions) => inject(api.app.requestListener, it),
  }
}

describe.each(groups)('every call %s', (_, routes) => {
  it.each(Object.keys(logins) as Case['login'][])(
    'with login %s: each method, guard and content',
    async (login) => {
      const { api, call, called } = await noting(routes)
      const wrong: string[] = []
      let address = 0
      for (const route of routes) {
        const path = route.path.replaceAll(/\{\w+\}/g, 'admin')
        const audited = api.auditEntries().length
        let made = 0
        // What another call at the same path has is asked of that call.
        const others = routes.filter((it) => it !== route && it.path === route.path)
        for (const it of cases(route, login)) {
          if (others.some((other) => isMethodOf(other, it.method))) continue
          const authorization = logins[login]
          const payload = bodyOf(it.content, route)
          // Whose login is wrong comes from an address of its own: nobody is locked out.
          if (login === 'wrong') address += 1
          const answer = await call({
            method: it.method,
            url: `${path}${guards[it.guard]}`,
            headers: { host: 'db1', ...contents[it.content], ...(authorization ? { authorization } : {}) },
            remoteAddress: `10.1.${address >> 8}.${address & 255}`,
            ...(payload === undefined ? {} : { payload }),
          } as InjectOptions)
          const reached = called.splice(0)
          const code = it.method === 'HEAD' || answer.statusCode < 400 ? '' : answer.json().payload.code
          const got = reached.length > 0 ? `reached ${reached}` : `${answer.statusCode} ${code}`.trim()
          const should = expected(route, it)
          const wanted = it.method === 'HEAD' && !should.startsWith('reached') ? should.split(' ')[0] : should
          if (got !== wanted) wrong.push(`${route.name} ${JSON.stringify(it)}: ${got} and not ${wanted}`)
          made += reached.length
        }
        const isLetIn = login === 'right' || route.auth === 'none' || route.auth === 'optional'
        if (made > 0 !== isLetIn) wrong.push(`${route.name} is called ${made} times`)
        // The log takes only so many calls without a login in a minute.
        if (login === 'right' && route.method === 'POST' && api.auditEntries().length === audited)
          wrong.push(`${route.name} is not in the audit log`)
      }
      expect(wrong).toEqual([])
      if (routes.some(({ method }) => method === 'POST')) expect(api.auditEntries().length).toBeGreaterThan(0)
    },
  )
})
