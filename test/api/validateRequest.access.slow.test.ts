import { METHODS } from 'node:http'
import fc from 'fast-check'
import { inject } from 'light-my-request'
import { describe, expect, it } from 'vitest'
import { putUser } from '../../src/accounts/userFile.ts'
import type { ServedRoute } from '../../src/api/serve.ts'
import { type AccessLevel, accessLevels, allows } from '../../src/contracts/accessLevels.ts'
import { components } from '../../src/contracts/component.ts'
import { hostRoutes } from '../../src/contracts/hostRoutes.ts'
import { openApiDocument } from '../../src/contracts/openapi.ts'
import { accessFor, type Route } from '../../src/contracts/route.ts'
import { Secret } from '../../src/secrets/secret.ts'
import { componentRoutes } from '../support/componentRoutes.ts'
import { adminLogin, basic, type TestApi, testApi } from '../support/testApi.ts'

const guard = '?i-am-sure=true'

async function addUser({ accounts }: TestApi, access: AccessLevel, user: string = access): Promise<string> {
  const record = await accounts.recordFor({ user, password: new Secret('own') })
  await accounts.change((file) => putUser(file, { ...record, access }))
  return basic(user, 'own')
}

/** Bodies that each call accepts, by its name. */
const bodies = new Map(
  components.flatMap((component) => {
    const routes = componentRoutes(component)
    const { paths } = openApiDocument({ component, version: '1.0.0', routes, server: 'https://db1' })
    return Object.values(paths)
      .flatMap((methods) => Object.values(methods))
      .map((it) => [it.operationId, it.requestBody?.content['application/json']?.example] as const)
  }),
)

/** Serves routes whose calls only note their names, with one user of each level. */
async function notingApi(routes: readonly Route[]) {
  const called: string[] = []
  const served = routes.map(
    (route): ServedRoute => ({
      route,
      handle: () => {
        called.push(route.name)
        throw new Error('reached')
      },
    }),
  )
  const api = await testApi({ served })
  for (const level of accessLevels) await addUser(api, level)
  const call = (options: { method: string; url: string; authorization: string; payload?: object }) => {
    const { authorization, ...rest } = options
    return inject(api.app.requestListener, { ...rest, headers: { host: 'db1', authorization } } as object)
  }
  return { call, called }
}

const urlOf = ({ path, guard: isGuarded }: Route): string =>
  `${path.replaceAll(/\{\w+\}/g, 'x')}${isGuarded ? guard : ''}`

describe.each(components)('every call of the %s', (component) => {
  const routes = componentRoutes(component)

  it.each(accessLevels)(
    'is made for a user with the level %s exactly if its level allows it',
    async (level) => {
      const { call, called } = await notingApi(routes)
      const outcomes: unknown[] = []
      for (const route of routes) {
        const payload = bodies.get(route.name)
        const answer = await call({
          method: route.method,
          url: urlOf(route),
          authorization: basic(level, 'own'),
          ...(payload === undefined ? {} : { payload: payload as object }),
        })
        const { code, detail } = answer.json().payload
        const made = called.splice(0)
        outcomes.push(made.length > 0 ? [route.name, made] : [route.name, answer.statusCode, code, detail])
      }
      const expected = routes.map((route) => {
        const needed = accessFor(route)
        if (needed === undefined || allows(level, needed)) return [route.name, [route.name]]
        const detail = `This call needs the access level ${needed}; ${level} has ${level}.`
        return [route.name, 403, 'access-level', detail]
      })
      expect(outcomes).toEqual(expected)
    },
  )
})

