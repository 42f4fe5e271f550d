import { describe, expect, it } from 'vitest'
import type { ConnectorStatusPayload } from '../../../src/contracts/connectorPayloads.ts'
import {
  broken,
  fakeMonitor,
  headers,
  installed,
  lockedOut,
  managerIn,
  place,
  refusing,
  replicating,
  writing,
} from './support.ts'

describe('what a manager tells', () => {
  it('says of itself who it is and that it checks', async () => {
    const { get } = await managerIn()
    expect(await get('status')).toEqual({
      status: 200,
      payload: {
        dataServiceName: 'alpha',
        dataSourceName: 'db1',
        startTime: '2025-03-10T10:12:16.499Z',
        uptimeSeconds: 1,
        state: 'ONLINE',
        reason: null,
        isWitness: false,
        managerPID: 4711,
        parentPID: 42,
        policyMode: 'AUTOMATIC',
        tlsEnabled: false,
        tlsCertificateExpiry: null,
      },
    })
  })

  it('says so on a witness, and when its certificate expires', async () => {
    const expiry = new Date('2026-01-01T00:00:00Z')
    const { get, post } = await managerIn({
      member: { service: 'alpha', datasource: null, witness: true },
      context: { certificate: () => ({ expiry, rejected: undefined }) },
    })
    await post('control/service/alpha/policy/manual')
    expect((await get('status')).payload).toMatchObject({
      dataSourceName: null,
      isWitness: true,
      policyMode: 'MANUAL',
      tlsEnabled: true,
      tlsCertificateExpiry: expiry.toISOString(),
    })
  })

  it('lists services, data sources and the connector of the host', async () => {
    const none = await managerIn()
    const topology = {
      topology: 'clustered',
      name: 'cluster',
      services: [
        {
          name: 'alpha',
          role: 'primary',
          datasources: [
            { name: 'db1', role: 'primary' },
            { name: 'db2', role: 'replica' },
            { name: 'db3', role: 'replica' },
          ],
        },
      ],
    }
    expect((await none.get('cluster/topology')).payload).toEqual({ ...topology, routers: [] })

    const silent = await managerIn({ askConnector: async () => null })
    const routers = [{ name: 'host1', connections: null }]
    expect((await silent.get('cluster/topology')).payload).toEqual({ ...topology, routers })
    expect((await silent.get('cluster/topology?includeRouters=yes')).payload.routers).toEqual(routers)
    expect((await silent.get('cluster/topology?includeRouters=no')).payload).toEqual(topology)
  })

  it('counts connections as the connector does', async () => {
    const counts = { active: 3, created: 9 }
    const status = {
      value: 'ONLINE',
      since: '2025-03-10T10:00:00.000Z',
      by: 'installation',
      reason: null,
      held: 0,
      expiresAt: null,
      active: 4,
      created: 11,
      datasources: [{ service: 'alpha', name: 'db2', ...counts }],
    } satisfies ConnectorStatusPayload
    const { get, status: of } = await managerIn({ askConnector: async () => status })
    expect((await get('cluster/topology')).payload.routers).toEqual([
      { name: 'host1', connections: { active: 4, created: 11 } },
    ])
    expect((await of('db2')).connections).toEqual(counts)
    expect((await of('db3')).connections).toEqual({ active: 0, created: 0 })
  })

  it('shows a replica and a primary with what the checks found', async () => {
    const { monitor, status, get } = await managerIn()
    expect(await status('db2')).toMatchObject({ checkedAt: null, seqno: null, appliedLatency: null })
    await monitor.tick(place('db1'))
    await monitor.tick(place('db2'))
    const db1 = {
      name: 'db1',
      service: 'alpha',
      role: 'primary',
      state: 'ONLINE',
      host: '10.0.0.1',
      port: 3306,
      since: '2025-03-10T10:00:01.000Z',
      by: 'installation',
      code: null,
      reason: null,
      checkedAt: '2025-03-10T10:00:02.000Z',
      connections: null,
      seqno: 36,
      appliedLatency: null,
      relativeLatency: null,
      follows: null,
      standby: false,
      archive: false,
      witness: false,
    }
    expect(await status('db1')).toEqual(db1)
    const db2 = await status('db2')
    expect(db2).toMatchObject({ role: 'replica', seqno: 35, appliedLatency: 4, follows: 'db1', reason: null })
    const { payload } = await get('status/service/alpha')
    expect(payload).toEqual({
      name: 'alpha',
      type: 'physical',
      composite: false,
      multimaster: false,
      policy: 'AUTOMATIC',
      writer: { datasource: null, code: null, reason: 'not checked yet: db3', hold: true },
      failover: {
        automatic: false,
        reason:
          'The manager changes no server: replication-user is not set. db1 may acknowledge what no other server has; ' +
          'it needs rpl_semi_sync_master_enabled=1, rpl_semi_sync_master_wait_point=AFTER_SYNC, rpl_semi_sync_master_timeout=86400000. db3 was not read since this manager was started.',
      },
      datasources: [db1, db2, await status('db3')],
    })
  })

  it('knows no other names', async () => {
    const { get, post } = await managerIn()
    for (const path of [
      'status/service/beta',
      'status/service/alpha/datasource/db9',
      'status/service/beta/datasource/db1',
      'service/alpha/datasource/db9/ping',
    ]) {
      expect([path, (await get(path)).status]).toEqual([path, 404])
    }
    for (const path of [
      'control/service/beta/offline',
      'control/service/beta/policy/manual',
      'control/service/alpha/datasource/db9/shun',
      'control/service/constructor/datasource/db1/offline',
    ]) {
      expect([path, (await post(path)).status]).toEqual([path, 404])
    }
  })

  it('pings: anything that the server says is an answer', async () => {
    const { monitor, get } = await managerIn()
    const ping = async () => (await get('service/alpha/datasource/db2/ping')).payload
    expect(await ping()).toEqual({ value: true })
    monitor.set(place('db2'), refusing)
    expect(await ping()).toEqual({ value: false })
    monitor.set(place('db2'), lockedOut)
    expect(await ping()).toEqual({ value: true })
    expect(monitor.asked()).toBe(3)
  })
})

