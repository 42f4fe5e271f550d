import { type InjectOptions, inject } from 'light-my-request'
import { describe, expect, it } from 'vitest'
import { ProblemError } from '../../src/api/problemError.ts'
import type { ServedRoute } from '../../src/api/serve.ts'
import { componentApis } from '../../src/components/componentApis.ts'
import { commonRoutes } from '../../src/contracts/commonRoutes.ts'
import { components } from '../../src/contracts/component.ts'
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

/** Every route of every component, the common ones once. */
const routes = [
  ...new Map(
    components.flatMap((component) =>
      componentApis[component].served.map(({ route }) => [route.name, route]),
    ),
  ).values(),
]

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

/** Status and code that a case must be answered with; `reached` where the call is made. */
function expected(route: Route, { login, method, guard, content }: Case): string {
  if (needsLogin(route) && login === 'none') return '401 login-required'
  if (needsLogin(route) && login === 'wrong') return '401 login-refused'
  if (method === 'OPTIONS') return '204'
  const isItsMethod = method === route.method || (method === 'HEAD' && route.method === 'GET')
  if (!isItsMethod) return '405 method-not-allowed'
  if (route.method === 'POST' && content === 'packed JSON') return '415 not-json'
  const refusal = ofQuery(route, guard) ?? (route.method === 'POST' ? ofBody(route, content) : undefined)
  return refusal ?? 'reached'
}

const guardNames = Object.keys(guards) as Case['guard'][]
const contentNames = Object.keys(contents) as Case['content'][]
const everyCase = guardNames.flatMap((guard) => contentNames.map((content) => ({ guard, content })))
/** For who is turned away before the rest is looked at: each guard and each content once. */
const eachOnce = everyCase.filter(({ guard, content }) => guard === 'absent' || content === 'nothing')

const needsLogin = ({ auth }: Route): boolean => auth === 'basic' || auth === 'bootstrap'

const cases = (route: Route, login: Case['login']): readonly Case[] =>
  methods.flatMap((method) =>
    (needsLogin(route) && login !== 'right' ? eachOnce : everyCase).map((it) => ({ ...it, login, method })),
  )

/** An API with this route, whose call only counts: to be let in is all that is asked here. */
async function counting(route: Route) {
  let calls = 0
  const handle: ServedRoute['handle'] = () => {
    calls += 1
    throw new ProblemError({ code: 'internal', detail: 'reached' })
  }
  const others = componentApis.manager.served.filter(
    (it) => it.route.name === 'openapi' && route.name !== 'openapi',
  )
  const api = await testApi({ served: [...others, { route, handle }] })
  return { api, calls: () => calls }
}

describe.each(routes)('$name', (route) => {
  const path = route.path.replaceAll(/\{\w+\}/g, 'admin')

  it.each(Object.keys(logins) as Case['login'][])(
    'with login %s: each method, guard and content',
    async (login) => {
      const { api, calls } = await counting(route)
      // The document cannot describe itself while it is the call that only counts.
      const call =
        route.name === 'openapi' ? (it: InjectOptions) => inject(api.app.requestListener, it) : api.call
      const wrong: string[] = []
      let made = 0
      for (const [index, it] of cases(route, login).entries()) {
        const authorization = logins[login]
        const payload = bodyOf(it.content, route)
        const before = calls()
        const answer = await call({
          method: it.method,
          url: `${path}${guards[it.guard]}`,
          headers: { host: 'db1', ...contents[it.content], ...(authorization ? { authorization } : {}) },
          // Each from an address of its own: none of them is locked out.
          remoteAddress: `10.1.${index >> 8}.${index & 255}`,
          ...(payload === undefined ? {} : { payload }),
        } as InjectOptions)
        const reached = calls() - before
        const code = it.method === 'HEAD' || answer.statusCode < 400 ? '' : answer.json().payload.code
        const got = reached === 1 ? 'reached' : `${answer.statusCode} ${code}`.trim()
        const should = expected(route, it)
        const wanted = it.method === 'HEAD' && should !== 'reached' ? (should.split(' ')[0] ?? '') : should
        if (got !== wanted) wrong.push(`${JSON.stringify(it)}: ${got} and not ${wanted}`)
        made += reached
      }
      expect(wrong).toEqual([])
      expect(made > 0).toBe(login === 'right' || route.auth === 'none' || route.auth === 'optional')
      if (route.method === 'POST') expect(api.auditEntries().length).toBeGreaterThan(0)
    },
  )
})
