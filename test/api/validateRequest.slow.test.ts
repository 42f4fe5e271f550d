import { writeFileSync } from 'node:fs'
import type { InjectOptions } from 'light-my-request'
import { describe, expect, it } from 'vitest'
import { commonRoutes } from '../../src/contracts/commonRoutes.ts'
import type { Route } from '../../src/contracts/route.ts'
import { adminLogin, basic, type TestApi, testApi } from '../support/testApi.ts'

const routes = Object.values<Route>(commonRoutes)
const sure = '?i-am-sure=true'
const pathOf = ({ path }: Route): string => path.replace('{user}', 'admin')
const bodyOf = ({ name }: Route): object | undefined =>
  ({
    createAdminUser: { payloadType: 'credentials', user: 'admin', pass: 'right' },
    deleteUser: { payloadType: 'StringPayload', payload: { value: 'nobody' } },
    unlock: { payloadType: 'StringPayload', payload: { value: 'nobody' } },
  })[name]

/** Status and code of an answer; the code is empty for a good one. */
async function outcome(api: TestApi, options: InjectOptions): Promise<string> {
  const answer = await api.call(options)
  const code = answer.statusCode >= 400 ? answer.json().payload.code : ''
  return `${answer.statusCode} ${code}`.trim()
}

const logins = { none: undefined, wrong: basic('admin', 'wrong'), right: adminLogin }
const guards = { absent: '', exact: sure, other: '?i-am-sure=TRUE', twice: `${sure}&i-am-sure=true` }

/** What the contract says that a call must answer. */
function expected(route: Route, login: keyof typeof logins, guard: keyof typeof guards): string {
  const needsLogin = route.auth === 'basic' || route.auth === 'bootstrap'
  if (needsLogin && login === 'none') return '401 login-required'
  if (needsLogin && login === 'wrong') return '401 login-refused'
  if (route.guard) return guard === 'exact' ? '200' : '400 not-confirmed'
  return guard === 'absent' ? '200' : '400 unknown-query'
}

describe('every route', () => {
  const rows = routes.flatMap((route) =>
    Object.keys(logins).map((login) => ({ route, name: route.name, login: login as keyof typeof logins })),
  )

  it.each(rows)(
    '$name responds as its contract says with login $login, for each guard',
    async ({ route, login }) => {
      const api = await testApi()
      for (const guard of Object.keys(guards) as (keyof typeof guards)[]) {
        const authorization = logins[login]
        const payload = bodyOf(route)
        const got = await outcome(api, {
          method: route.method,
          url: `${pathOf(route)}${guards[guard]}`,
          headers: authorization ? { authorization } : {},
          ...(payload ? { payload } : {}),
        })
        expect(`${guard}: ${got}`).toBe(`${guard}: ${expected(route, login, guard)}`)
      }
    },
  )

  it.each(routes)('$name refuses every other method, and names its methods', async (route) => {
    const api = await testApi()
    const taken = route.method === 'GET' ? ['GET', 'HEAD'] : ['POST']
    const allow = [...taken, 'OPTIONS'].join(', ')
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'TRACE'] as const) {
      if (taken.includes(method)) continue
      const headers = { authorization: adminLogin }
      const answer = await api.call({ method: method as 'PUT', url: pathOf(route), headers })
      expect([method, answer.statusCode, answer.headers.allow]).toEqual([method, 405, allow])
      if (method !== 'HEAD') expect(answer.json().payload.code).toBe('method-not-allowed')
    }
    const options = await api.call({
      method: 'OPTIONS',
      url: pathOf(route),
      headers: { authorization: adminLogin },
    })
    expect([options.statusCode, options.headers.allow, options.body]).toEqual([204, allow, ''])
  })

  it.each(routes.filter(({ method }) => method === 'GET'))(
    '$name responds to HEAD like GET, without a body',
    async (route) => {
      const api = await testApi()
      const request = { url: pathOf(route), headers: { authorization: adminLogin } }
      const [get, head] = [await api.call(request), await api.call({ ...request, method: 'HEAD' })]
      expect([head.statusCode, head.body, head.headers['content-type']]).toEqual([
        200,
        '',
        get.headers['content-type'],
      ])
      if (route.name !== 'metrics') expect(head.headers['content-length']).toBe(String(get.rawPayload.length))
    },
  )
})

describe('an unknown resource', () => {
  it.each([
    '/',
    '/api',
    '/api/v2',
    '/api/v2/users/',
    '/api/v2/ping//',
    '/API/v2/ping',
    '/api/v2/manager/status',
    '/api/v2/user/',
    '/nothing',
    '/api/v2//ping',
  ])('%s is reported only to a caller with a login', async (url) => {
    const api = await testApi()
    for (const method of ['GET', 'POST', 'PUT', 'OPTIONS'] as const) {
      expect(await outcome(api, { method, url })).toBe('401 login-required')
      const headers = { authorization: adminLogin }
      expect(await outcome(api, { method, url, headers })).toBe('404 not-found')
    }
  })

  it('cannot be hidden behind an escaped path', async () => {
    const api = await testApi()
    const headers = { authorization: adminLogin }
    expect(await outcome(api, { url: '/api/v2%2Fusers', headers })).toBe('404 not-found')
    expect(await outcome(api, { url: '/api/v2/%2575sers', headers })).toBe('404 not-found')
    expect(await outcome(api, { url: '/api/v2/ping;x' })).toBe('401 login-required')
    expect(await outcome(api, { url: '/api/v2/%zz' })).toBe('400 bad-request')
  })
})

