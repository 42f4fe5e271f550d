import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { connect } from '../../../src/components/databases/connect.ts'
import { createReplication } from '../../../src/components/databases/replication.ts'
import { createReplicator } from '../../../src/components/replicator/createReplicator.ts'
import { openOfflineMarks } from '../../../src/components/replicator/offlineMarks.ts'
import { openReplicator } from '../../../src/components/replicator/replicator.ts'
import type { ServiceStatus } from '../../../src/contracts/replicatorPayloads.ts'
import type { DatabaseSettings } from '../../../src/contracts/serverSettings.ts'
import { Secret } from '../../../src/secrets/secret.ts'
import { eventually } from '../../support/eventually.ts'
import { fetchAt } from '../../support/https.ts'
import { createAccount, hasMariadb, type Mariadb, makeReplica } from '../../support/mariadb.ts'
import { type MariadbPair, makeAgree, mariadbPair } from '../../support/mariadbPair.ts'
import { serverProgram } from '../../support/serverProgram.ts'
import { temporaryFolder } from '../../support/temporaryFolder.ts'
import { adminLogin, testApi } from '../../support/testApi.ts'
import { settingsIn } from '../../support/testServer.ts'

const password = 'replication-secret'
const sure = '?i-am-sure=true'

describe.skipIf(!hasMariadb)('the replicator of a real MariaDB', () => {
  let pair: MariadbPair
  let primary: Mariadb
  let replica: Mariadb

  beforeAll(async () => {
    pair = await mariadbPair((server) => createAccount(server, password))
    ;({ primary, replica } = pair)
  })
  afterAll(() => pair?.end())

  // Two servers that agree, whatever the test before left behind.
  beforeEach(() => makeAgree(pair, 'CREATE OR REPLACE TABLE t.slow (a INT) ENGINE = MyISAM'))

  const databaseOf = (server: Mariadb): DatabaseSettings => ({
    type: 'mariadb',
    host: '127.0.0.1',
    port: server.port,
    user: 'muster',
    service: 'alpha',
  })

  function writeSecrets(value: string, file = join(temporaryFolder(), 'secrets.json')): string {
    writeFileSync(file, JSON.stringify({ 'replication-password': value }), { mode: 0o600 })
    return file
  }

  const log = { error: () => undefined }

  async function replicatorOf(
    server: Mariadb,
    more: Partial<DatabaseSettings> = {},
    stateFile = join(temporaryFolder(), 'replicator.json'),
  ) {
    const secretsFile = writeSecrets(password)
    const opened = openReplicator(
      { database: { ...databaseOf(server), ...more }, secretsFile, stateFile },
      log,
    )
    onTestFinished(() => opened.close())
    const { served, metrics } = opened.api
    const context = { component: 'replicator', ...(metrics ? { componentMetrics: metrics } : {}) } as const
    const api = await testApi({ served, context })
    const headers = { authorization: adminLogin }
    const get = (path: string) => api.call({ url: `/api/v2/replicator/${path}`, headers })
    return {
      ...api,
      secretsFile,
      get,
      post: (path: string, query = sure) =>
        api.call({ method: 'POST', url: `/api/v2/replicator/${path}${query}`, headers }),
      alpha: async (): Promise<ServiceStatus> => (await get('status')).json().payload.alpha,
      ready: () => api.call({ url: '/health/ready', headers }),
    }
  }

  type Answer = { readonly statusCode: number; json(): { payload: Record<string, unknown> } }
  const alphaOf = (answer: Answer) => answer.json().payload.alpha
  const problemOf = (answer: Answer) => [answer.statusCode, answer.json().payload.code]

  /** What the server itself says of its threads. */
  async function threads(): Promise<string> {
    const [row] = await replica.sql('SHOW ALL SLAVES STATUS')
    return `${row?.Slave_IO_Running} ${row?.Slave_SQL_Running}`
  }

  it('puts the real thing offline and online, and changes nothing the second time', async () => {
    const { post } = await replicatorOf(replica)
    for (const path of ['', 'service/alpha/']) {
      const first = await post(`${path}online`)
      expect(alphaOf(first)).toMatchObject({ state: 'ONLINE', role: 'replica', changed: true })
      expect(await threads()).toBe('Yes Yes')
      expect(alphaOf(await post(`${path}online`))).toMatchObject({ state: 'ONLINE', changed: false })
      expect(alphaOf(await post(`${path}offline`))).toMatchObject({ state: 'OFFLINE:NORMAL', changed: true })
      expect(await threads()).toBe('No No')
      expect(alphaOf(await post(`${path}offline`))).toMatchObject({ state: 'OFFLINE:NORMAL', changed: false })
    }
  })

  it('changes nothing without the guard', async () => {
    const { post } = await replicatorOf(replica)
    expect(problemOf(await post('online', ''))).toEqual([400, 'not-confirmed'])
    expect(await threads()).toBe('No No')
    await post('online')
    expect(problemOf(await post('offline', ''))).toEqual([400, 'not-confirmed'])
    expect(problemOf(await post('offline', '?i-am-sure=yes'))).toEqual([400, 'not-confirmed'])
    expect(await threads()).toBe('Yes Yes')
  })

  it('resets while offline alone, and goes on afterwards with nothing lost', async () => {
    const { post, alpha } = await replicatorOf(replica)
    await post('online')
    await primary.sql('INSERT INTO t.x VALUES (1)')
    await eventually(async () => expect(await replica.sql('SELECT a FROM t.x')).toEqual([{ a: 1 }]))
    expect(problemOf(await post('reset'))).toEqual([409, 'wrong-state'])
    await post('offline')
    await primary.sql('INSERT INTO t.x VALUES (2)')
    const { currentEventId } = await alpha()
    expect(currentEventId).toMatch(/^bin\.\d+:\d+$/)
    expect(alphaOf(await post('reset'))).toMatchObject({ currentEventId: null, changed: true })
    const [row] = await replica.sql('SHOW ALL SLAVES STATUS')
    expect(row).toMatchObject({ Master_Log_File: '', Slave_IO_Running: 'No' })
    expect(alphaOf(await post('reset'))).toMatchObject({ currentEventId: null, changed: false })
    await post('online')
    await eventually(async () => expect(await replica.sql('SELECT a FROM t.x')).toHaveLength(2))
  })

  it('shows how far behind it is', async () => {
    const { post, alpha, call } = await replicatorOf(replica)
    await replica.sql('CHANGE MASTER TO MASTER_DELAY = 3600')
    await post('online')
    await primary.sql('INSERT INTO t.x VALUES (1)')
    await eventually(async () => expect((await alpha()).appliedLatency).toBeGreaterThanOrEqual(1))
    const behind = await alpha()
    const metrics = await call({ url: '/metrics', headers: { authorization: adminLogin } })
    expect(metrics.body).toMatch(/^muster_replicator_applied_latency_seconds\{service="alpha"\} [1-9]/m)
    expect(behind).toMatchObject({ state: 'ONLINE', relativeLatency: null, positioning: 'gtid' })
    await post('offline')
    expect((await alpha()).appliedLatency).toBeNull()
    await replica.sql('CHANGE MASTER TO MASTER_DELAY = 0')
    await post('online')
    const [at] = await primary.sql('SELECT @@gtid_binlog_pos AS gtid')
    const sequence = Number(String(at?.gtid).split('-')[2])
    await eventually(async () =>
      expect(await alpha()).toMatchObject({ appliedLatency: 0, appliedLastSeqno: sequence }),
    )
    expect(behind.appliedLastSeqno).toBeLessThan(sequence)
  })

  it('shows a broken replication, and no online hides it', async () => {
    const { post, alpha } = await replicatorOf(replica)
    await post('online')
    await replica.sql('SET sql_log_bin = 0', 'INSERT INTO t.x VALUES (7)')
    await primary.sql('INSERT INTO t.x VALUES (7)')
    await eventually(async () => expect((await alpha()).state).toBe('OFFLINE:ERROR'))
    expect(await alpha()).toMatchObject({
      receiver: 'running',
      applier: 'stopped',
      pendingError: 'The applier stopped with an error.',
      pendingErrorCode: 1062,
      pendingExceptionMessage: expect.stringContaining("Duplicate entry '7'"),
    })
    const again = await post('online')
    expect(problemOf(again)).toEqual([409, 'replication-broken'])
    expect(again.json().payload.detail).toMatch(
      /^alpha does not replicate: The applier .* ERROR 1062: .*entry '7'/,
    )
    expect(problemOf(await post('reset'))).toEqual([409, 'wrong-state'])
    const stopped = { state: 'OFFLINE:ERROR', receiver: 'stopped', pendingErrorCode: 1062 }
    expect(alphaOf(await post('offline'))).toMatchObject({ ...stopped, changed: true })
    expect(alphaOf(await post('offline'))).toMatchObject({ ...stopped, changed: false })
    expect(problemOf(await post('online'))).toEqual([409, 'replication-broken'])
    await replica.sql('SET sql_log_bin = 0', 'DELETE FROM t.x')
    expect(alphaOf(await post('online'))).toMatchObject({
      state: 'ONLINE',
      pendingError: null,
      changed: true,
    })
    await eventually(async () => expect(await replica.sql('SELECT a FROM t.x')).toEqual([{ a: 7 }]))
  })

  it('never calls online what breaks on what waits for it', async () => {
    const { post } = await replicatorOf(replica)
    await replica.sql('SET sql_log_bin = 0', 'INSERT INTO t.x VALUES (7)')
    await primary.sql('INSERT INTO t.x VALUES (7)')
    expect(problemOf(await post('online'))).toEqual([409, 'replication-broken'])
    expect(await threads()).toBe('Yes No')
  })

  it('tells of a primary that is gone, and comes back with it', async () => {
    const { post, alpha } = await replicatorOf(replica)
    await post('online')
    await primary.kill()
    await eventually(async () => expect((await alpha()).state).toBe('OFFLINE:ERROR'))
    expect(await alpha()).toMatchObject({ receiver: 'connecting', applier: 'running' })
    expect(problemOf(await post('online'))).toEqual([409, 'replication-broken'])
    await primary.start()
    await eventually(async () => expect((await alpha()).state).toBe('ONLINE'))
  })

  it('answers in time while the database hangs, and goes on when it wakes up', async () => {
    const { get, post, ready, call } = await replicatorOf(replica)
    await post('online')
    replica.freeze()
    onTestFinished(() => replica.thaw())
    const begin = performance.now()
    const answers = await Promise.all([get('status'), get('services'), post('offline'), ready()])
    expect(performance.now() - begin).toBeLessThan(25_000)
    expect(answers.slice(0, 3).map(problemOf)).toEqual(
      answers.slice(0, 3).map(() => [504, 'database-timeout']),
    )
    expect(answers[3]?.statusCode).toBe(503)
    expect(answers[3]?.body).toMatch(/^unready\nThe database 127\.0\.0\.1:\d+ did not .* in time\.\n$/)
    expect((await call({ url: '/health/live' })).statusCode).toBe(200)
    replica.thaw()
    expect((await get('status')).statusCode).toBe(200)
    expect((await ready()).statusCode).toBe(200)
    expect(alphaOf(await post('offline'))).toMatchObject({ state: 'OFFLINE:NORMAL' })
  })

  it('tells of a database that is down, and goes on when it is up', async () => {
    const { get, post, ready } = await replicatorOf(replica)
    expect((await ready()).statusCode).toBe(200)
    await replica.kill()
    expect(problemOf(await get('status'))).toEqual([502, 'database-unreachable'])
    expect(problemOf(await post('offline'))).toEqual([502, 'database-unreachable'])
    expect((await ready()).statusCode).toBe(503)
    await replica.start()
    expect((await get('status')).statusCode).toBe(200)
  })

  it('stays offline over a restart of the database where that is told not to start replication', async () => {
    const { post, alpha } = await replicatorOf(replica)
    await post('online')
    await post('offline')
    await replica.kill()
    await replica.start('--skip-slave-start')
    expect((await alpha()).state).toBe('OFFLINE:NORMAL')
    await replica.kill()
    await replica.start()
    await eventually(async () => expect((await alpha()).state).toBe('ONLINE'))
  })

  it('tells who took it offline over restarts of both, until it is started by SQL', async () => {
    const stateFile = join(temporaryFolder(), 'replicator.json')
    const first = await replicatorOf(replica, {}, stateFile)
    await first.post('online')
    expect((await first.alpha()).takenOffline).toBeNull()
    await first.post('offline')
    const { takenOffline } = await first.alpha()
    expect(takenOffline).toMatchObject({ by: 'admin' })
    await replica.kill()
    await replica.start('--skip-slave-start')
    const second = await replicatorOf(replica, {}, stateFile)
    expect(await second.alpha()).toMatchObject({ state: 'OFFLINE:NORMAL', takenOffline })
    await replica.sql('START SLAVE')
    await eventually(async () =>
      expect(await second.alpha()).toMatchObject({ state: 'ONLINE', takenOffline: null }),
    )
    await replica.sql('STOP SLAVE')
    expect(await second.alpha()).toMatchObject({ state: 'OFFLINE:NORMAL', takenOffline: null })
    await second.post('online')
  })

  it('takes a new password without a restart, and never tells one', async () => {
    const { get, secretsFile, lines } = await replicatorOf(replica)
    writeSecrets('wrong-secret', secretsFile)
    const refused = await get('status')
    expect(problemOf(refused)).toEqual([502, 'database-refused'])
    expect(refused.json().payload.detail).toMatch(/ERROR 1045: Access denied .* replication-password\.$/)
    writeFileSync(secretsFile, 'wrong-secret')
    expect(problemOf(await get('status'))).toEqual([502, 'database-refused'])
    writeSecrets(password, secretsFile)
    expect((await get('status')).statusCode).toBe(200)
    const told = [...lines, refused.body].join('\n')
    expect(told).not.toMatch(/wrong-secret|replication-secret/)
  })

  it('changes nothing without the privilege', async () => {
    await replica.sql(
      'SET sql_log_bin = 0',
      `CREATE OR REPLACE USER watcher@'127.0.0.1' IDENTIFIED BY '${password}'`,
      "GRANT REPLICA MONITOR ON *.* TO watcher@'127.0.0.1'",
    )
    const { get, post } = await replicatorOf(replica, { user: 'watcher' })
    expect((await get('status')).statusCode).toBe(200)
    const refused = await post('online')
    expect(problemOf(refused)).toEqual([502, 'database-refused'])
    expect(refused.json().payload.detail).toMatch(
      /ERROR 1227: .*REPLICATION SLAVE ADMIN.* to the user 'watcher'/,
    )
    expect(await threads()).toBe('No No')
  })

  it('shows a primary, whose replication nobody can change', async () => {
    const { get, post, alpha } = await replicatorOf(primary)
    expect(await alpha()).toMatchObject({ role: 'primary', state: 'ONLINE', masterConnectUri: null })
    expect((await get('services')).json().payload).toMatchObject([{ serviceName: 'alpha', role: 'primary' }])
    for (const change of ['online', 'offline', 'reset', 'service/alpha/online']) {
      expect(problemOf(await post(change))).toEqual([409, 'not-configured'])
    }
  })

  it('changes one of several channels', async () => {
    const third = await pair.another()
    onTestFinished(() => third.kill())
    await third.sql('SET GLOBAL gtid_domain_id = 3')
    await makeReplica({ primary: third, replica, channel: 'west', byFile: true })
    const { post, get } = await replicatorOf(replica)
    const { payload } = (await post('service/west/online')).json()
    expect([Object.keys(payload), payload.west.state]).toEqual([['west'], 'ONLINE'])
    const states = (await get('services')).json().payload
    expect(states).toMatchObject([
      { serviceName: 'alpha', state: 'OFFLINE:NORMAL', started: false },
      { serviceName: 'west', state: 'ONLINE', masterConnectUri: `mysql://127.0.0.1:${third.port}` },
    ])
    expect((await post('online')).json().payload).toMatchObject({
      alpha: { state: 'ONLINE', changed: true },
      west: { state: 'ONLINE', changed: false },
    })
    expect((await post('offline')).json().payload).toMatchObject({
      alpha: { state: 'OFFLINE:NORMAL', changed: true },
      west: { state: 'OFFLINE:NORMAL', changed: true },
    })
  })

  it('lets one of two callers at once do its work, and refuses the other', async () => {
    const { post, alpha } = await replicatorOf(replica)
    // Each of them takes a second at least, in which the replication must hold.
    const answers = await Promise.all([post('online'), post('service/alpha/online')])
    expect(answers.map((it) => it.statusCode).sort()).toEqual([200, 409])
    const refused = answers.find((it) => it.statusCode === 409)
    expect(refused?.json().payload.code).toBe('operation-running')
    expect((await alpha()).state).toBe('ONLINE')
    expect((await post('online')).statusCode).toBe(200)
  })

  it('tells of an offline that the server has not ended yet, and lets nothing in between', async () => {
    const database = databaseOf(replica)
    const account = { ...database, password: new Secret(password), purpose: 'replication' } as const
    const replication = createReplication({
      type: 'mariadb',
      dial: (signal) => connect(account, signal),
      limits: { connect: 2000, query: 2000, change: 60_000 },
      place: 'replica',
    })
    onTestFinished(() => replication.close())
    const timing = { effect: 700, settle: 100, poll: 50, now: () => performance.now(), wait }
    const marks = openOfflineMarks(undefined, log)
    const replicator = createReplicator({ replication, database, timing, marks, now: () => new Date() })
    const change = (operation: 'online' | 'offline') =>
      replicator.change({ operation, service: undefined, by: 'admin', dry: false, audit: () => undefined })
    const state = async () => (await replicator.status()).alpha?.state

    await change('online')
    // A statement that cannot be rolled back is finished before the thread stops.
    await primary.sql('SET binlog_format = STATEMENT', 'INSERT INTO t.slow SELECT SLEEP(2)')
    await eventually(async () => {
      const [row] = await replica.sql('SHOW ALL SLAVES STATUS')
      expect(row?.Slave_SQL_Running_State).toBe('User sleep')
    })
    await expect(change('offline')).rejects.toMatchObject({
      code: 'timeout',
      message:
        'The database did not end the offline within 0.7 s and goes on with it. replicator/status shows how far it is.',
    })
    expect(await state()).toBe('GOING-OFFLINE')
    await expect(change('online')).rejects.toMatchObject({ code: 'operation-running' })
    await eventually(async () => expect(await state()).toBe('OFFLINE:NORMAL'))
    await eventually(async () => expect(await change('offline')).toMatchObject({ alpha: { changed: false } }))
  })

  describe('as a process of its own', () => {
    const children: ChildProcess[] = []
    afterAll(() => {
      for (const child of children) child.kill('SIGKILL')
    })

    async function serve(settings: string): Promise<ChildProcess> {
      const child = spawn(process.execPath, [serverProgram, 'serve', '--settings', settings], {
        stdio: ['ignore', 'pipe', 'inherit'],
        env: {},
      })
      children.push(child)
      await new Promise<void>((resolve, reject) => {
        createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
          if (JSON.parse(line).msg === 'serving') resolve()
        })
        child.once('exit', (code) => reject(new Error(`muster-api ended with code ${code}`)))
      })
      return child
    }

    it('has changed what it says even when it is killed right after, and stops cleanly', async () => {
      const folder = temporaryFolder()
      const database = databaseOf(replica)
      const secretsFile = writeSecrets(password)
      const settings = settingsIn(folder, { component: 'replicator', database, secretsFile, listen: null })
      writeFileSync(join(folder, 'settings.json'), JSON.stringify(settings))
      const call = async (path: string, method = 'GET') => {
        const answer = await fetchAt(
          { socketPath: settings.socket },
          { path: `/api/v2/replicator/${path}`, method, headers: { host: 'localhost' } },
        )
        return JSON.parse(answer.body).payload.alpha
      }

      let child = await serve(join(folder, 'settings.json'))
      for (const [change, state, words] of [
        ['online', 'ONLINE', 'Yes Yes'],
        ['offline', 'OFFLINE:NORMAL', 'No No'],
        ['reset', 'OFFLINE:NORMAL', 'No No'],
      ] as const) {
        expect(await call(`${change}${sure}`, 'POST')).toMatchObject({ state, changed: true })
        child.kill('SIGKILL')
        await once(child, 'exit')
        expect(await threads()).toBe(words)
        child = await serve(join(folder, 'settings.json'))
        expect(await call('status')).toMatchObject({ state })
        expect(await call(`${change}${sure}`, 'POST')).toMatchObject({ state, changed: false })
      }
      child.kill('SIGTERM')
      expect(await once(child, 'exit')).toEqual([0, null])
    })
  })
})
