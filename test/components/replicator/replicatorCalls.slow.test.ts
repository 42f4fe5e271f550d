import { Value } from 'typebox/value'
import { describe, expect, it } from 'vitest'
import type { Row } from '../../../src/components/databases/connection.ts'
import { DatabaseError } from '../../../src/components/databases/databaseError.ts'
import { createReplication } from '../../../src/components/databases/replication.ts'
import { createReplicator } from '../../../src/components/replicator/createReplicator.ts'
import { openOfflineMarks } from '../../../src/components/replicator/offlineMarks.ts'
import { replicator, replicatorApi } from '../../../src/components/replicator/replicator.ts'
import { responseSchema } from '../../../src/contracts/envelope.ts'
import { replicatorRoutes } from '../../../src/contracts/replicatorRoutes.ts'
import { type ExpectedStatement, fakeDatabase } from '../../support/fakeDatabase.ts'
import { mariadbBroken, mariadbOffline, mariadbReplica } from '../../support/replicaRows.ts'
import { adminLogin, testApi } from '../../support/testApi.ts'

const database = { type: 'mariadb', host: '127.0.0.1', port: 3306, user: 'muster', service: 'alpha' } as const
const limits = { connect: 200, query: 200, change: 60_000 }
const sure = '?i-am-sure=true'
const show = (...rows: readonly Row[]): ExpectedStatement => ({
  statement: 'SHOW ALL SLAVES STATUS',
  answer: rows,
})
const once = (it: ExpectedStatement): ExpectedStatement => ({ ...it, times: 1 })
const start = once({ statement: "START SLAVE ''" })
const stop = once({ statement: "STOP SLAVE ''" })
const connecting = { ...mariadbReplica, Slave_IO_Running: 'Connecting', Seconds_Behind_Master: null }
const noPrimary = { ...connecting, Last_IO_Errno: '2003', Last_IO_Error: 'error connecting to master' }
const forgotten = { ...mariadbOffline, Master_Log_File: '', Relay_Master_Log_File: '' }
const west = (row: Row): Row => ({ ...row, Connection_name: 'west' })

/** The API of a replicator whose database answers as told and whose clock runs as fast as it is asked. */
async function replicatorWith(...expected: readonly ExpectedStatement[]) {
  const fake = fakeDatabase({ expect: expected })
  const replication = createReplication({ type: 'mariadb', dial: fake.dial, limits, place: '127.0.0.1:3306' })
  let clock = 0
  const wait = async (milliseconds: number) => {
    clock += milliseconds
    // Lets other calls come in between.
    await new Promise((resolve) => setImmediate(resolve))
  }
  const timing = { effect: 6000, settle: 1000, poll: 100, now: () => clock, wait }
  const marks = openOfflineMarks(undefined, { error: () => undefined })
  const now = () => new Date('2026-01-02T03:04:05Z')
  const { served, metrics } = replicatorApi(createReplicator({ replication, database, timing, marks, now }))
  const api = await testApi({ served, context: metrics ? { componentMetrics: metrics } : {} })
  const headers = { authorization: adminLogin }
  return {
    ...api,
    fake,
    clock: () => clock,
    get: (path: string) => api.call({ url: `/api/v2/replicator/${path}`, headers }),
    post: (path: string, query = sure) =>
      api.call({ method: 'POST', url: `/api/v2/replicator/${path}${query}`, headers }),
  }
}

const problem = (answer: { statusCode: number; json(): { payload: { code: string; detail: string } } }) => {
  const { code, detail } = answer.json().payload
  return [answer.statusCode, code, detail]
}