describe('a data source that cannot be checked', () => {
  it('is UNKNOWN wherever its state is shown, until a check can be made', async () => {
    const { status, states, get, monitor, api } = await managerIn()
    monitor.set(place('db2'), lockedOut)
    await monitor.tick(place('db2'), 5)
    expect(await status('db2')).toMatchObject({ state: 'UNKNOWN', by: 'installation' })
    expect((await status('db2')).reason).toContain('It cannot be checked')
    expect(await states()).toEqual(['ONLINE', 'UNKNOWN', 'ONLINE'])
    const { payload } = await get('status/service/alpha')
    expect(payload.datasources.map((it: { state: string }) => it.state)).toEqual(await states())
    const metrics = async () => (await api.call({ url: '/metrics', headers })).body
    const gauge = (state: string): string =>
      `muster_manager_datasource_state{service="alpha",datasource="db2",state="${state}"}`
    expect(await metrics()).toContain(`${gauge('UNKNOWN')} 1\n`)
    expect(await metrics()).toContain(`${gauge('ONLINE')} 0\n`)
    monitor.set(place('db2'), replicating())
    await monitor.tick(place('db2'))
    expect(await states()).toEqual(['ONLINE', 'ONLINE', 'ONLINE'])
  })

  it('keeps the state that somebody brought it into, and is not judged by any policy', async () => {
    const { control, states, monitor } = await managerIn()
    await control('db2', 'offline')
    await control('db3', 'shun')
    for (const name of ['db2', 'db3'] as const) {
      monitor.set(place(name), lockedOut)
      await monitor.tick(place(name), 10)
    }
    expect(await states()).toEqual(['ONLINE', 'OFFLINE', 'SHUNNED'])
  })
})

describe('a manager without an account for checks', () => {
  it('says so, serves everything else and checks nothing', async () => {
    const { get, control, states, status } = await managerIn({ monitor: null })
    const { state, reason } = (await get('status')).payload
    expect([state, reason]).toEqual(['OFFLINE', 'not monitoring: monitor-user is not set'])
    const { status: code, payload } = await get('service/alpha/datasource/db2/ping')
    expect([code, payload.code]).toEqual([409, 'no-database'])
    expect(await status('db2')).toMatchObject({
      state: 'UNKNOWN',
      reason: 'It is not checked: monitor-user is not set.',
      checkedAt: null,
    })
    expect((await control('db2', 'offline')).payload).toMatchObject({ state: 'OFFLINE', changed: true })
    expect((await control('db2', 'online')).payload).toMatchObject({ state: 'UNKNOWN', changed: true })
    expect(await states()).toEqual(['UNKNOWN', 'UNKNOWN', 'UNKNOWN'])
  })
})