describe('a login', () => {
  it('is requested as RFC 7617 says', async () => {
    const { call } = await testApi()
    const answer = await call({ url: '/api/v2/users' })
    expect(answer.headers['www-authenticate']).toBe('Basic realm="APIv2", charset="UTF-8"')
  })

  it('is refused with the same text for an unknown user and a wrong password', async () => {
    const { call } = await testApi()
    const bodies: string[] = []
    for (const [user, password] of [
      ['admin', 'wrong'],
      ['nobody', 'right'],
      ['', ''],
    ] as const) {
      const answer = await call({ url: '/api/v2/users', headers: { authorization: basic(user, password) } })
      expect(answer.statusCode).toBe(401)
      bodies.push(answer.body.replace(/request-\d+/, ''))
    }
    expect(new Set(bodies).size).toBe(1)
  })

  it.each([
    'Basic',
    'Basic !!!',
    'Bearer x',
    'Basic YWRtaW4=',
    `Basic ${Buffer.from([0xff, 0x3a, 0x61]).toString('base64')}`,
  ])('with the header %j is refused', async (authorization) => {
    const api = await testApi()
    expect(await outcome(api, { url: '/api/v2/users', headers: { authorization } })).toBe('401 login-refused')
  })

  it('may contain a colon, any Unicode, and either spelling of an accent', async () => {
    const api = await testApi()
    const payload = { payloadType: 'credentials', user: 'jos\u00e9', pass: '\'"\\#$%:@ \u00e9😀' }
    const headers = { authorization: adminLogin }
    await api.call({ method: 'POST', url: `/api/v2/createAdminUser${sure}`, headers, payload })
    const authorization = basic('jose\u0301', '\'"\\#$%:@ e\u0301😀')
    expect(await outcome(api, { url: '/api/v2/users', headers: { authorization } })).toBe('200')
  })
})

describe('a host without users', () => {
  const first = { payloadType: 'credentials', user: 'admin', pass: 'first' }
  const create = { method: 'POST', url: `/api/v2/createAdminUser${sure}`, payload: first } as const

  it.each(routes)('responds to $name as the contract says', async (route) => {
    const api = await testApi({ withAdmin: false })
    const payload = bodyOf(route)
    const got = await outcome(api, {
      method: route.method,
      url: `${pathOf(route)}${route.guard ? sure : ''}`,
      headers: { authorization: adminLogin },
      ...(payload ? { payload } : {}),
    })
    expect(got).toBe(route.auth === 'basic' ? '401 no-user' : '200')
  })

  it('reports that for unknown resources too', async () => {
    const api = await testApi({ withAdmin: false })
    expect(await outcome(api, { url: '/nothing' })).toBe('401 no-user')
  })

  it.each(['127.0.0.1', '127.1.2.3', '::1', '::ffff:127.0.0.1'])(
    'accepts its first user from %s',
    async (remoteAddress) => {
      const api = await testApi({ withAdmin: false })
      expect(await outcome(api, { ...create, remoteAddress })).toBe('200')
      expect(await outcome(api, { ...create, remoteAddress })).toBe('401 login-required')
      expect(
        await outcome(api, { url: '/api/v2/users', headers: { authorization: basic('admin', 'first') } }),
      ).toBe('200')
    },
  )

  it.each(['10.0.0.9', '::ffff:10.0.0.9', 'fd00::1', '128.0.0.1'])(
    'refuses its first user from %s, and explains how to create it',
    async (remoteAddress) => {
      const api = await testApi({ withAdmin: false })
      const answer = await api.call({ ...create, remoteAddress })
      expect([answer.statusCode, answer.json().payload.code]).toEqual([403, 'remote-bootstrap'])
      expect(answer.json().payload.detail).toContain('rest-api-remote-bootstrap: true')
      expect(await api.accounts.users()).toEqual([])
    },
  )

  it('accepts its first user from anywhere with remoteBootstrap', async () => {
    const api = await testApi({ withAdmin: false, context: { remoteBootstrap: true } })
    expect(await outcome(api, { ...create, remoteAddress: '10.0.0.9' })).toBe('200')
  })

  it('accepts only one first user if several calls arrive together', async () => {
    const api = await testApi({ withAdmin: false })
    const outcomes = await Promise.all(
      ['a', 'b', 'c'].map((user) => outcome(api, { ...create, payload: { ...first, user } })),
    )
    expect(outcomes.sort()).toEqual(['200', '401 login-required', '401 login-required'])
    expect(await api.accounts.users()).toHaveLength(1)
  })
})

