import { describe, expect, it } from 'vitest'
import { sessionIdle } from '../../src/contracts/dashboard.ts'
import { Secret } from '../../src/secrets/secret.ts'
import { createSessions, sessionLimits } from '../../src/web/sessions.ts'
import { eventually } from '../support/eventually.ts'
import { eventsIn, startDashboard } from '../support/testDashboard.ts'

describe('the session of the dashboard', () => {
  it('is in a cookie that no script, other site, other host or plain network sees', async () => {
    const { post } = await startDashboard()
    const { headers } = await post('/dashboard/login', { user: 'ada', password: 'right' })
    const [cookie = ''] = headers['set-cookie'] ?? []
    expect(cookie).toMatch(/^__Host-muster=[A-Za-z0-9_-]{43}; Path=\/; Secure; HttpOnly; SameSite=Strict$/)
  })

  it('gets a new id at each login, and the id before means nothing any more', async () => {
    const { logIn, sessionOf } = await startDashboard()
    const first = await logIn('eve')
    const second = await logIn('ada', first)
    expect(second).not.toBe(first)
    expect(await sessionOf(first)).toMatchObject({ state: 'login' })
    expect(await sessionOf(second)).toMatchObject({
      state: 'in',
      clusters: [{ user: 'ada', access: 'full' }, {}],
    })
  })

  it('takes no id that somebody else chose', async () => {
    const { logIn, sessionOf } = await startDashboard()
    const chosen = 'A'.repeat(43)
    const given = await logIn('ada', chosen)
    expect(given).not.toBe(chosen)
    expect(await sessionOf(chosen)).toMatchObject({ state: 'login' })
  })

  it('begins at no failed login', async () => {
    const { post } = await startDashboard()
    const { status, headers } = await post('/dashboard/login', { user: 'ada', password: 'wrong' })
    expect([status, headers['set-cookie'], headers['www-authenticate']]).toEqual([401, undefined, undefined])
  })

  it('keeps the logins of other clusters', async () => {
    const { post, fromPage, sessionOf } = await startDashboard()
    const north = await post('/dashboard/login', { user: 'ada', password: 'right', cluster: 'north' })
    const both = await post(
      '/dashboard/login',
      { user: 'eve', password: 'right', cluster: 'south' },
      fromPage(north.cookie),
    )
    expect((await sessionOf(both.cookie)).clusters).toEqual([
      { name: 'north', user: 'ada', access: 'full' },
      { name: 'south', user: 'eve', access: 'read' },
    ])
  })

  it('ends by logout, with its streams', async () => {
    const { logIn, post, fromPage, openEvents, sessionOf } = await startDashboard()
    const cookie = await logIn()
    const stream = await openEvents(cookie)
    const out = await post('/dashboard/logout', {}, fromPage(cookie))
    expect(out.headers['set-cookie']?.[0]).toContain('Max-Age=0')
    expect(await sessionOf(cookie)).toMatchObject({ state: 'login' })
    await eventually(() => expect(stream.isEnded).toBe(true))
    expect(eventsIn(stream.text).at(-1)?.data).toMatchObject({ kind: 'session' })
  })

  it('leaves no login behind that it had: by logout, by another login, and by a change of the user', async () => {
    const forgotten: string[] = []
    const { logIn, post, fromPage, state, sessionOf } = await startDashboard({
      backend: { forget: ({ cluster, user }) => forgotten.push(`${user} ${cluster}`) },
    })
    const ada = await logIn('ada')
    const south = { user: 'eve', password: 'right', cluster: 'south' }
    const { cookie } = await post('/dashboard/login', south, fromPage(ada))
    expect(forgotten).toEqual(['ada south'])
    state.isCurrent = ({ user }) => user !== 'eve'
    await sessionOf(cookie)
    expect(forgotten).toEqual(['ada south', 'eve south'])
    await post('/dashboard/logout', {}, fromPage(cookie))
    expect(forgotten).toEqual(['ada south', 'eve south', 'ada north'])
  })

  it('ends after 15 minutes in which the person did nothing, although a stream was open', async () => {
    let time = 0
    const { logIn, sessionOf, openEvents, get, post, fromPage } = await startDashboard({
      monotonic: () => time,
      backend: { users: async () => ({ hosts: [], users: [], failures: [] }) },
    })
    const cookie = await logIn()
    const stream = await openEvents(cookie)
    time += sessionIdle - 1
    await get('/dashboard/users?cluster=north', cookie)
    time += sessionIdle - 1
    expect(await sessionOf(cookie)).toMatchObject({ state: 'in' })
    time += 1
    await eventually(() => expect(stream.isEnded).toBe(true))
    expect(await sessionOf(cookie)).toMatchObject({ state: 'login' })
    const action = { cluster: 'north', host: 'db1', component: 'manager', route: 'managerStatus', params: {} }
    expect(await post('/dashboard/action', action, fromPage(cookie))).toMatchObject({ status: 401 })
  })

  it('ends when its user changes, with its streams, at once', async () => {
    const { logIn, sessionOf, openEvents, state } = await startDashboard()
    const [ada, eve] = [await logIn('ada'), await logIn('eve')]
    const stream = await openEvents(ada)
    state.isCurrent = ({ user }) => user !== 'ada'
    await eventually(() => expect(stream.isEnded).toBe(true))
    expect(await sessionOf(ada)).toMatchObject({ state: 'login' })
    expect(await sessionOf(eve)).toMatchObject({ state: 'in' })
  })

  it('gives no rights while the server cannot look its user up', async () => {
    const { logIn, sessionOf, state, faults } = await startDashboard()
    const cookie = await logIn()
    state.isCurrent = () => Promise.reject(new Error('no users'))
    expect(await sessionOf(cookie)).toMatchObject({ state: 'login' })
    expect(faults.length).toBeGreaterThan(0)
  })

  it('shows its password nowhere', async () => {
    const sessions = createSessions({ now: () => 0, withoutLogin: false, onLogout: () => undefined })
    const login = { cluster: 'north', user: 'ada', password: new Secret('s3cret'), access: 'full' } as const
    const { id, session } = sessions.begin([login])
    expect(JSON.stringify([session, ...session.logins])).not.toContain('s3cret')
    expect(JSON.stringify([session, sessions.all()])).not.toContain(id)
  })
})