describe('operations on a data source', () => {
  /** A way into each state. */
  const into = {
    ONLINE: [],
    OFFLINE: ['offline'],
    SHUNNED: ['shun'],
    FAILED: [],
  } as const

  async function managerWith(state: keyof typeof into) {
    const opened = await managerIn()
    if (state === 'FAILED') {
      opened.monitor.set(place('db2'), broken)
      await opened.monitor.tick(place('db2'), 3)
      opened.monitor.set(place('db2'), replicating())
    }
    for (const operation of into[state]) await opened.control('db2', operation)
    expect((await opened.status('db2')).state).toBe(state)
    return opened
  }

  it.each([
    ['offline', 'ONLINE', 'OFFLINE', true],
    ['offline', 'OFFLINE', 'OFFLINE', false],
    ['offline', 'FAILED', 409, false],
    ['offline', 'SHUNNED', 409, false],
    ['online', 'ONLINE', 'ONLINE', false],
    ['online', 'OFFLINE', 'ONLINE', true],
    ['online', 'FAILED', 409, false],
    ['online', 'SHUNNED', 409, false],
    ['shun', 'ONLINE', 'SHUNNED', true],
    ['shun', 'OFFLINE', 'SHUNNED', true],
    ['shun', 'FAILED', 'SHUNNED', true],
    ['shun', 'SHUNNED', 'SHUNNED', false],
    ['welcome', 'ONLINE', 'ONLINE', false],
    ['welcome', 'OFFLINE', 409, false],
    ['welcome', 'FAILED', 409, false],
    ['welcome', 'SHUNNED', 'ONLINE', true],
    ['recover', 'ONLINE', 'ONLINE', false],
    ['recover', 'OFFLINE', 'OFFLINE', false],
    ['recover', 'FAILED', 'OFFLINE', true],
    ['recover', 'SHUNNED', 'OFFLINE', true],
  ] as const)('%s in state %s: %s', async (operation, state, end, changed) => {
    const { control, status, kept, api } = await managerWith(state)
    const before = await status('db2')
    const { status: code, payload } = await control('db2', operation)
    const after = await status('db2')
    if (end === 409) {
      expect([code, payload.code]).toEqual([409, 'wrong-state'])
      expect(payload.detail).toContain(`db2 is ${state}, and ${operation} is not possible in this state.`)
      expect(after).toEqual(before)
      return
    }
    expect([code, payload.state, payload.changed]).toEqual([200, end, changed])
    const { changed: _changed, ...rest } = payload
    expect(rest).toEqual(after)
    if (!changed) return expect(after).toEqual(before)
    expect(after.by).toBe('admin')
    expect(Date.parse(after.since)).toBeGreaterThan(Date.parse(before.since))
    expect(kept().marks.find(({ name }) => name === 'db2')).toMatchObject({ state: end, by: 'admin' })
    expect(api.auditEntries().at(-1)).toMatchObject({
      user: 'admin',
      parameters: { service: 'alpha', datasource: 'db2' },
      before: state,
      after: end,
      changed: true,
    })
    return undefined
  })

  it.each(['offline', 'online', 'shun', 'welcome', 'recover'])(
    '%s without the guard changes nothing, twice is once, and two callers agree',
    async (operation) => {
      const needs = {
        offline: 'ONLINE',
        online: 'OFFLINE',
        shun: 'ONLINE',
        welcome: 'SHUNNED',
        recover: 'SHUNNED',
      }
      const { control, status, kept } = await managerWith(needs[operation as keyof typeof needs] as 'ONLINE')
      const before = [await status('db2'), kept()]
      for (const guard of ['', '?i-am-sure=false', '?i-am-sure=true&i-am-sure=true']) {
        expect((await control('db2', operation, guard)).payload.code).toBe('not-confirmed')
      }
      expect([await status('db2'), kept()]).toEqual(before)
      const both = await Promise.all([control('db2', operation), control('db2', operation)])
      expect(both.map(({ status: code }) => code)).toEqual([200, 200])
      expect(both.map(({ payload }) => payload.changed).toSorted()).toEqual([false, true])
      expect((await control('db2', operation)).payload.changed).toBe(false)
    },
  )

  it.each(['online', 'welcome'])(
    '%s is refused while the check finds something, and says what',
    async (operation) => {
      const { control, monitor, status } = await managerWith(operation === 'online' ? 'OFFLINE' : 'SHUNNED')
      const before = (await status('db2')).state
      const refusal = async () => {
        const { status: code, payload } = await control('db2', operation)
        expect((await status('db2')).state).toBe(before)
        return [code, payload.code, payload.detail]
      }
      monitor.set(place('db2'), broken)
      expect(await refusal()).toEqual([
        409,
        'wrong-state',
        `The health check of db2 failed, so it stays ${before}. The applier is stopped. ERROR 1062: Duplicate entry '7' for key 'PRIMARY'.`,
      ])
      monitor.set(place('db2'), refusing)
      expect(await refusal()).toEqual([
        502,
        'database-unreachable',
        'The database 10.0.0.2:3306 cannot be reached: nothing listens there. Start the database.',
      ])
      monitor.set(place('db2'), lockedOut)
      expect((await refusal()).slice(0, 2)).toEqual([502, 'database-refused'])
      monitor.set(place('db2'), replicating())
      expect((await control('db2', operation)).payload).toMatchObject({ state: 'ONLINE', changed: true })
    },
  )

  it('is judged by the state at its end, not by that before its check', async () => {
    const { control, monitor, status } = await managerWith('OFFLINE')
    let answer: (it: ReturnType<typeof replicating>) => void = () => undefined
    monitor.set(
      place('db2'),
      new Promise((resolve) => {
        answer = resolve
      }),
    )
    const online = control('db2', 'online')
    await expect.poll(() => monitor.asked()).toBe(1)
    expect((await control('db2', 'shun')).payload).toMatchObject({ state: 'SHUNNED', changed: true })
    answer(replicating())
    expect((await online).payload.code).toBe('wrong-state')
    expect((await status('db2')).state).toBe('SHUNNED')
  })

  it('ends with 404 when the data source goes while it is checked', async () => {
    const { control, monitor, post } = await managerWith('OFFLINE')
    let answer: (it: ReturnType<typeof replicating>) => void = () => undefined
    monitor.set(
      place('db2'),
      new Promise((resolve) => {
        answer = resolve
      }),
    )
    const online = control('db2', 'online')
    await expect.poll(() => monitor.asked()).toBe(1)
    await post('configuration/module/servicesmap', {
      type: 'ServicesMapPayload',
      body: { services: [{ name: 'alpha', datasources: [] }] },
    })
    answer(replicating())
    expect((await online).status).toBe(404)
  })
})

