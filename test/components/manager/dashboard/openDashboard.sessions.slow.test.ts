import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { ClusterPicture } from '../../../../src/contracts/clusterPicture.ts'
import type { LagHistory } from '../../../../src/contracts/dashboard.ts'
import { eventually } from '../../../support/eventually.ts'
import { eventsIn } from '../../../support/testDashboard.ts'
import { shownHost, startManager, usersWith } from './dashboardManager.ts'

const shun = {
  ...{ cluster: 'alpha', component: 'manager', route: 'managerShun' },
  params: { service: 'alpha', datasource: 'db2' },
}

/** Two managers that know each other; db1 shows the dashboard. */
async function pair() {
  const db2 = await startManager('db2', { peers: ['db1'] })
  const db1 = await startManager('db1', {
    dashboard: [shownHost('db1', null), shownHost('db2', db2.channelPort), shownHost('db3', null)],
  })
  return { db1, db2 }
}

type Events = ReturnType<typeof eventsIn>

/** Picture of the latest events: of each thing the last word counts. */
const hostsIn = (events: Events): Readonly<Record<string, unknown>> => {
  const states: Record<string, unknown> = {}
  for (const { data } of events) {
    if (data.kind === 'snapshot')
      for (const { hosts } of data.clusters as ClusterPicture[])
        for (const { name, state } of hosts) states[name] = state
    if (data.kind === 'host') {
      const { name, state } = data.host as ClusterPicture['hosts'][number]
      states[name] = state
    }
  }
  return states
}

const stateOf = (events: Events, name: string): unknown =>
  events
    .flatMap(({ data }) =>
      data.kind === 'datasource' ? [data.datasource as { name: string; state: string }] : [],
    )
    .findLast((it) => it.name === name)?.state