describe('reading', () => {
  it('shows a replica', async () => {
    const { get } = await replicatorWith(show(mariadbReplica))
    expect((await get('status')).json()).toEqual({
      payloadType: 'ReplicatorStatusPayload',
      payloadVersion: '1',
      payload: {
        alpha: {
          role: 'replica',
          state: 'ONLINE',
          receiver: 'running',
          applier: 'running',
          positioning: 'gtid',
          appliedLastEventId: 'bin.000002:1207',
          appliedLastSeqno: 35,
          appliedLatency: 3,
          relativeLatency: null,
          currentEventId: 'bin.000002:1307',
          pendingError: null,
          pendingErrorCode: null,
          pendingExceptionMessage: null,
          dataServerHost: '127.0.0.1',
          takenOffline: null,
          masterConnectUri: 'mysql://10.0.0.11:3306',
        },
      },
    })
    expect((await get('services')).json().payload).toEqual([
      {
        serviceName: 'alpha',
        serviceType: 'local',
        role: 'replica',
        state: 'ONLINE',
        started: true,
        appliedLastSeqno: 35,
        appliedLatency: 3,
        relativeLatency: null,
        masterConnectUri: 'mysql://10.0.0.11:3306',
      },
    ])
  })

  it('shows what broke', async () => {
    const { get } = await replicatorWith(show(mariadbBroken))
    expect((await get('status')).json().payload.alpha).toMatchObject({
      state: 'OFFLINE:ERROR',
      receiver: 'running',
      applier: 'stopped',
      appliedLatency: null,
      pendingError: 'The applier stopped with an error.',
      pendingErrorCode: 1062,
      pendingExceptionMessage: "Error 'Duplicate entry '100' for key 'PRIMARY'' on query.",
    })
  })

  it('shows a primary, and a server without a binary log', async () => {
    const log = [{ File: 'bin.000001', Position: '4711' }]
    const { get } = await replicatorWith(
      show(),
      { statement: 'SHOW MASTER STATUS', answer: log },
      { statement: 'SELECT @@GLOBAL.gtid_binlog_pos AS gtids', answer: [{ gtids: '0-1-36' }] },
    )
    expect((await get('service/alpha/status')).json().payload).toMatchObject({
      alpha: {
        role: 'primary',
        state: 'ONLINE',
        appliedLastEventId: 'bin.000001:4711',
        appliedLastSeqno: 36,
        masterConnectUri: null,
      },
    })
    const silent = await replicatorWith(show(), { statement: 'SHOW MASTER STATUS' })
    expect((await silent.get('status')).json().payload).toEqual({})
    expect((await silent.get('services')).json().payload).toEqual([])
  })

  it('names channels after themselves, and the unnamed one after the data service', async () => {
    const named = { ...mariadbOffline, Connection_name: 'ALPHA' }
    const { get } = await replicatorWith(show(mariadbReplica, named))
    expect(Object.keys((await get('status')).json().payload)).toEqual(['alpha-default', 'ALPHA'])
    const one = (await get('service/ALPHA/status')).json().payload
    expect(one).toMatchObject({ ALPHA: { state: 'OFFLINE:NORMAL' } })
    expect(Object.keys(one)).toEqual(['ALPHA'])
    expect(problem(await get('service/alpha/status')).slice(0, 2)).toEqual([404, 'not-found'])
  })

  it.each([
    ['refused', 502, 'database-refused'],
    ['unreachable', 502, 'database-unreachable'],
    ['timeout', 504, 'database-timeout'],
  ] as const)('tells of a database that %s', async (code, status, name) => {
    const error = new DatabaseError({ code, message: 'In its own words.' })
    const { get, post } = await replicatorWith({ statement: 'SHOW ALL SLAVES STATUS', answer: error })
    for (const answer of [await get('services'), await get('status'), await post('online')]) {
      expect(problem(answer)).toEqual([status, name, 'In its own words.'])
    }
  })
})

describe('who took a service offline', () => {
  const taken = { by: 'admin', since: '2026-01-02T03:04:05.000Z' }

  it('is told until online', async () => {
    const { post, get } = await replicatorWith(
      once(show(mariadbReplica)),
      stop,
      { ...show(mariadbOffline), times: 4 },
      start,
      show(mariadbReplica),
    )
    expect((await post('offline')).json().payload.alpha).toMatchObject({ takenOffline: taken })
    expect((await get('status')).json().payload.alpha).toMatchObject({ takenOffline: taken })
    expect((await post('offline')).json().payload.alpha).toMatchObject({
      changed: false,
      takenOffline: taken,
    })
    expect((await post('online')).json().payload.alpha).toMatchObject({ takenOffline: null })
  })

  it('is not told of one that was stopped by SQL, nor after a start by SQL', async () => {
    const { post, get } = await replicatorWith(
      once(show(mariadbOffline)),
      once(show(mariadbReplica)),
      stop,
      once(show(mariadbOffline)),
      once(show(mariadbReplica)),
      show(mariadbOffline),
    )
    const read = async () => (await get('status')).json().payload.alpha.takenOffline
    expect(await read()).toBeNull()
    await post('offline')
    expect(await read(), 'it runs').toBeNull()
    expect(await read(), 'it was stopped again').toBeNull()
  })
})