describe('the number of sessions', () => {
  const begin = (sessions: ReturnType<typeof createSessions>, user: string) =>
    sessions.begin([{ cluster: 'north', user, password: new Secret('x'), access: 'read' }])

  it('is bounded for a user, and that one which was unused for the longest time goes', () => {
    const ended: string[] = []
    const sessions = createSessions({
      now: () => 0,
      withoutLogin: false,
      onLogout: ({ key }) => ended.push(key),
    })
    const first = begin(sessions, 'ada')
    const second = begin(sessions, 'ada')
    for (let count = 2; count < sessionLimits.perUser; count += 1) begin(sessions, 'ada')
    begin(sessions, 'eve')
    sessions.use(first.session)
    begin(sessions, 'ada')
    expect(ended).toEqual([second.session.key])
    expect(sessions.find(first.id)).toBe(first.session)
    expect(sessions.find(second.id)).toBeUndefined()
  })

  it('is bounded in all', () => {
    const sessions = createSessions({ now: () => 0, withoutLogin: false, onLogout: () => undefined })
    for (let count = 0; count < 3 * sessionLimits.all; count += 1) begin(sessions, `user${count}`)
    expect(sessions.all()).toHaveLength(sessionLimits.all)
  })
})

describe('the one-time token of the dashboard', () => {
  it('opens the door once, and a login is still needed', async () => {
    const { dashboard, post, fromPage, sessionOf, logIn } = await startDashboard({ needsToken: true })
    const token = dashboard.issueToken().reveal()
    expect(await sessionOf()).toMatchObject({ state: 'token', clusters: [] })
    expect(await post('/dashboard/login', { user: 'ada', password: 'right' })).toMatchObject({ status: 401 })
    const opened = await post('/dashboard/token', { token })
    expect(opened).toMatchObject({ status: 200, body: { state: 'login' } })
    const replayed = await post('/dashboard/token', { token })
    expect([replayed.status, replayed.cookie]).toEqual([401, undefined])
    const cookie = await logIn('ada', opened.cookie)
    expect(await sessionOf(cookie)).toMatchObject({ state: 'in' })
    const out = await post('/dashboard/logout', {}, fromPage(cookie))
    expect(out.body).toMatchObject({ state: 'login' })
    expect(await sessionOf(cookie)).toMatchObject({ state: 'token' })
  })

  it('is none that was guessed, or is followed by another', async () => {
    const { dashboard, post } = await startDashboard({ needsToken: true })
    const old = dashboard.issueToken().reveal()
    dashboard.issueToken()
    for (const token of [old, 'A'.repeat(43)])
      expect(await post('/dashboard/token', { token })).toMatchObject({ status: 401 })
    expect(await post('/dashboard/token', { token: 'short' })).toMatchObject({ status: 400 })
  })

  it('is not asked for again after 15 minutes, but a login is', async () => {
    let time = 0
    const { dashboard, post, sessionOf, logIn } = await startDashboard({
      needsToken: true,
      monotonic: () => time,
    })
    const { cookie: opened } = await post('/dashboard/token', { token: dashboard.issueToken().reveal() })
    const cookie = await logIn('ada', opened)
    time += sessionIdle
    expect(await sessionOf(cookie)).toMatchObject({
      state: 'login',
      clusters: [{ user: null }, { user: null }],
    })
  })
})
