import { describe, expect, it } from 'vitest'
import { commonCalls } from '../../src/api/calls/commonCalls.ts'
import { ProblemError } from '../../src/api/problemError.ts'
import type { Call, ServedRoute } from '../../src/api/serve.ts'
import { checkQuery } from '../../src/api/validateRequest.ts'
import { connectorRoutes } from '../../src/contracts/connectorRoutes.ts'
import { managerRoutes } from '../../src/contracts/managerRoutes.ts'
import type { Route } from '../../src/contracts/route.ts'
import { sampleOf } from '../support/sampleOf.ts'
import { adminLogin, basic, testApi } from '../support/testApi.ts'

const topology = managerRoutes.managerTopology
const offline = connectorRoutes.connectorOffline
const headers = { authorization: adminLogin }

/** Code and errors of the refusal. */
function refusalOf(route: Route, query: Record<string, unknown>): unknown {
  try {
    checkQuery(route, query)
  } catch (error) {
    if (error instanceof ProblemError)
      return [error.code, ...error.errors.map((it) => `${it.path} ${it.message}`)]
    throw error
  }
  return 'accepted'
}

describe('checkQuery', () => {
  const cases: readonly [Route, Record<string, unknown>, unknown][] = [
    [topology, {}, 'accepted'],
    [topology, { includeRouters: 'no' }, 'accepted'],
    [topology, { includeRouters: 'NO' }, ['invalid-query', 'includeRouters must be one of yes, no']],
    [topology, { includeRouters: '' }, ['invalid-query', 'includeRouters must be one of yes, no']],
    [topology, { includeRouters: ['no', 'no'] }, ['invalid-query', 'includeRouters is given more than once']],
    [topology, { includerouters: 'no' }, ['unknown-query', 'includerouters is not a parameter of this call']],
    [topology, { 'i-am-sure': 'true' }, ['unknown-query', 'i-am-sure is not a parameter of this call']],
    [topology, { constructor: 'no' }, ['unknown-query', 'constructor is not a parameter of this call']],
    [
      topology,
      { includeRouters: 'maybe', more: '1' },
      ['unknown-query', 'includeRouters must be one of yes, no', 'more is not a parameter of this call'],
    ],
    [offline, { 'i-am-sure': 'true' }, 'accepted'],
    [offline, { 'i-am-sure': 'true', immediate: 'true' }, 'accepted'],
    [offline, { immediate: 'true' }, ['not-confirmed', 'i-am-sure is missing']],
    [
      offline,
      { 'i-am-sure': 'true', immediate: '1' },
      ['invalid-query', 'immediate must be one of true, false'],
    ],
    [
      offline,
      { 'i-am-sure': 'true', immediate: ['true', 'false'] },
      ['invalid-query', 'immediate is given more than once'],
    ],
  ]
  it.each(cases.map(([route, query, end]) => ({ name: route.name, route, query, end })))(
    'accepts or refuses for $name the query $query: $end',
    ({ route, query, end }) => {
      expect(refusalOf(route, query)).toEqual(end)
    },
  )

  it('reports at most twenty parameters', () => {
    const query = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`q${at}`, '1']))
    expect(refusalOf(topology, query)).toHaveLength(21)
  })

  it('names the parameters that the call supports', () => {
    expect(() => checkQuery(topology, { a: '1' })).toThrow('takes only the query parameter includeRouters.')
    expect(() => checkQuery(offline, { 'i-am-sure': 'true', a: '1' })).toThrow(
      'takes only the query parameters i-am-sure, immediate and dry.',
    )
    expect(() => checkQuery(offline, { 'i-am-sure': 'true', immediate: 'yes' })).toThrow(
      'The query parameter immediate must be one of true, false.',
    )
    expect(() => checkQuery(managerRoutes.managerStatus, { a: '1' })).toThrow('takes no query parameters.')
  })
})

/** An API with these routes, whose calls only tell what they were handed. */
async function listening(...routes: readonly Route[]) {
  const calls: Pick<Call, 'query' | 'params'>[] = []
  const handle: ServedRoute['handle'] = ({ query, params }) => {
    calls.push({ query, params })
    throw new ProblemError({ code: 'internal', detail: 'reached' })
  }
  const openapi = commonCalls.filter((it) => it.route.name === 'openapi')
  return {
    api: await testApi({ served: [...openapi, ...routes.map((route) => ({ route, handle }))] }),
    calls,
  }
}