describe('operations on a service', () => {
  const offline = 'control/service/alpha/offline'
  const online = 'control/service/alpha/online'

  it('takes offline what is online, and leaves the rest as it is', async () => {
    const { post, states, control, kept } = await managerIn()
    await control('db3', 'shun')
    expect((await post(offline, undefined, '')).status).toBe(400)
    expect(await states()).toEqual(['ONLINE', 'ONLINE', 'SHUNNED'])
    const both = await Promise.all([post(offline), post(offline)])
    expect(both.map(({ payload }) => payload.changed).toSorted()).toEqual([false, true])
    expect(await states()).toEqual(['OFFLINE', 'OFFLINE', 'SHUNNED'])
    expect(
      kept()
        .marks.map(({ state }) => state)
        .toSorted(),
    ).toEqual(['OFFLINE', 'OFFLINE', 'SHUNNED'])
    expect((await post(offline)).payload.changed).toBe(false)
  })

  it('brings online what is offline and passes its check, and says what does not', async () => {
    const { post, states, control, monitor, api } = await managerIn()
    await post(offline)
    await control('db3', 'shun')
    monitor.set(place('db2'), broken)
    const { status, payload } = await post(online)
    expect([status, payload.code]).toEqual([409, 'wrong-state'])
    expect(payload.detail).toContain('set online now: db1. The health check of db2 failed')
    expect(payload.errors).toEqual([{ path: '/db2', message: expect.stringContaining('ERROR 1062') }])
    expect(await states()).toEqual(['ONLINE', 'OFFLINE', 'SHUNNED'])
    expect(api.auditEntries().at(-1)).toMatchObject({
      before: { db1: 'OFFLINE', db2: 'OFFLINE', db3: 'SHUNNED' },
      after: { db1: 'ONLINE', db2: 'OFFLINE', db3: 'SHUNNED' },
      changed: true,
    })
    monitor.set(place('db2'), replicating())
    const both = await Promise.all([post(online), post(online)])
    expect(both.map((it) => it.payload.changed).toSorted()).toEqual([false, true])
    expect(await states()).toEqual(['ONLINE', 'ONLINE', 'SHUNNED'])
  })

  it.each(['automatic', 'manual', 'maintenance'])('keeps the policy %s', async (policy) => {
    const opened = await managerIn()
    const path = `control/service/alpha/policy/${policy}`
    const other = `control/service/alpha/policy/${policy === 'automatic' ? 'manual' : 'automatic'}`
    await opened.post(other)
    expect((await opened.post(path, undefined, '')).status).toBe(400)
    const both = await Promise.all([opened.post(path), opened.post(path)])
    expect(both.map(({ payload }) => payload.policy)).toEqual([policy, policy].map((it) => it.toUpperCase()))
    expect(both.map(({ payload }) => payload.changed).toSorted()).toEqual([false, true])
    const next = await managerIn({ folder: opened.folder })
    expect((await next.get('status/service/alpha')).payload.policy).toBe(policy.toUpperCase())
  })
})

