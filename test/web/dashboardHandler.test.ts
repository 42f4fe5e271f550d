import { describe, expect, it } from 'vitest'
import { reasonCodes } from '../../src/contracts/routing.ts'
import { isDashboardTarget } from '../../src/web/dashboardHandler.ts'
import { answersIn, openTcp } from '../support/rawConnection.ts'
import { startDashboard } from '../support/testDashboard.ts'

describe('the paths of the dashboard', () => {
  it('lead from its folder without a slash to the page', async () => {
    const { get } = await startDashboard()
    expect(await get('/dashboard')).toMatchObject({ status: 302, headers: { location: '/dashboard/' } })
    expect(await get('/dashboard/')).toMatchObject({ status: 200 })
  })

  it('are told from other paths of the same server by their first word', () => {
    expect(['/dashboard', '/dashboard/', '/dashboard?x', '/dashboard/events'].every(isDashboardTarget)).toBe(
      true,
    )
    expect(
      ['/dashboards', '/', '/api/v2/ping', '//dashboard/', '/Dashboard/', 'dashboard/'].some(
        isDashboardTarget,
      ),
    ).toBe(false)
  })

  it('mean nothing but themselves: no escape, dot segment, backslash or null byte', async () => {
    const { port, host } = await startDashboard()
    const tricks = [
      '/dashboard/../dashboard/session',
      '/dashboard/./session',
      '/dashboard/%73ession',
      '/dashboard//session',
      '/dashboard/session/',
      '/dashboard/..%2f..%2fetc/passwd',
      '/dashboard/%2e%2e/etc/passwd',
      '/dashboard\\session',
      '/dashboard/session%00',
      '/dashboard/index.html',
      '/dashboard/__proto__',
      '/dashboard/constructor',
      '/dashboard/session;x',
      '/dashboard/session#x',
      '*',
      'http://x/dashboard/session',
      '/',
    ]
    for (const path of tricks) {
      const { socket, received } = await openTcp(port)
      socket.end(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`, 'latin1')
      const [answer] = answersIn(await received)
      expect([400, 404], path).toContain(answer?.status)
      expect(answer?.body, path).not.toContain('"state"')
    }
  })

  it('take GET and HEAD where something is read, and POST alone where it changes', async () => {
    const { send, fromPage, logIn } = await startDashboard()
    const headers = fromPage(await logIn())
    const methods = ['GET', 'HEAD', 'POST', 'OPTIONS', 'PUT', 'DELETE', 'PATCH', 'TRACE']
    const allowed = async (path: string) => {
      const found = await Promise.all(
        methods.map(async (method) => ({
          method,
          response: await send(path, { method, headers, ...(method === 'POST' ? { body: '{}' } : {}) }),
        })),
      )
      const refused = found.filter(({ response }) => response.status === 405)
      expect(refused.every(({ response }) => response.headers.allow !== undefined)).toBe(true)
      return found.filter(({ response }) => response.status !== 405).map(({ method }) => method)
    }
    expect(await allowed('/dashboard/')).toEqual(['GET', 'HEAD'])
    expect(await allowed('/dashboard/session')).toEqual(['GET', 'HEAD'])
    expect(await allowed('/dashboard/action')).toEqual(['POST'])
    expect(await allowed('/dashboard/login')).toEqual(['POST'])
  })

  it('answer HEAD with the headers of GET and no body', async () => {
    const { send, logIn } = await startDashboard()
    const headers = { Cookie: `__Host-muster=${await logIn()}` }
    for (const path of ['/dashboard/', '/dashboard/session', '/dashboard/events']) {
      expect(await send(path, { method: 'HEAD', headers })).toMatchObject({ status: 200, text: '' })
    }
  })

  it('exist only for pages that the server has', async () => {
    const users = { hosts: ['db1'], users: [], failures: [] }
    const { get, logIn, sessionOf } = await startDashboard({ backend: { users: async () => users } })
    const cookie = await logIn()
    expect((await sessionOf(cookie)).pages).toEqual(['clusters', 'cluster', 'users'])
    expect((await get('/dashboard/users?cluster=north', cookie)).body).toEqual(users)
    for (const path of ['runs?cluster=north', 'host?cluster=north&host=db1', 'token'])
      expect((await get(`/dashboard/${path}`, cookie)).status, path).toBe(404)
  })

  it('explain each code of a picture to whoever is logged in, and no other word', async () => {
    const { get, logIn } = await startDashboard()
    const cookie = await logIn()
    for (const code of reasonCodes)
      expect(await get(`/dashboard/explain?code=${code}`, cookie), code).toMatchObject({
        status: 200,
        body: {
          code,
          title: expect.stringMatching(/./),
          blocks: expect.arrayContaining([{ kind: 'text', text: expect.any(String) }]),
        },
      })
    for (const word of ['constructor', 'unknown-option', '../state'])
      expect((await get(`/dashboard/explain?code=${word}`, cookie)).status, word).toBe(404)
    expect((await get('/dashboard/explain?code=no-writer')).status).toBe(401)
  })

  it('take exactly their own query', async () => {
    const { get, logIn } = await startDashboard({
      backend: { users: async () => ({ hosts: [], users: [], failures: [] }) },
    })
    const cookie = await logIn()
    const queries = [
      '',
      '?cluster=',
      '?cluster=north&cluster=south',
      '?cluster=north&x=1',
      `?cluster=${'x'.repeat(301)}`,
    ]
    for (const query of queries)
      expect(await get(`/dashboard/users${query}`, cookie), query).toMatchObject({
        status: 400,
        body: { code: 'invalid-query' },
      })
    expect(await get('/dashboard/users?cluster=east', cookie)).toMatchObject({ status: 404 })
  })

  it('tell the page nothing about a fault of the server', async () => {
    const { get, logIn, faults } = await startDashboard({
      backend: { users: async () => Promise.reject(new Error('the password of the database is x')) },
    })
    const response = await get('/dashboard/users?cluster=north', await logIn())
    expect(response).toMatchObject({
      status: 500,
      body: { code: 'internal', detail: 'The server failed. Its log shows the details.' },
    })
    expect(faults).toHaveLength(1)
  })

  it('show the characters of a stranger that nobody sees as escapes', async () => {
    const { get, logIn } = await startDashboard({
      backend: { users: async () => ({ hosts: ['db1\u202e\u0000<b>'], users: [], failures: [] }) },
    })
    const { body } = await get('/dashboard/users?cluster=north', await logIn())
    expect(body).toMatchObject({ hosts: ['db1\\u202e\\x00<b>'] })
  })
})

describe('an action of the dashboard', () => {
  const shun = {
    ...{ cluster: 'north', host: 'db1', component: 'manager', route: 'managerShun' },
    params: { service: 'alpha', datasource: 'db3' },
  }

  it('is made with the login of the session, and its response goes back', async () => {
    const { post, fromPage, logIn, state } = await startDashboard()
    const cookie = await logIn('eve')
    const response = await post('/dashboard/action', shun, fromPage(cookie))
    expect(response).toMatchObject({ status: 200, body: { status: 200, payload: { done: true } } })
    expect(state.calls).toMatchObject([
      {
        login: { cluster: 'north', user: 'eve' },
        call: { path: '/api/v2/manager/control/service/alpha/datasource/db3/shun?i-am-sure=true' },
      },
    ])
  })

  it('is refused without a login to that very cluster', async () => {
    const { post, fromPage, state } = await startDashboard()
    expect(await post('/dashboard/action', shun)).toMatchObject({
      status: 401,
      body: { code: 'login-required' },
    })
    const north = await post('/dashboard/login', { user: 'ada', password: 'right', cluster: 'north' })
    const others = await post('/dashboard/action', { ...shun, cluster: 'south' }, fromPage(north.cookie))
    expect(others).toMatchObject({ status: 401 })
    expect(others.headers['www-authenticate']).toBeUndefined()
    expect(state.calls).toEqual([])
  })
})