describe('online', () => {
  it('starts what is offline, and answers when it has run for a moment', async () => {
    const api = await replicatorWith(
      once(show(mariadbOffline)),
      start,
      once(show(connecting)),
      show(mariadbReplica),
    )
    const answer = await api.post('online')
    expect(answer.json().payload.alpha).toMatchObject({ state: 'ONLINE', changed: true })
    expect(api.fake.unmet()).toEqual([])
    expect(api.clock()).toBe(1100)
    expect(api.auditEntries()).toMatchObject([
      {
        call: 'replicatorOnline',
        status: 200,
        changed: true,
        before: { alpha: 'OFFLINE:NORMAL' },
        after: { alpha: 'ONLINE' },
      },
    ])
  })

  it('leaves what is online alone', async () => {
    const { post, fake, clock } = await replicatorWith(show(mariadbReplica))
    for (const path of ['online', 'service/alpha/online']) {
      expect((await post(path)).json().payload.alpha).toMatchObject({ state: 'ONLINE', changed: false })
    }
    expect([fake.statements.length, clock()]).toEqual([2, 0])
  })

  it('does not call it online when it breaks a moment later', async () => {
    const api = await replicatorWith(
      once(show(mariadbOffline)),
      start,
      { ...show(mariadbReplica), times: 3 },
      show(mariadbBroken),
    )
    expect(problem(await api.post('service/alpha/online'))).toEqual([
      409,
      'replication-broken',
      'alpha does not replicate: The applier stopped with an error. ERROR 1062: Error ' +
        "'Duplicate entry '100' for key 'PRIMARY'' on query. Repair what it names, then repeat the call.",
    ])
    expect(api.auditEntries()).toMatchObject([
      {
        call: 'replicatorServiceOnline',
        parameters: { service: 'alpha' },
        status: 409,
        code: 'replication-broken',
        changed: true,
        before: { alpha: 'OFFLINE:NORMAL' },
        after: { alpha: 'OFFLINE:ERROR' },
      },
    ])
  })

  it('waits for a primary that cannot be reached, and tells its error in the end', async () => {
    const { post, clock, fake } = await replicatorWith(show(noPrimary))
    const [status, code, detail] = problem(await post('online'))
    expect([status, code]).toEqual([409, 'replication-broken'])
    expect(detail).toMatch(/cannot connect to the primary, and tries again\. ERROR 2003: error connecting/)
    expect(clock()).toBe(6000)
    expect(fake.statements.every((it) => it.startsWith('SHOW'))).toBe(true)
  })

  it('counts from the start again when it was online only in between', async () => {
    const { post, clock } = await replicatorWith(
      once(show(connecting)),
      { ...show(mariadbReplica), times: 5 },
      once(show(connecting)),
      show(mariadbReplica),
    )
    expect((await post('online')).json().payload.alpha).toMatchObject({ state: 'ONLINE', changed: false })
    expect(clock()).toBe(1600)
  })

  it('says when its time is up and there is no error', async () => {
    const { post } = await replicatorWith(show(connecting))
    expect(problem(await post('online'))).toEqual([
      504,
      'database-timeout',
      'Not every service was ONLINE within 6 s: alpha is GOING-ONLINE:SYNCHRONIZING. The database may still get ' +
        'there; replicator/status shows it.',
    ])
  })

  it('starts a half-stopped replication, and a broken one anew', async () => {
    for (const row of [{ ...mariadbReplica, Slave_SQL_Running: 'No' }, mariadbBroken]) {
      const { post, fake } = await replicatorWith(once(show(row)), start, show(mariadbReplica))
      expect((await post('online')).json().payload.alpha).toMatchObject({ state: 'ONLINE', changed: true })
      expect(fake.unmet()).toEqual([])
    }
  })

  it('takes all services or one', async () => {
    const startWest = once({ statement: "START SLAVE 'west'" })
    const both = show(mariadbReplica, west(mariadbReplica))
    const whole = await replicatorWith(
      once(show(mariadbOffline, west(mariadbOffline))),
      start,
      startWest,
      both,
    )
    expect((await whole.post('online')).json().payload).toMatchObject({
      alpha: { changed: true },
      west: { changed: true },
    })
    const one = await replicatorWith(
      once(show(mariadbOffline, west(mariadbOffline))),
      startWest,
      show(mariadbOffline, west(mariadbReplica)),
    )
    const { payload } = (await one.post('service/west/online')).json()
    expect(Object.keys(payload)).toEqual(['west'])
    expect(payload.west).toMatchObject({ state: 'ONLINE', changed: true })
  })

  it('says what it had changed when a later service fails', async () => {
    const refused = new DatabaseError({ code: 'refused', message: 'No.' })
    const { post } = await replicatorWith(
      show(mariadbOffline, west(mariadbOffline)),
      start,
      once({ statement: "START SLAVE 'west'", answer: refused }),
    )
    expect(problem(await post('online'))).toEqual([
      502,
      'database-refused',
      'No. Changed before that: alpha.',
    ])
  })
})

