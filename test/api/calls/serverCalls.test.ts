import { describe, expect, it } from 'vitest'
import { commonCalls } from '../../../src/api/calls/commonCalls.ts'
import { ProblemError } from '../../../src/api/problemError.ts'
import { textResponse } from '../../../src/api/response.ts'
import { createRouteTable } from '../../../src/api/routeTable.ts'
import type { ServedRoute } from '../../../src/api/serve.ts'
import { componentApis } from '../../../src/components/componentApis.ts'
import { components } from '../../../src/contracts/component.ts'
import { type ApiDocument, answerCheck, type SeenAnswer } from '../../support/checkAnswer.ts'
import { adminLogin, testApi } from '../../support/testApi.ts'

const headers = { authorization: adminLogin }

async function described(served: readonly ServedRoute[]) {
  const api = await testApi({ served })
  const document: ApiDocument = (await api.call({ url: '/openapi.json' })).json()
  const calls = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })),
  )
  return { api, document, calls }
}

describe.each(components)('the self-description of the %s', (component) => {
  const { served } = componentApis[component]

  it('lists every route that it serves, and no other', async () => {
    const { api, calls } = await described(served)
    const find = createRouteTable(served)
    for (const { method, path } of calls) {
      const its = find(path.replaceAll(/\{\w+\}/g, 'x'))?.resource
      expect(its?.served.map(({ route }) => `${route.method} ${route.path}`)).toContain(`${method} ${path}`)
    }
    expect(calls).toEqual(served.map(({ route: { method, path } }) => ({ method, path })))
    const uris = await api.call({ url: '/api/v2/uris', headers })
    expect(uris.json().payload).toEqual(calls)
  })

  it('gives every operation a unique name and every parameter of its path', async () => {
    const { document } = await described(served)
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.values(methods).map((operation) => ({ path, ...(operation as object) })),
    ) as { path: string; operationId: string; parameters: { in: string; name: string }[] }[]
    expect(new Set(operations.map((it) => it.operationId)).size).toBe(operations.length)
    for (const { path, parameters } of operations) {
      const names = parameters.filter((it) => it.in === 'path').map(({ name }) => name)
      expect(names).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))
    }
  })
})

/** An API in which one call of everybody is answered by something else. */
const answering = (name: string, handle: ServedRoute['handle']): readonly ServedRoute[] =>
  commonCalls.map((it) => (it.route.name === name ? { ...it, handle } : it))

describe('the response check of these tests', () => {
  const ping = { message: '', date: '', hostName: '', pid: 1, jvmUptime: 1 }

  it.each<[string, ServedRoute['handle'], string, RegExp]>([
    [
      'a member too many',
      () => ({ ...ping, more: 1 }),
      '/api/v2/ping',
      /must NOT have additional properties/,
    ],
    [
      'a member of another type',
      () => ({ ...ping, pid: '1' }),
      '/api/v2/ping',
      /payload\/pid must be integer/,
    ],
    ['no payload', () => undefined, '/api/v2/ping', /must have required property 'payload'/],
    [
      'a problem that the route does not name',
      () => Promise.reject(new ProblemError({ code: 'last-user', detail: '' })),
      '/api/v2/ping',
      /its status is not described/,
    ],
    [
      'a code that the route does not name',
      () => Promise.reject(new ProblemError({ code: 'invalid-password', detail: '' })),
      '/api/v2/ping',
      /its code invalid-password is not described/,
    ],
  ])('finds %s', async (_name, handle, url, message) => {
    const { call } = await testApi({ served: answering('ping', handle) })
    await expect(call({ url })).rejects.toThrow(message)
  })

  it('finds text with a status that is not described', async () => {
    const { call } = await testApi({ served: answering('live', () => textResponse(503, 'dead\n')) })
    await expect(call({ url: '/health/live' })).rejects.toThrow()
  })

  const good: SeenAnswer = {
    method: 'GET',
    path: '/health/live',
    status: 200,
    headers: {
      'cache-control': 'no-store',
      'x-request-id': 'r1',
      'content-type': 'text/plain; charset=utf-8',
    },
    body: 'live\n',
  }
  const problem = { status: 404, code: 'not-found', title: '', detail: '', requestId: 'r1', errors: [] }
  const unknown: SeenAnswer = {
    ...good,
    path: '/nothing',
    status: 404,
    headers: { ...good.headers, 'content-type': 'application/problem+json' },
    body: JSON.stringify(problem),
  }

  it.each<[string, Partial<SeenAnswer>, RegExp]>([
    ['another content type', { headers: { ...good.headers, 'content-type': 'text/html' } }, /content type/],
    ['another status', { status: 201 }, /its status is not described/],
    ['a body for HEAD', { method: 'HEAD' }, /it has a body/],
    ['an answer of no route', { path: '/nothing' }, /its route is not described/],
    ['an answer that may be cached', { headers: { ...good.headers, 'cache-control': undefined } }, /cached/],
    [
      'an answer without a request id',
      { headers: { ...good.headers, 'x-request-id': undefined } },
      /request id/,
    ],
    ['a problem with another status inside', { ...unknown, status: 410 }, /its body says 404/],
    [
      'a problem with another request id',
      { ...unknown, headers: { ...unknown.headers, 'x-request-id': 'r2' } },
      /other request ids/,
    ],
    ['a problem of another shape', { ...unknown, body: '{}' }, /must have required property 'status'/],
  ])('finds %s', async (_name, wrong, message) => {
    const check = answerCheck((await described(commonCalls)).document)
    check(good)
    check(unknown)
    expect(() => check({ ...good, ...wrong })).toThrow(message)
  })
})