describe('the dashboard of a manager', () => {
  it('is at its API, which answers all else as before', async () => {
    const { db1, db2 } = await pair()
    expect(await db1.get('/dashboard/')).toMatchObject({
      status: 200,
      headers: { 'content-type': 'text/html; charset=utf-8' },
    })
    expect((await db1.get('/dashboard/')).headers['strict-transport-security']).toBe('max-age=31536000')
    expect((await db1.get('/api/v2/ping')).status).toBe(200)
    expect((await db1.get('/dashboards')).status).toBe((await db1.get('/none')).status)
    expect((await db2.get('/dashboard/')).status).toBe((await db2.get('/none')).status)
    expect((await db2.get('/dashboard/session')).text).not.toContain('clusters')
    expect((await db1.get('/dashboard/session')).body).toEqual({
      server: 'manager',
      pages: ['clusters', 'cluster', 'host', 'users', 'certificates', 'runs'],
      state: 'login',
      clusters: [{ name: 'alpha', user: null, access: null }],
    })
  })

  it('shows the hosts whose managers can be reached, by their certificates, only while somebody looks', async () => {
    const { db1, db2 } = await pair()
    expect(db2.lines.join('')).not.toContain('/muster/events')
    const stream = await db1.openEvents(await db1.logIn('eve'))
    await eventually(() =>
      expect(hostsIn(eventsIn(stream.text))).toEqual({ db1: 'up', db2: 'up', db3: 'unknown' }),
    )
    await eventually(() => expect(db2.lines.join('')).toContain('/muster/events'))
    await db2.stop()
    await eventually(() => expect(hostsIn(eventsIn(stream.text))).toMatchObject({ db2: 'unreachable' }))
  })

  it('makes the calls of a person with that login, at this host and at others', async () => {
    const { db1, db2 } = await pair()
    const cookie = await db1.logIn('ada')
    const stream = await db1.openEvents(cookie)
    await eventually(() => expect(eventsIn(stream.text).length).toBeGreaterThan(0))
    for (const host of ['db1', 'db2'])
      expect((await db1.post('/dashboard/action', { ...shun, host }, cookie)).body).toMatchObject({
        status: 200,
      })
    await eventually(() => expect(stateOf(eventsIn(stream.text), 'db2')).toBe('SHUNNED'))
    for (const { audit } of [db1, db2])
      expect(audit().at(-1)).toMatchObject({ user: 'ada', call: 'managerShun', status: 200 })
  })

  it('refuses a user with the level read what changes something, by name in the audit log', async () => {
    const { db1 } = await pair()
    const cookie = await db1.logIn('eve')
    const response = await db1.post('/dashboard/action', { ...shun, host: 'db1' }, cookie)
    expect(response).toMatchObject({
      status: 200,
      body: { status: 403, detail: expect.stringContaining('operate') },
    })
    expect(db1.audit().at(-1)).toMatchObject({
      user: 'eve',
      call: 'managerShun',
      status: 403,
      changed: false,
    })
    const runs = (await db1.get('/dashboard/runs?cluster=alpha', cookie)).body
    expect(runs.runs[0]).toMatchObject({
      what: 'managerShun alpha/db2',
      by: 'eve',
      at: 'db1',
      result: 'failed',
    })
  })

  it('creates the first user of a host for nobody below the level full', async () => {
    const { db1, db2 } = await pair()
    db2.setUsers([])
    const payload = { user: 'mallory', pass: 'a password', access: 'full' }
    for (const host of ['db1', 'db2']) {
      const create = { ...shun, host, route: 'createAdminUser', params: {}, payload }
      const response = await db1.post('/dashboard/action', create, await db1.logIn('eve'))
      expect(response, host).toMatchObject({ status: 403, body: { code: 'access-level' } })
    }
    for (const { audit } of [db1, db2])
      expect(audit().some(({ call }) => call === 'createAdminUser')).toBe(false)
  })

  it('creates a user for the level full', async () => {
    const { db1 } = await pair()
    const payload = { user: 'new', pass: 'a password', access: 'read' }
    const create = { ...shun, host: 'db1', route: 'createAdminUser', params: {}, payload }
    const cookie = await db1.logIn('ada')
    expect((await db1.post('/dashboard/action', create, cookie)).body).toMatchObject({ status: 200 })
    expect(db1.audit().at(-1)).toMatchObject({ user: 'ada', call: 'createAdminUser', status: 200 })
  })

  it('gives a viewer the lags that were seen while nobody looked', async () => {
    const { db1 } = await pair()
    const cookie = await db1.logIn('eve')
    // time: the manager looks once a second by itself, and nothing says so while nobody looks.
    await wait(6000)
    const before = new Date().toISOString()
    const stream = await db1.openEvents(cookie)
    await eventually(() => expect(stream.text).toContain('snapshot'))
    const [snapshot] = eventsIn(stream.text)
    const [cluster] = (snapshot?.data.clusters ?? []) as { lags: LagHistory[] }[]
    expect(cluster?.lags.map(({ service, datasource }) => `${service}/${datasource}`)).toEqual(
      expect.arrayContaining(['alpha/db1', 'alpha/db2']),
    )
    for (const { points } of cluster?.lags ?? []) {
      expect(points.length).toBeGreaterThan(0)
      expect((points[0]?.at ?? '') < before).toBe(true)
    }
  })

  it('cannot be asked for a host whose manager has no channel', async () => {
    const { db1 } = await pair()
    const response = await db1.post('/dashboard/action', { ...shun, host: 'db3' }, await db1.logIn('ada'))
    expect(response).toMatchObject({ status: 502, body: { code: 'manager-unreachable' } })
    const none = await db1.post('/dashboard/action', { ...shun, host: 'db4' }, await db1.logIn('ada'))
    expect(none).toMatchObject({ status: 404 })
  })

  it.each([
    ['has another password', async () => usersWith('other')],
    [
      'has another level',
      async () => (await usersWith('right')).map((it) => ({ ...it, access: 'operate' as const })),
    ],
    ['is gone', async () => (await usersWith('right')).filter(({ user }) => user !== 'eve')],
  ])('ends a session and its stream once its user %s', async (_how, users) => {
    const { db1 } = await pair()
    const cookie = await db1.logIn('eve')
    const stream = await db1.openEvents(cookie)
    await eventually(() => expect(stream.text).toContain('snapshot'))
    db1.setUsers(await users())
    await eventually(() => expect(stream.isEnded).toBe(true))
    expect(eventsIn(stream.text).at(-1)?.data).toMatchObject({ kind: 'session' })
    expect((await db1.get('/dashboard/session', cookie)).body).toMatchObject({ state: 'login' })
    expect((await db1.get('/dashboard/users?cluster=alpha', cookie)).status).toBe(401)
  })

  it('counts failed logins as the API does, and says in the log who came in', async () => {
    const { db1 } = await pair()
    const wrong = () => db1.post('/dashboard/login', { user: 'eve', password: 'wrong' })
    for (let attempt = 0; attempt < 5; attempt += 1) expect((await wrong()).status).toBe(401)
    expect(await db1.post('/dashboard/login', { user: 'eve', password: 'right' })).toMatchObject({
      status: 429,
      body: { code: 'locked-out' },
      headers: { 'retry-after': expect.any(String) },
    })
    await db1.logIn('ada')
    const log = db1.lines.join('')
    expect(log).toContain('"user":"ada"')
    expect(log).toContain('logged in to the dashboard')
    expect(log).not.toContain('wrong"')
    expect(log).not.toContain('right"')
  })

  it('does not lock a person out of a host that has another password', async () => {
    const { db1, db2 } = await pair()
    const cookie = await db1.logIn('eve')
    db2.setUsers(await usersWith('other'))
    const reasons: unknown[] = []
    for (let look = 0; look < 6; look += 1) {
      const { failures } = (await db1.get('/dashboard/users?cluster=alpha', cookie)).body
      reasons.push(failures.find(({ host }: { host: string }) => host === 'db2').reason)
    }
    expect(reasons).toEqual([
      expect.stringContaining('wrong'),
      ...Array.from({ length: 5 }, () => 'it refused the login'),
    ])
  })

  it('shows users, certificates and a host, and what could not be read', async () => {
    const { db1 } = await pair()
    const cookie = await db1.logIn('eve')
    expect((await db1.get('/dashboard/users?cluster=alpha', cookie)).body).toMatchObject({
      hosts: ['db1', 'db2'],
      users: [
        { user: 'ada', access: ['full', 'full'] },
        { user: 'eve', access: ['read', 'read'] },
      ],
      failures: [{ host: 'db3' }],
    })
    const certificates = (await db1.get('/dashboard/certificates?cluster=alpha', cookie)).body
    expect(certificates).toMatchObject({
      certificates: [
        { host: 'db1', names: expect.arrayContaining(['db1']) },
        { host: 'db2', names: expect.arrayContaining(['db2']) },
      ],
      failures: [{ host: 'db3' }],
    })
    expect((await db1.get('/dashboard/host?cluster=alpha&host=db1', cookie)).body).toMatchObject({
      host: 'db1',
      certificate: certificates.certificates[0],
      log: null,
    })
    expect((await db1.get('/dashboard/host?cluster=alpha&host=db9', cookie)).status).toBe(404)
  })
})