describe('offline', () => {
  it('stops what runs, and leaves what is stopped alone', async () => {
    const api = await replicatorWith(once(show(mariadbReplica)), stop, show(mariadbOffline))
    const first = (await api.post('offline')).json().payload.alpha
    expect(first).toMatchObject({ state: 'OFFLINE:NORMAL', changed: true })
    expect(api.clock()).toBe(0)
    const second = (await api.post('service/alpha/offline')).json().payload.alpha
    expect(second).toMatchObject({ state: 'OFFLINE:NORMAL', changed: false })
    expect(api.fake.unmet()).toEqual([])
    expect(api.auditEntries()).toMatchObject([{ changed: true }, { changed: false }])
  })

  it('stops what still runs of a broken replication, whose error stays', async () => {
    const stopped = { ...mariadbBroken, Slave_IO_Running: 'No' }
    const { post } = await replicatorWith(once(show(mariadbBroken)), stop, show(stopped))
    const expected = { state: 'OFFLINE:ERROR', receiver: 'stopped', pendingErrorCode: 1062 }
    expect((await post('offline')).json().payload.alpha).toMatchObject({ ...expected, changed: true })
    expect((await post('offline')).json().payload.alpha).toMatchObject({ ...expected, changed: false })
  })

  it('waits until the threads are gone', async () => {
    const { post, clock } = await replicatorWith(
      { ...show(mariadbReplica), times: 3 },
      stop,
      show(mariadbOffline),
    )
    expect((await post('offline')).json().payload.alpha).toMatchObject({ state: 'OFFLINE:NORMAL' })
    expect(clock()).toBe(200)
  })
})

describe('reset', () => {
  it('forgets, once', async () => {
    const reset = once({ statement: "RESET SLAVE ''" })
    const { post, fake } = await replicatorWith(once(show(mariadbOffline)), reset, show(forgotten))
    const expected = { state: 'OFFLINE:NORMAL', currentEventId: null, appliedLastSeqno: 35 }
    expect((await post('reset')).json().payload.alpha).toMatchObject({ ...expected, changed: true })
    expect((await post('reset')).json().payload.alpha).toMatchObject({ ...expected, changed: false })
    expect(fake.unmet()).toEqual([])
  })

  it('clears an error', async () => {
    const stopped = { ...forgotten, Last_SQL_Errno: '1062', Last_SQL_Error: 'Duplicate entry' }
    const reset = once({ statement: "RESET SLAVE ''" })
    const { post } = await replicatorWith(once(show(stopped)), reset, show(forgotten))
    expect((await post('reset')).json().payload.alpha).toMatchObject({
      state: 'OFFLINE:NORMAL',
      pendingError: null,
      changed: true,
    })
  })

  it.each([
    ['ONLINE', mariadbReplica],
    ['OFFLINE:ERROR', mariadbBroken],
    ['GOING-ONLINE:SYNCHRONIZING', connecting],
  ])('is refused while %s', async (state, row) => {
    const { post, fake } = await replicatorWith(show(row, west(mariadbOffline)))
    expect(problem(await post('reset'))).toEqual([
      409,
      'wrong-state',
      `A reset needs services that are offline, and alpha (${state}) has a thread that runs. Take it offline first.`,
    ])
    expect(fake.statements).toEqual(['SHOW ALL SLAVES STATUS'])
  })
})