describe('the services map of a manager', () => {
  const newService = {
    name: 'beta',
    datasources: [{ name: 'b1', host: '10.0.1.1', port: 3306, role: 'primary' }],
  }
  const newSource = { service: 'alpha', name: 'db4', host: '10.0.0.4', port: 3306, role: 'replica' }
  const grown = { services: [...installed.services, newService] }
  const calls = {
    addDataService: ['addDataService', { type: 'DataServicePayload', body: newService }],
    addDataSource: ['addDataSource', { type: 'DataSourcePayload', body: newSource }],
    servicesmap: ['configuration/module/servicesmap', { type: 'ServicesMapPayload', body: grown }],
    reset: ['reset', undefined],
  } as const

  it.each(Object.keys(calls) as (keyof typeof calls)[])(
    '%s changes nothing without the guard, once with it, and is kept',
    async (name) => {
      const { post, get, folder, kept, monitor, api } = await managerIn()
      if (name === 'reset') await post(...calls.addDataService)
      const before = [(await get('configuration/module/servicesmap')).payload, kept(), monitor.followed()]
      const [path, body] = calls[name]
      expect((await post(path, body, '')).status).toBe(400)
      expect([(await get('configuration/module/servicesmap')).payload, kept(), monitor.followed()]).toEqual(
        before,
      )
      const both = await Promise.all([post(path, body), post(path, body)])
      expect(both.map(({ status }) => status)).toEqual([200, 200])
      expect(both.map(({ payload }) => payload.changed).toSorted()).toEqual([false, true])
      expect((await post(path, body)).payload.changed).toBe(false)
      const { payload } = await get('configuration/module/servicesmap')
      expect(payload).not.toEqual(before[0])
      expect(monitor.followed()).not.toEqual(before[2])
      const entry = api
        .auditEntries()
        .find((it) => it.changed === true && it.call !== 'managerAddDataService')
      if (name !== 'addDataService') expect(entry?.before).not.toEqual(entry?.after)
      const next = await managerIn({ folder })
      const again = (await next.get('configuration/module/servicesmap')).payload
      expect(again).toEqual(payload)
      expect(next.monitor.followed()).toEqual(monitor.followed())
    },
  )

  it('answers what was added, with its state', async () => {
    const { post, status, monitor } = await managerIn()
    monitor.set({ host: '10.0.1.1', port: 3306 }, writing)
    expect((await post(...calls.addDataSource)).payload).toEqual({
      ...newSource,
      state: 'ONLINE',
      changed: true,
    })
    expect(await status('db4')).toMatchObject({ by: 'admin', state: 'ONLINE' })
    expect((await post(...calls.addDataService)).payload).toEqual({
      name: 'beta',
      datasources: [{ ...newService.datasources[0], state: 'ONLINE' }],
      changed: true,
    })
  })

  it('takes back what a GET gave without its states, and refuses a state by name', async () => {
    const { get, post, control, states } = await managerIn()
    await control('db2', 'shun')
    const body = (await get('configuration/module/servicesmap')).payload
    const set = (services: object) =>
      post('configuration/module/servicesmap', { type: 'ServicesMapPayload', body: services })
    const refused = await set(body)
    expect([refused.status, refused.payload.code]).toEqual([400, 'invalid-body'])
    const place = '/payload/services/0/datasources/1/state'
    expect(refused.payload.errors).toContainEqual({
      path: place,
      message: 'is not a known member',
    })
    const bare = JSON.parse(JSON.stringify(body, (key, value) => (key === 'state' ? undefined : value)))
    expect((await set(bare)).payload).toEqual({ ...body, changed: false })
    expect(await states()).toEqual(['ONLINE', 'SHUNNED', 'ONLINE'])
  })

  it('refuses what contradicts itself or what is there, and changes nothing', async () => {
    const { get, post, kept } = await managerIn()
    const before = kept()
    const codeOf = async (call: Parameters<typeof post>) => (await post(...call)).payload.code
    const twice = { ...newSource, name: 'db4', host: '10.0.0.2' }
    expect(await codeOf(['addDataSource', { type: 'DataSourcePayload', body: twice }])).toBe('invalid-map')
    const other = { ...newSource, name: 'db2' }
    expect(await codeOf(['addDataSource', { type: 'DataSourcePayload', body: other }])).toBe('already-exists')
    const nowhere = { ...newSource, service: 'beta' }
    expect(await codeOf(['addDataSource', { type: 'DataSourcePayload', body: nowhere }])).toBe(
      'unknown-service',
    )
    const wrong = { ...newSource, name: 'a b' }
    expect(await codeOf(['addDataSource', { type: 'DataSourcePayload', body: wrong }])).toBe('invalid-body')
    expect(kept()).toEqual(before)
    expect((await get('configuration/module/servicesmap')).payload.services).toHaveLength(1)
  })

  it('forgets states and policies of what is gone or somewhere else', async () => {
    const { post, control, kept, status, monitor } = await managerIn()
    monitor.set(place('db3'), broken)
    await monitor.tick(place('db3'), 3)
    await control('db1', 'offline')
    await control('db2', 'shun')
    await post(...calls.addDataService)
    await post('control/service/beta/policy/manual')
    const moved = installed.services[0]?.datasources.map((it) =>
      it.name === 'db2' ? { ...it, port: 3307 } : it,
    )
    const body = { services: [{ name: 'alpha', datasources: moved?.filter(({ name }) => name !== 'db3') }] }
    await post('configuration/module/servicesmap', { type: 'ServicesMapPayload', body })
    expect(monitor.followed()).toEqual(['10.0.0.1 3306', '10.0.0.2 3307'])
    expect(kept().policies).toEqual([])
    expect(kept().marks.map(({ name, state }) => [name, state])).toEqual([
      ['db1', 'OFFLINE'],
      ['db2', 'ONLINE'],
    ])
    await post('reset')
    expect(await status('db2')).toMatchObject({ state: 'ONLINE', port: 3306 })
    expect(await status('db3')).toMatchObject({ state: 'ONLINE' })
    // Its failures of before do not count.
    await monitor.tick(place('db3'), 2)
    expect(await status('db3')).toMatchObject({ state: 'ONLINE' })
    expect(await status('db1')).toMatchObject({ state: 'OFFLINE' })
    expect(kept().map).toBeNull()
  })

  it('follows the next installation where it is the installed one, and else stays as calls made it', async () => {
    const next = { services: [...installed.services, { name: 'gamma', datasources: [] }] }
    const first = await managerIn()
    await first.control('db1', 'shun')
    const second = await managerIn({ folder: first.folder, map: next })
    const names = async (opened: typeof first) =>
      (await opened.get('configuration/module/servicesmap')).payload.services.map(
        (it: { name: string }) => it.name,
      )
    expect(await names(second)).toEqual(['alpha', 'gamma'])
    expect((await second.status('db1')).state).toBe('SHUNNED')
    await second.post(...calls.addDataService)
    const third = await managerIn({ folder: first.folder, map: installed })
    expect(await names(third)).toEqual(['alpha', 'gamma', 'beta'])
  })
})