describe('a host with an invalid user file', () => {
  it('responds to ping, refuses all logins and accepts no first user', async () => {
    const api = await testApi()
    writeFileSync(api.usersFile, 'broken')
    const payload = { payloadType: 'credentials', user: 'admin', pass: 'x' }
    expect(await outcome(api, { url: '/api/v2/ping' })).toBe('200')
    expect(await outcome(api, { url: '/api/v2/users', headers: { authorization: adminLogin } })).toBe(
      '503 not-ready',
    )
    expect(await outcome(api, { method: 'POST', url: `/api/v2/createAdminUser${sure}`, payload })).toBe(
      '503 not-ready',
    )
    expect(api.lines.join('')).toContain('it is not JSON')
  })
})

describe('the Unix socket', () => {
  it.each(routes)('needs no login for $name', async (route) => {
    const api = await testApi({ listener: 'socket' })
    const payload = bodyOf(route)
    const url = `${pathOf(route)}${route.guard ? sure : ''}`
    const request = { method: route.method, url, ...(payload ? { payload } : {}) } as const
    expect(await outcome(api, { ...request, headers: { host: 'anything' } })).toBe('200')
  })

  it('checks a login that is sent', async () => {
    const api = await testApi({ listener: 'socket' })
    const get = (authorization: string) =>
      outcome(api, { url: '/api/v2/user/admin', headers: { authorization } })
    expect(await get(adminLogin)).toBe('200')
    expect(await get(basic('admin', 'old'))).toBe('401 login-refused')
    expect(await get('nonsense')).toBe('401 login-refused')
  })

  it('reports unknown resources, and uses http in its URLs', async () => {
    const api = await testApi({ listener: 'socket', withAdmin: false })
    expect(await outcome(api, { url: '/nothing' })).toBe('404 not-found')
    const payload = { payloadType: 'credentials', user: 'admin', pass: 'x' }
    const answer = await api.call({
      method: 'POST',
      url: `/api/v2/createAdminUser${sure}`,
      payload,
      headers: { host: 'localhost' },
    })
    expect(answer.json().payload.value).toBe('http://localhost/api/v2/user/admin')
  })
})

describe('the Host header', () => {
  it.each([
    'db1',
    'DB1:8090',
    'db1.:1',
    '10.0.0.11',
    '[fd00::11]:8090',
    '[FD00:0::11]',
    'localhost',
    '127.0.0.1:9',
    '[::1]',
  ])('%s is accepted', async (host) => {
    const api = await testApi()
    expect(await outcome(api, { url: '/api/v2/ping', headers: { host } })).toBe('200')
  })

  it.each([
    'evil.example',
    'db1.evil.example',
    'db1@evil.example',
    'db1:x',
    'db1/x',
    '10.0.0.12',
    '[fd00::12]',
    'a b',
  ])('%s is refused', async (host) => {
    const api = await testApi()
    expect(await outcome(api, { url: '/api/v2/ping', headers: { host } })).toBe('421 unknown-host')
  })
})

describe('a call that a browser makes for a page', () => {
  const post = {
    method: 'POST',
    url: `/api/v2/createAdminUser${sure}`,
    payload: { payloadType: 'credentials', user: 'admin', pass: 'right' },
  } as const
  const headers = { authorization: adminLogin }

  it.each([
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: 'http://db1:8090' },
    { origin: 'https://db1:8096' },
    { 'sec-fetch-site': 'cross-site' },
  ])('is refused with %j', async (more) => {
    const api = await testApi()
    expect(await outcome(api, { ...post, headers: { ...headers, ...more } })).toBe('403 cross-site')
    expect(await outcome(api, { url: '/api/v2/ping', headers: more })).toBe('200')
  })

  it.each([{ origin: 'https://db1:8090' }, { 'sec-fetch-site': 'same-origin' }])(
    'is accepted from our own origin, %j',
    async (more) => {
      const api = await testApi()
      expect(await outcome(api, { ...post, headers: { ...headers, ...more } })).toBe('200')
    },
  )
})

describe('a stopping API server', () => {
  it('is not ready after a stop was announced, but still responds to calls', async () => {
    const api = await testApi({ context: { isStopAnnounced: () => true } })
    expect(await outcome(api, { url: '/api/v2/ping' })).toBe('200')
    expect((await api.call({ url: '/health/ready' })).statusCode).toBe(503)
  })

  it('refuses new calls, but still reports its health', async () => {
    const api = await testApi({ context: { isStopping: () => true } })
    const headers = { authorization: adminLogin }
    expect(await outcome(api, { url: '/api/v2/ping' })).toBe('503 stopping')
    expect((await api.call({ url: '/health/live' })).body).toBe('live\n')
    const plain = await api.call({ url: '/health/ready' })
    expect([plain.statusCode, plain.body]).toEqual([503, 'unready\n'])
    expect((await api.call({ url: '/health/ready', headers })).body).toBe('unready\nthe server is stopping\n')
    const wrong = await api.call({ url: '/health/ready', headers: { authorization: basic('admin', 'x') } })
    expect(wrong.body).toBe('unready\n')
  })
})