describe('a change with dry=yes', () => {
  const dry = `${sure}&dry=yes`

  it.each([
    ['online', mariadbOffline, true],
    ['online', mariadbReplica, false],
    ['offline', mariadbReplica, true],
    ['offline', mariadbOffline, false],
    ['reset', mariadbOffline, true],
    ['reset', forgotten, false],
  ] as const)(
    'sends no statement for %s, and says what it would change (%#)',
    async (operation, row, changed) => {
      const { post, auditEntries } = await replicatorWith(show(row))
      const answer = await post(operation, dry)
      expect([answer.statusCode, answer.json().payload.alpha.changed]).toEqual([200, changed])
      expect(answer.json().payload.alpha.takenOffline).toBeNull()
      expect(auditEntries()).toMatchObject([{ parameters: { dry: 'yes' }, changed: false }])
    },
  )

  it('is refused as it would be', async () => {
    const running = await (await replicatorWith(show(mariadbReplica))).post('reset', dry)
    expect([running.statusCode, running.json().payload.code]).toEqual([409, 'wrong-state'])
    const primary = await (await replicatorWith(show())).post('offline', dry)
    expect([primary.statusCode, primary.json().payload.code]).toEqual([409, 'not-configured'])
  })
})

describe('every change', () => {
  const changes = ['online', 'offline', 'reset'] as const
  const paths = changes.flatMap((it) => [it, `service/alpha/${it}`])

  it.each(paths)('%s asks the database for nothing without the guard', async (path) => {
    const { post, fake } = await replicatorWith()
    for (const query of ['', '?i-am-sure=false', `${sure}&i-am-sure=true`]) {
      expect(problem(await post(path, query)).slice(0, 2)).toEqual([400, 'not-confirmed'])
    }
    expect([fake.statements, fake.dials()]).toEqual([[], 0])
  })

  it.each(paths)('%s is refused where no replication is set up', async (path) => {
    const { post } = await replicatorWith(show())
    expect(problem(await post(path)).slice(0, 2)).toEqual([409, 'not-configured'])
  })

  it.each(changes)('%s does not know other services', async (change) => {
    const { post } = await replicatorWith(show(mariadbReplica))
    expect(problem(await post(`service/nobody/${change}`)).slice(0, 2)).toEqual([404, 'not-found'])
  })

  it.each([
    [1200, 'not-configured', 409, 'not-configured'],
    [1198, 'running', 409, 'wrong-state'],
    [1617, 'no-channel', 409, 'wrong-state'],
  ] as const)('tells what the server says with ERROR %i', async (number, code, status, name) => {
    const answer = new DatabaseError({ code, number, message: 'In its own words.' })
    const { post } = await replicatorWith(show(mariadbReplica), { statement: "STOP SLAVE ''", answer })
    expect(problem(await post('offline'))).toEqual([status, name, 'In its own words.'])
  })

  it('lets one run at a time, and shows it', async () => {
    let finish: () => void = () => undefined
    let begun: () => void = () => undefined
    const isBegun = new Promise<void>((resolve) => {
      begun = resolve
    })
    let row = mariadbReplica
    const { post, get } = await replicatorWith(
      { statement: 'SHOW ALL SLAVES STATUS', answer: async () => [row] },
      once({
        statement: "STOP SLAVE ''",
        answer: () => {
          begun()
          return new Promise((resolve) => {
            finish = () => {
              row = mariadbOffline
              resolve([])
            }
          })
        },
      }),
    )
    const first = post('offline')
    await isBegun
    expect((await get('status')).json().payload.alpha.state).toBe('GOING-OFFLINE')
    for (const change of changes) {
      expect(problem(await post(change))).toEqual([
        409,
        'operation-running',
        'The operation offline is under way. Try again when it has ended; replicator/status shows it.',
      ])
    }
    finish()
    expect((await first).json().payload.alpha).toMatchObject({ state: 'OFFLINE:NORMAL', changed: true })
    expect((await post('offline')).json().payload.alpha.changed).toBe(false)
  })

  it('lets the next one run after a failure', async () => {
    const { post } = await replicatorWith(
      once(show()),
      once({
        statement: 'SHOW ALL SLAVES STATUS',
        answer: new DatabaseError({ code: 'timeout', message: 'x' }),
      }),
      show(mariadbReplica),
    )
    expect((await post('online')).statusCode).toBe(409)
    expect((await post('online')).statusCode).toBe(504)
    expect((await post('online')).statusCode).toBe(200)
  })
})