describe('a manager whose state cannot be written', () => {
  it('changes nothing, says so, and is not ready until it can again', async () => {
    const { mkdirSync, rmSync } = await import('node:fs')
    const { post, control, status, path, api, states, get, monitor, lines } = await managerIn()
    await control('db3', 'offline')
    mkdirSync(`${path}.new`)
    for (const [call, payload] of [
      ['control/service/alpha/datasource/db2/offline', undefined],
      ['control/service/alpha/offline', undefined],
      ['control/service/alpha/online', undefined],
      ['control/service/alpha/policy/manual', undefined],
      ['configuration/module/servicesmap', { type: 'ServicesMapPayload', body: { services: [] } }],
    ] as const) {
      const answer = await post(call, payload)
      expect([call, answer.status, answer.payload.code]).toEqual([call, 503, 'not-ready'])
      expect(answer.payload.detail).toContain(`Nothing was changed: the state ${path} cannot be written`)
    }
    expect(await states()).toEqual(['ONLINE', 'ONLINE', 'OFFLINE'])
    expect((await get('status/service/alpha')).payload.policy).toBe('AUTOMATIC')

    monitor.set(place('db2'), broken)
    await monitor.tick(place('db2'), 4)
    expect((await status('db2')).state).toBe('ONLINE')
    expect(lines.filter(({ level }) => level === 'error')).toHaveLength(2)

    const anonymous = await api.call({ url: '/health/ready' })
    expect([anonymous.statusCode, anonymous.body]).toEqual([503, 'unready\n'])
    const told = await api.call({ url: '/health/ready', headers })
    expect(told.body).toContain(`the state ${path} cannot be written`)
    const metrics = await api.call({ url: '/metrics', headers })
    expect(metrics.body).toContain('muster_manager_state_write_failures_total 7')

    rmSync(`${path}.new`, { recursive: true })
    await monitor.tick(place('db2'))
    expect((await status('db2')).state).toBe('FAILED')
    expect((await api.call({ url: '/health/ready' })).statusCode).toBe(200)
  })
})