describe('query parameters over HTTP', () => {
  it.each([
    ['', {}],
    ['?includeRouters=no', { includeRouters: 'no' }],
    ['?include%52outers=%79es', { includeRouters: 'yes' }],
  ])('pass on %j', async (query, handed) => {
    const { api, calls } = await listening(topology)
    await api.call({ url: `${topology.path}${query}`, headers })
    expect(calls).toEqual([{ query: handed, params: {} }])
  })

  it('pass on no guard', async () => {
    const { api, calls } = await listening(offline)
    await api.call({ method: 'POST', url: `${offline.path}?immediate=true&i-am-sure=true`, headers })
    expect(calls.map(({ query }) => query)).toEqual([{ immediate: 'true' }])
  })

  it.each([
    ['?includeRouters=maybe', 'invalid-query'],
    ['?includeRouters=no&includeRouters=no', 'invalid-query'],
    ['?includeRouters', 'invalid-query'],
    ['?other=1', 'unknown-query'],
  ])('are refused in %s before the call runs', async (query, code) => {
    const { api, calls } = await listening(topology)
    const answer = await api.call({ url: `${topology.path}${query}`, headers })
    expect([answer.statusCode, answer.json().payload.code, calls]).toEqual([400, code, []])
  })

  it.each<[string, string, Route]>([
    ['managerTopology', 'includeRouters', topology],
    ['connectorOffline', 'immediate', offline],
  ])('of the call %s are in the OpenAPI document: %s', async (_call, name, route) => {
    const { api } = await listening(route)
    const document = (await api.call({ url: '/openapi.json' })).json()
    const { parameters } = document.paths[route.path][route.method.toLowerCase()]
    const { values, description } = route.query?.[name] ?? {}
    expect(parameters).toContainEqual({
      name,
      in: 'query',
      required: false,
      description,
      schema: { type: 'string', enum: values },
    })
    const names = parameters.flatMap((it: { in: string; name: string }) => (it.in === 'query' ? it.name : []))
    expect(names).toEqual(route.guard ? ['i-am-sure', name, 'dry'] : [name])
  })
})

describe.each([
  ['managers', managerRoutes],
  ['connectors', connectorRoutes],
])('every call of %s', (_, table) => {
  it('runs only with a valid login and its guard', async () => {
    const routes = Object.values<Route>(table)
    const { api, calls } = await listening(...routes)
    for (const [index, route] of routes.entries()) {
      const url = route.path.replaceAll(/\{(\w+)\}/g, '$1')
      const outcome = async (login: string | undefined, query: string) => {
        const answer = await api.call({
          method: route.method,
          url: `${url}${query}`,
          headers: login === undefined ? {} : { authorization: login },
          // Each call from an address of its own: none is locked out.
          remoteAddress: `10.1.0.${index}`,
          ...(route.request ? { payload: sampleOf(route.request) as object } : {}),
        })
        return answer.json().payload.code
      }
      const sure = route.guard ? '?i-am-sure=true' : ''
      const refused = [
        await outcome(undefined, sure),
        await outcome(basic('admin', 'wrong'), sure),
        await outcome(adminLogin, `${sure || '?'}&more=1`),
      ]
      expect([route.name, ...refused]).toEqual([
        route.name,
        'login-required',
        'login-refused',
        'unknown-query',
      ])
      if (route.guard) {
        for (const query of ['', '?i-am-sure=TRUE', '?i-am-sure=true&i-am-sure=true']) {
          expect([route.name, query, await outcome(adminLogin, query)]).toEqual([
            route.name,
            query,
            'not-confirmed',
          ])
        }
      }
      expect(calls).toEqual([])
      expect([route.name, await outcome(adminLogin, sure)]).toEqual([route.name, 'internal'])
      const params = Object.fromEntries(
        [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, name]),
      )
      expect(calls.splice(0)).toEqual([{ query: {}, params }])
    }
  })
})