describe('without a database', () => {
  it('lists no services, and says so for everything else', async () => {
    const { call } = await testApi({ served: replicator.served })
    const headers = { authorization: adminLogin }
    for (const { method, path, guard, name } of Object.values(replicatorRoutes)) {
      const url = `${path.replace('{service}', 'alpha')}${guard ? sure : ''}`
      const answer = await call({ method, url, headers })
      if (name === 'replicatorServices') expect([answer.statusCode, answer.json().payload]).toEqual([200, []])
      else expect(problem(answer).slice(0, 2)).toEqual([409, 'no-database'])
    }
    expect((await call({ url: '/health/ready', headers })).statusCode).toBe(200)
  })
})

describe('the answers', () => {
  it('are what the route table promises', async () => {
    const { get, post } = await replicatorWith(show(forgotten, west(mariadbBroken)))
    const answers = {
      replicatorServices: await get('services'),
      replicatorStatus: await get('status'),
      replicatorServiceStatus: await get('service/west/status'),
      replicatorServiceOffline: await post('service/alpha/offline'),
      replicatorServiceReset: await post('service/alpha/reset'),
    }
    for (const [name, answer] of Object.entries(answers)) {
      const { response } = replicatorRoutes[name as keyof typeof answers]
      const schema = responseSchema(response.payloadType, response.payload)
      expect([name, answer.statusCode, ...Value.Errors(schema, answer.json())]).toEqual([name, 200])
    }
  })
})

describe('readiness', () => {
  const headers = { authorization: adminLogin }

  it('holds while the database answers', async () => {
    const { call } = await replicatorWith(show())
    const answer = await call({ url: '/health/ready', headers })
    expect([answer.statusCode, answer.body]).toEqual([200, 'ready\n'])
  })

  it('ends when it does not, and only a login is told why; live asks nobody', async () => {
    const error = new DatabaseError({ code: 'timeout', message: 'The database did not answer.' })
    const { call, fake } = await replicatorWith({ statement: 'SHOW ALL SLAVES STATUS', answer: error })
    expect((await call({ url: '/health/live', headers })).statusCode).toBe(200)
    expect(fake.dials()).toBe(0)
    const told = await call({ url: '/health/ready', headers })
    expect([told.statusCode, told.body]).toEqual([503, 'unready\nThe database did not answer.\n'])
    const anonymous = await call({ url: '/health/ready' })
    expect([anonymous.statusCode, anonymous.body]).toEqual([503, 'unready\n'])
  })
})

describe('measurements', () => {
  const headers = { authorization: adminLogin }
  const own = (body: string) => body.split('\n').filter((line) => line.startsWith('muster_replicator_'))

  it('look at the database when they are asked for', async () => {
    const { call } = await replicatorWith(show(mariadbReplica, west(mariadbBroken)))
    expect(own((await call({ url: '/metrics', headers })).body)).toEqual([
      'muster_replicator_database_up 1',
      'muster_replicator_state{service="alpha",state="ONLINE"} 1',
      'muster_replicator_state{service="alpha",state="GOING-OFFLINE"} 0',
      'muster_replicator_state{service="alpha",state="OFFLINE:NORMAL"} 0',
      'muster_replicator_state{service="alpha",state="GOING-ONLINE:SYNCHRONIZING"} 0',
      'muster_replicator_state{service="alpha",state="OFFLINE:ERROR"} 0',
      'muster_replicator_state{service="west",state="ONLINE"} 0',
      'muster_replicator_state{service="west",state="GOING-OFFLINE"} 0',
      'muster_replicator_state{service="west",state="OFFLINE:NORMAL"} 0',
      'muster_replicator_state{service="west",state="GOING-ONLINE:SYNCHRONIZING"} 0',
      'muster_replicator_state{service="west",state="OFFLINE:ERROR"} 1',
      'muster_replicator_applied_latency_seconds{service="alpha"} 3',
    ])
  })

  it('say that the database does not answer', async () => {
    const error = new DatabaseError({ code: 'unreachable', message: 'x' })
    const down = { statement: 'SHOW ALL SLAVES STATUS', answer: error }
    const { call } = await replicatorWith(once(show(mariadbReplica)), down)
    expect(own((await call({ url: '/metrics', headers })).body)).toHaveLength(7)
    expect(own((await call({ url: '/metrics', headers })).body)).toEqual(['muster_replicator_database_up 0'])
  })
})