describe('the readiness of a manager', () => {
  it('concerns the manager, not its data sources', async () => {
    const { monitor, api, status } = await managerIn()
    for (const name of ['db1', 'db2', 'db3'] as const) {
      monitor.set(place(name), refusing)
      await monitor.tick(place(name), 3)
    }
    expect((await status('db1')).state).toBe('FAILED')
    expect((await api.call({ url: '/health/ready' })).statusCode).toBe(200)
  })

  it('is lost when no data source lets it look', async () => {
    const { monitor, api } = await managerIn()
    const ready = () => api.call({ url: '/health/ready', headers })
    for (const name of ['db1', 'db2', 'db3'] as const) {
      expect((await ready()).statusCode).toBe(200)
      monitor.set(place(name), lockedOut)
      await monitor.tick(place(name))
    }
    const { statusCode, body } = await ready()
    expect(statusCode).toBe(503)
    expect(body).toContain('unready\nno data source can be checked: It cannot be checked.')
    expect((await api.call({ url: '/health/ready' })).body).toBe('unready\n')
    monitor.set(place('db3'), refusing)
    await monitor.tick(place('db3'))
    expect((await ready()).statusCode).toBe(200)
  })
})

describe('the measurements of a manager', () => {
  it('tell states, policies, checks and latency', async () => {
    const { monitor, api } = await managerIn({ monitor: fakeMonitor() })
    await monitor.tick(place('db2'), 2)
    monitor.set(place('db3'), broken)
    await monitor.tick(place('db3'), 3)
    const { body } = await api.call({ url: '/metrics', headers })
    for (const line of [
      'muster_manager_datasource_state{service="alpha",datasource="db2",state="ONLINE"} 1',
      'muster_manager_datasource_state{service="alpha",datasource="db2",state="FAILED"} 0',
      'muster_manager_datasource_state{service="alpha",datasource="db3",state="FAILED"} 1',
      'muster_manager_policy{service="alpha",policy="AUTOMATIC"} 1',
      'muster_manager_policy{service="alpha",policy="MANUAL"} 0',
      'muster_manager_checks_total{service="alpha",datasource="db2",result="passed"} 2',
      'muster_manager_checks_total{service="alpha",datasource="db3",result="failed"} 3',
      'muster_manager_check_duration_seconds{service="alpha",datasource="db2"} 0.012',
      'muster_manager_applied_latency_seconds{service="alpha",datasource="db2"} 4',
      'muster_manager_state_write_failures_total 0',
    ]) {
      expect(body.split('\n')).toContain(line)
    }
    expect(body).not.toContain('latency_seconds{service="alpha",datasource="db3"')
    expect(body).not.toContain('check_duration_seconds{service="alpha",datasource="db1"')
  })
})