describe('a user with the level read', () => {
  const all = [...new Set(components.flatMap(componentRoutes)), ...Object.values<Route>(hostRoutes)]
  const posts = all.filter(({ method }) => method === 'POST')
  const anyCase = (text: string) =>
    fc
      .array(fc.boolean(), { minLength: text.length, maxLength: text.length })
      .map((upper) => [...text].map((it, at) => (upper[at] ? it.toUpperCase() : it)).join(''))
  const escaped = (text: string) =>
    fc
      .array(fc.boolean(), { minLength: text.length, maxLength: text.length })
      .map((write) =>
        [...text]
          .map((it, at) => (write[at] && it !== '/' ? `%${it.charCodeAt(0).toString(16)}` : it))
          .join(''),
      )

  it('reaches no POST by another method, case, escape, slash, query or header', async () => {
    const { call, called } = await notingApi(posts)
    const attack = fc.constantFrom(...posts).chain((route) =>
      fc.record({
        method: fc.constantFrom(...METHODS.filter((it) => it !== 'CONNECT')),
        path: fc.oneof(
          fc.constant(urlOf({ ...route, guard: false })),
          anyCase(urlOf({ ...route, guard: false })),
          escaped(urlOf({ ...route, guard: false })),
        ),
        prefix: fc.constantFrom('', '/', '/./', '/x/..', 'https://db1'),
        suffix: fc.constantFrom('', '/', '//', '%2f', ';x', '.json'),
        query: fc.constantFrom('', guard, `${guard}&${guard}`, '?access=full', `${guard}&access=full`),
        payload: fc.constant(bodies.get(route.name) as object | undefined),
      }),
    )
    await fc.assert(
      fc.asyncProperty(attack, async ({ method, path, prefix, suffix, query, payload }) => {
        const answer = await call({
          method,
          url: `${prefix}${path}${suffix}${query}`,
          authorization: basic('read', 'own'),
          ...(payload === undefined ? {} : { payload }),
        })
        expect(called).toEqual([])
        // OPTIONS changes nothing, and names the methods only.
        if (answer.statusCode < 400) expect([method, answer.statusCode]).toEqual(['OPTIONS', 204])
      }),
      { numRuns: 400 },
    )
  })

  it('learns the missing level before its body or its query is looked at', async () => {
    const api = await testApi()
    const authorization = await addUser(api, 'read', 'grafana')
    for (const url of ['/api/v2/deleteUser', `/api/v2/deleteUser${guard}`, '/api/v2/deleteUser?x=1']) {
      const answer = await api.call({ method: 'POST', url, headers: { authorization }, payload: 'nonsense' })
      expect([answer.statusCode, answer.json().payload]).toEqual([
        403,
        expect.objectContaining({
          code: 'access-level',
          detail: 'This call needs the access level full; grafana has read.',
        }),
      ])
    }
  })

  it('reads everything that a login may read, also by HEAD', async () => {
    const api = await testApi()
    const authorization = await addUser(api, 'read')
    for (const url of ['/api/v2/users', '/api/v2/user/admin', '/api/v2/version', '/metrics']) {
      for (const method of ['GET', 'HEAD'] as const) {
        const answer = await api.call({ method, url, headers: { authorization } })
        expect([method, url, answer.statusCode]).toEqual([method, url, 200])
      }
    }
  })

  it('cannot change even its own password, and the audit log has the attempt with its name', async () => {
    const api = await testApi()
    const authorization = await addUser(api, 'read', 'grafana')
    const answer = await api.call({
      method: 'POST',
      url: `/api/v2/createAdminUser${guard}`,
      headers: { authorization },
      payload: { payloadType: 'credentials', user: 'grafana', pass: 'another', access: 'full' },
    })
    expect(answer.statusCode).toBe(403)
    expect(api.auditEntries()).toMatchObject([
      {
        call: 'createAdminUser',
        caller: 'user',
        user: 'grafana',
        status: 403,
        code: 'access-level',
        changed: false,
      },
    ])
    expect(await api.accounts.users()).toMatchObject([
      { user: 'admin', access: 'full' },
      { user: 'grafana', access: 'read' },
    ])
  })

  it('has its level on the private socket, too, where a call without a login needs none', async () => {
    const socket = await testApi({ listener: 'socket' })
    const authorization = await addUser(socket, 'read')
    const unlock = (headers: object) =>
      socket.call({
        method: 'POST',
        url: `/api/v2/unlock${guard}`,
        headers: { ...headers },
        payload: { payloadType: 'StringPayload', payload: { value: 'admin' } },
      })
    expect((await unlock({ authorization })).statusCode).toBe(403)
    expect((await unlock({})).statusCode).toBe(200)
  })
})

describe('the level of a user', () => {
  it('is the one in the user file at each call', async () => {
    const api = await testApi()
    const authorization = await addUser(api, 'full', 'ops')
    const unlock = async (): Promise<number> => {
      const answer = await api.call({
        method: 'POST',
        url: `/api/v2/unlock${guard}`,
        headers: { authorization },
        payload: { payloadType: 'StringPayload', payload: { value: 'nobody' } },
      })
      return answer.statusCode
    }
    expect(await unlock()).toBe(200)
    for (const [access, status] of [
      ['operate', 403],
      ['full', 200],
      ['read', 403],
    ] as const) {
      await api.accounts.change((file) => putUser(file, { user: 'ops', access }))
      expect([access, await unlock()]).toEqual([access, status])
    }
    const users = await api.call({ url: '/api/v2/users', headers: { authorization: adminLogin } })
    expect(users.json().payload).toContainEqual({ user: 'ops', pass: '**obfuscated**', access: 'read' })
  })
})
