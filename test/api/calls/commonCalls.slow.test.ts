import { readFileSync } from 'node:fs'
import type { TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { describe, expect, it } from 'vitest'
import { putUser } from '../../../src/accounts/userFile.ts'
import { commonRoutes } from '../../../src/contracts/commonRoutes.ts'
import { responseSchema } from '../../../src/contracts/envelope.ts'
import type { Route } from '../../../src/contracts/route.ts'
import { Secret } from '../../../src/secrets/secret.ts'
import { adminLogin, basic, testApi } from '../../support/testApi.ts'

const authorization = adminLogin
const sure = '?i-am-sure=true'
const credentials = (user: string, pass: string) => ({ payloadType: 'credentials', user, pass })

/** Whether an answer is exactly what the route table promises. */
function expectAnswerOf(route: Route, answer: { body: string; headers: Record<string, unknown> }): void {
  const { response } = route
  if (response.kind === 'text') {
    const parameters = response.parameters === undefined ? '' : `; ${response.parameters}`
    expect(answer.headers['content-type']).toBe(`${response.mediaType}${parameters}; charset=utf-8`)
    return
  }
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
  const schema: TSchema =
    response.kind === 'json' ? response.schema : responseSchema(response.payloadType, response.payload)
  expect([...Value.Errors(schema, JSON.parse(answer.body))]).toEqual([])
}

describe('the common calls', () => {
  it('respond as the route table says', async () => {
    const { call } = await testApi()
    const bodies: Record<string, object> = {
      createAdminUser: credentials('admin', 'right'),
      deleteUser: { payloadType: 'StringPayload', payload: { value: 'nobody' } },
      unlock: { payloadType: 'StringPayload', payload: { value: 'nobody' } },
    }
    for (const route of Object.values<Route>(commonRoutes)) {
      const url = `${route.path.replace('{user}', 'admin')}${route.guard ? sure : ''}`
      const payload = bodies[route.name]
      const answer = await call({
        method: route.method,
        url,
        headers: { authorization },
        ...(payload ? { payload } : {}),
      })
      expect([route.name, answer.statusCode]).toEqual([route.name, 200])
      expectAnswerOf(route, answer)
    }
  })

  it('include ping, which returns message, date, host, pid and uptime', async () => {
    const { call } = await testApi({ withAdmin: false })
    expect((await call({ url: '/api/v2/ping' })).json()).toEqual({
      payloadType: 'PingPayload',
      payloadVersion: '1',
      payload: {
        message: 'Ping test: the manager answers.',
        date: 'Mon Mar 10 10:12:18 UTC 2025',
        hostName: 'db1',
        pid: 4711,
        jvmUptime: 1500,
      },
    })
  })

  it.each([
    ['beside', { payloadType: 'credentials', user: 'jane', pass: 'x' }],
    ['beside', { payloadType: 'CredentialsPayload', user: 'jane', pass: 'x' }],
    ['inside', { payloadType: 'credentials', payload: { user: 'jane', pass: 'x' } }],
    [
      'inside',
      { payloadType: 'CredentialsPayload', payloadVersion: '1', payload: { user: 'jane', pass: 'x' } },
    ],
  ])('create a user by createAdminUser, the pair %s: %j', async (_where, payload) => {
    const { call, usersFile } = await testApi()
    const answer = await call({
      method: 'POST',
      url: `/api/v2/createAdminUser${sure}`,
      headers: { authorization },
      payload,
    })
    expect(answer.json()).toEqual({
      payloadType: 'StringPayload',
      payloadVersion: '1',
      payload: { value: 'https://db1:8090/api/v2/user/jane' },
    })
    const read = await call({ url: '/api/v2/user/jane', headers: { authorization: basic('jane', 'x') } })
    expect(read.json().payload).toEqual({ user: 'jane', pass: '**obfuscated**', access: 'full' })
    expect(readFileSync(usersFile, 'utf8')).toContain('"jane"')
  })

  it('change a password by createAdminUser, which invalidates the old one at once', async () => {
    const { call } = await testApi()
    const url = `/api/v2/createAdminUser${sure}`
    expect((await call({ url: '/api/v2/users', headers: { authorization } })).statusCode).toBe(200)
    const payload = credentials('admin', 'new')
    expect((await call({ method: 'POST', url, headers: { authorization }, payload })).statusCode).toBe(200)
    expect((await call({ url: '/api/v2/users', headers: { authorization } })).statusCode).toBe(401)
    const fresh = { authorization: basic('admin', 'new') }
    expect((await call({ url: '/api/v2/users', headers: fresh })).json().payload).toHaveLength(1)
  })

  it('encode the user name in the URL that createAdminUser returns', async () => {
    const { call } = await testApi()
    const payload = credentials('jose\u0301%', 'e\u0301')
    const answer = await call({
      method: 'POST',
      url: `/api/v2/createAdminUser${sure}`,
      headers: { authorization },
      payload,
    })
    const { value } = answer.json().payload
    expect(value).toBe('https://db1:8090/api/v2/user/jos%C3%A9%25')
    const read = await call({
      url: new URL(value).pathname,
      headers: { authorization: basic('jos\u00e9%', '\u00e9') },
    })
    expect(read.json().payload.user).toBe('jos\u00e9%')
  })

  it('respond to user with not-found for an unknown user', async () => {
    const { call } = await testApi()
    const answer = await call({ url: '/api/v2/user/nobody', headers: { authorization } })
    expect([answer.statusCode, answer.json().payload.code]).toEqual([404, 'not-found'])
  })

  it('create users with the level full unless the call names another, and keep the level of an existing one', async () => {
    const { call } = await testApi()
    const put = async (user: string, pass: string, access?: string) => {
      const payload = { payloadType: 'credentials', user, pass, ...(access && { access }) }
      const url = `/api/v2/createAdminUser${sure}`
      const answer = await call({ method: 'POST', url, headers: { authorization }, payload })
      if (answer.statusCode !== 200) return answer.json().payload.code
      const read = await call({
        url: `/api/v2/user/${user}`,
        headers: { authorization: basic(user, pass) },
      })
      return read.json().payload.access
    }
    expect(await put('jane', 'a')).toBe('full')
    expect(await put('grafana', 'a', 'read')).toBe('read')
    expect(await put('grafana', 'b')).toBe('read')
    expect(await put('grafana', 'b', 'operate')).toBe('operate')
    expect(await put('grafana', 'c', 'full')).toBe('full')
    expect(await put('grafana', 'd', 'admin')).toBe('invalid-body')
  })

  it('keep a user with the level full, who is neither lowered nor deleted, and create no first one below it', async () => {
    const { call } = await testApi()
    const post = async (name: string, payload: object) => {
      const url = `/api/v2/${name}${sure}`
      const answer = await call({ method: 'POST', url, headers: { authorization }, payload })
      return answer.statusCode === 200 ? 200 : [answer.statusCode, answer.json().payload]
    }
    const refused = [
      409,
      expect.objectContaining({
        code: 'last-user',
        detail: 'The host would have no user with the access level full. Create another one with it first.',
      }),
    ]
    const lower = { payloadType: 'credentials', user: 'admin', pass: 'right', access: 'operate' }
    const remove = { payloadType: 'StringPayload', payload: { value: 'admin' } }
    const reader = { payloadType: 'credentials', user: 'grafana', pass: 'x', access: 'read' }
    expect(await post('createAdminUser', reader)).toBe(200)
    expect(await post('createAdminUser', lower)).toEqual(refused)
    expect(await post('deleteUser', remove)).toEqual(refused)
    expect(await post('createAdminUser', { ...reader, access: 'full' })).toBe(200)
    expect(await post('createAdminUser', lower)).toBe(200)

    const empty = await testApi({ withAdmin: false })
    const answer = await empty.call({
      method: 'POST',
      url: `/api/v2/createAdminUser${sure}`,
      payload: reader,
    })
    expect([answer.statusCode, answer.json().payload.code]).toEqual([409, 'last-user'])
    expect(await empty.accounts.users()).toEqual([])
  })

  it('delete a user once by deleteUser, and never the last one', async () => {
    const { call } = await testApi()
    const post = (url: string, payload: object) =>
      call({ method: 'POST', url, headers: { authorization }, payload })
    const remove = (value: string, more = '') =>
      post(`/api/v2/deleteUser${sure}${more}`, { payloadType: 'StringPayload', payload: { value } })
    for (const more of ['', '&dry=yes']) {
      const last = await remove('admin', more)
      expect([last.statusCode, last.json().payload.code]).toEqual([409, 'last-user'])
    }
    await post(`/api/v2/createAdminUser${sure}`, credentials('jane', 'x'))
    expect((await remove('jane', '&dry=yes')).json().payload).toEqual({ value: true, changed: true })
    expect((await remove('john', '&dry=yes')).json().payload).toEqual({ value: true, changed: false })
    expect((await remove('jane')).json()).toEqual({
      payloadType: 'BooleanPayload',
      payloadVersion: '1',
      payload: { value: true, changed: true },
    })
    expect((await remove('jane')).json().payload).toEqual({ value: true, changed: false })
    const users = await call({ url: '/api/v2/users', headers: { authorization } })
    expect(users.json().payload).toEqual([{ user: 'admin', pass: '**obfuscated**', access: 'full' }])
  })

  it('refuse to create a look-alike user name, but let an existing one log in and be deleted', async () => {
    const { call, accounts } = await testApi()
    const name = 'admin\u00a0'
    const old = await accounts.recordFor({ user: name, password: new Secret('theirs') })
    await accounts.change((file) => putUser(file, old))
    const own = basic(name, 'theirs')
    expect((await call({ url: '/api/v2/users', headers: { authorization: own } })).statusCode).toBe(200)
    const post = (url: string, payload: object) =>
      call({ method: 'POST', url: `/api/v2/${url}${sure}`, headers: { authorization }, payload })
    for (const made of [name, 'adm\u200bin', '\u202enimda', '\uff41dmin']) {
      const answer = await post('createAdminUser', credentials(made, 'x'))
      expect([answer.statusCode, answer.json().payload.code]).toEqual([400, 'invalid-user-name'])
    }
    const value = { payloadType: 'StringPayload', payload: { value: name } }
    expect((await post('unlock', value)).statusCode).toBe(200)
    expect((await post('deleteUser', value)).json().payload).toEqual({ value: true, changed: true })
    expect((await accounts.users()).map(({ user }) => user)).toEqual(['admin'])
  })

  it('include version, which returns version, component and Node.js', async () => {
    const { call } = await testApi()
    const answer = await call({ url: '/api/v2/version', headers: { authorization } })
    expect(answer.json().payload).toEqual({ version: '1.2.3', component: 'manager', node: 'v24.0.0' })
  })

  it('list exactly the route table by uris', async () => {
    const { call } = await testApi()
    const answer = await call({ url: '/api/v2/uris', headers: { authorization } })
    expect(answer.json().payload).toEqual(
      Object.values(commonRoutes).map(({ method, path }) => ({ method, path })),
    )
  })
})
