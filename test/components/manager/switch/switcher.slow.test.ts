import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { createConnection } from 'mysql2/promise'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { openManager } from '../../../../src/components/manager/manager.ts'
import { replicationGrants } from '../../../../src/contracts/databaseAccounts.ts'
import type { ServiceStatusPayload, TaskPayload } from '../../../../src/contracts/managerPayloads.ts'
import { eventually } from '../../../support/eventually.ts'
import { forgetReplication, hasMariadb, type Mariadb, mariadbLab } from '../../../support/mariadb.ts'
import { createMonitor } from '../../../support/mariadbPair.ts'
import { monitorSettings } from '../../../support/monitorSettings.ts'
import { temporaryFolder } from '../../../support/temporaryFolder.ts'
import { adminLogin, testApi } from '../../../support/testApi.ts'

const names = ['db1', 'db2', 'db3'] as const
type Name = (typeof names)[number]

const switching = {
  user: 'replicator',
  maxLag: 3000,
  maxTransaction: 5000,
  drainTimeout: 1000,
  maxHold: 8000,
} as const

const timing = {
  checkInterval: { usual: 50, retry: 50, away: 200, longest: 200, quickRetries: 3 },
  limit: 2000,
  now: () => performance.now(),
  wait: (milliseconds: number, signal: AbortSignal) => wait(milliseconds, undefined, { signal }),
  random: () => Math.random(),
}

describe.skipIf(!hasMariadb)('a manager that switches real MariaDB servers', () => {
  let lab: Awaited<ReturnType<typeof mariadbLab>>
  let servers: Readonly<Record<Name, Mariadb>>

  beforeAll(async () => {
    lab = await mariadbLab()
    const [db1, db2, db3] = await Promise.all([another(), another(), another()])
    servers = { db1, db2, db3 }
  })
  afterAll(() => lab?.end())

  async function another(): Promise<Mariadb> {
    const server = await lab.server({ options: ['--log-slave-updates'] })
    await createMonitor(server, 'monitor-secret')
    await server.sql(
      'SET sql_log_bin = 0',
      ...replicationGrants({ type: 'mariadb', user: 'replicator', from: '127.0.0.1' })
        .replace('<replication-password>', 'replication-secret')
        .split('\n')
        .filter((line) => /^(CREATE|GRANT) /.test(line)),
      "CREATE USER app@'127.0.0.1' IDENTIFIED BY 'app-secret'",
      "GRANT ALL ON t.* TO app@'127.0.0.1'",
    )
    return server
  }

  beforeEach(async () => {
    for (const name of names) {
      await forgetReplication(servers[name])
      await servers[name].sql('SET GLOBAL read_only = 0', 'RESET MASTER', "SET GLOBAL gtid_slave_pos = ''")
      await servers[name].sql(
        'SET sql_log_bin = 0',
        'CREATE DATABASE IF NOT EXISTS t',
        'CREATE OR REPLACE TABLE t.x (a INT PRIMARY KEY)',
      )
    }
    for (const name of ['db2', 'db3'] as const) {
      await servers[name].sql(
        `CHANGE MASTER TO MASTER_HOST='127.0.0.1', MASTER_PORT=${servers.db1.port}, MASTER_USER='replicator',
         MASTER_PASSWORD='replication-secret', MASTER_USE_GTID=slave_pos, MASTER_CONNECT_RETRY=1`,
        'SET GLOBAL read_only = 1',
        'START ALL SLAVES',
      )
    }
  })

  const rowsOf = async (name: Name): Promise<readonly unknown[]> =>
    (await servers[name].sql('SELECT a FROM t.x ORDER BY a')).map(({ a }) => a)

  /** Keeps everybody, replication included, from writing to the table; returns the way to stop that. */
  async function lockTable(server: Mariadb): Promise<() => Promise<void>> {
    const connection = await createConnection({ host: '127.0.0.1', port: server.port, user: 'root' })
    await connection.query('LOCK TABLES t.x READ')
    return () => connection.end()
  }

  async function managed(
    more: {
      readonly folder?: string
      readonly maxHold?: number
      readonly host?: Name
      readonly crash?: () => void
    } = {},
  ) {
    const { folder = temporaryFolder(), maxHold = switching.maxHold, host = 'db1', crash } = more
    const secretsFile = join(folder, 'secrets.json')
    const secrets = { 'monitor-password': 'monitor-secret', 'replication-password': 'replication-secret' }
    writeFileSync(secretsFile, JSON.stringify(secrets))
    const datasources = names.map((name) => ({
      name,
      host: '127.0.0.1',
      port: servers[name].port,
      role: name === 'db1' ? ('primary' as const) : ('replica' as const),
    }))
    const lines: string[] = []
    const log = (facts: object, message: string): void =>
      void lines.push(
        `${message} ${JSON.stringify(facts)} ${'err' in facts ? String((facts.err as Error).stack) : ''}`,
      )
    const opened = openManager(
      {
        cluster: 'cluster',
        host,
        services: { services: [{ name: 'alpha', datasources }] },
        stateFile: join(folder, 'manager.json'),
        member: { service: 'alpha', datasource: host, witness: false },
        monitor: monitorSettings,
        switching: { ...switching, maxHold },
        secretsFile,
      },
      { log: { info: log, warn: log, error: log }, timing, crash },
    )
    onTestFinished(() => opened.close())
    const api = await testApi({ served: opened.api.served })
    const headers = { authorization: adminLogin }
    const get = async (path: string) =>
      (await api.call({ url: `/api/v2/manager/${path}`, headers })).json().payload
    const post = async (path: string, query = '') => {
      const url = `/api/v2/manager/control/service/alpha/${path}?i-am-sure=true${query}`
      const answer = await api.call({ method: 'POST', url, headers })
      return { status: answer.statusCode, payload: answer.json().payload }
    }
    const ended = (id: string): Promise<TaskPayload> =>
      eventually(async () => {
        const task: TaskPayload = await get(`task/${id}`)
        expect(task.state).not.toBe('in_progress')
        return task
      })
    const allWell = async (): Promise<void> => {
      const { datasources } = await service()
      expect(datasources.map(({ state, reason }) => `${state} ${reason}`)).toEqual(
        names.map(() => 'ONLINE null'),
      )
    }
    const service = (): Promise<ServiceStatusPayload> => get('status/service/alpha')
    return {
      folder,
      lines,
      close: () => opened.close(),
      get,
      post,
      service,
      allWell,
      ended,
      writes: (name: Name) =>
        eventually(async () => expect((await service()).writer).toMatchObject({ datasource: name })),
      switched: async (to: Name): Promise<TaskPayload> => {
        const { status, payload } = await post('switch', `&to=${to}`)
        if (status !== 200) throw new Error(JSON.stringify(payload))
        return ended(payload.taskId)
      },
    }
  }

  type Managed = Awaited<ReturnType<typeof managed>>

  const readOnly = async (...of: readonly Name[]): Promise<readonly string[]> =>
    Promise.all(
      (of.length > 0 ? of : names).map(async (name) => {
        const [row] = await servers[name].sql('SELECT @@read_only AS it')
        return `${name} ${row?.it}`
      }),
    )

  it('makes another one the primary, and everybody follows it', async () => {
    const { writes, switched, service, allWell, lines } = await managed()
    await writes('db1')
    await servers.db1.sql('INSERT INTO t.x VALUES (1)')
    const task = await switched('db2')
    expect(task, lines.join('\n')).toMatchObject({
      state: 'complete',
      step: 'verify',
      result: { oldPrimary: 'db1', newPrimary: 'db2', remarks: [] },
    })
    expect(await readOnly()).toEqual(['db1 1', 'db2 0', 'db3 1'])
    expect((await service()).writer).toMatchObject({ datasource: 'db2' })
    await servers.db2.sql('INSERT INTO t.x VALUES (2)')
    for (const name of names) {
      await eventually(async () => expect(await rowsOf(name)).toEqual([1, 2]))
    }
    await eventually(allWell)
  })

  it('goes round all three, again and again', async () => {
    const { writes, switched, allWell } = await managed()
    await writes('db1')
    const held: (number | null | undefined)[] = []
    for (const to of ['db2', 'db3', 'db1', 'db3', 'db2', 'db1'] as const) {
      await eventually(allWell)
      const task = await switched(to)
      expect(task).toMatchObject({ state: 'complete', result: { newPrimary: to, remarks: [] } })
      held.push(task.result?.heldMilliseconds)
    }
    expect(held.filter((it) => it === null)).toEqual([])
    expect(await readOnly()).toEqual(['db1 0', 'db2 1', 'db3 1'])
  })

  const roles = (name: Name, source: 0 | 1) =>
    servers[name].sql(
      `SET GLOBAL rpl_semi_sync_master_enabled = ${source}`,
      `SET GLOBAL rpl_semi_sync_slave_enabled = ${1 - source}`,
    )

  it('takes semi-synchronous replication along', async () => {
    onTestFinished(async () => {
      for (const name of names) {
        await servers[name].sql(
          'SET GLOBAL rpl_semi_sync_master_enabled = 0',
          'SET GLOBAL rpl_semi_sync_slave_enabled = 0',
        )
      }
    })
    await roles('db1', 1)
    for (const name of ['db2', 'db3'] as const) {
      await roles(name, 0)
      await servers[name].sql('STOP ALL SLAVES', 'START ALL SLAVES')
    }
    /** Replicas that acknowledge what a server commits, and whether it waits for them. */
    const acknowledged = async (name: Name): Promise<unknown> =>
      Object.fromEntries(
        (
          await servers[name].sql(
            "SHOW STATUS WHERE Variable_name IN ('Rpl_semi_sync_master_clients', 'Rpl_semi_sync_master_status', 'Rpl_semi_sync_slave_status')",
          )
        ).map(({ Variable_name, Value }) => [String(Variable_name).slice('Rpl_semi_sync_'.length), Value]),
      )
    await eventually(async () =>
      expect(await acknowledged('db1')).toMatchObject({ master_clients: '2', master_status: 'ON' }),
    )
    const { writes, switched, allWell } = await managed()
    await writes('db1')
    await eventually(allWell)
    expect(await switched('db2')).toMatchObject({ state: 'complete', result: { remarks: [] } })
    await servers.db2.sql('INSERT INTO t.x VALUES (1)')
    await eventually(async () => {
      expect(await acknowledged('db2')).toEqual({
        master_clients: '2',
        master_status: 'ON',
        slave_status: 'OFF',
      })
    })
    expect(await acknowledged('db1')).toMatchObject({ master_status: 'OFF', slave_status: 'ON' })
    await eventually(async () => expect(await rowsOf('db1')).toEqual([1]))
  })

  it('answers a caller that waits when the switch has ended', async () => {
    const { writes, post, allWell } = await managed()
    await writes('db1')
    await eventually(allWell)
    const { status, payload } = await post('switch', '&to=db2&wait=9999')
    expect([status, payload.state]).toEqual([200, 'complete'])
  })

  it('goes back where the new primary does not catch up in time, and refuses a second one meanwhile', async () => {
    const { writes, post, ended, service, allWell } = await managed({ maxHold: 1500 })
    await writes('db1')
    await servers.db1.sql('INSERT INTO t.x VALUES (1)')
    await eventually(async () => expect(await rowsOf('db2')).toEqual([1]))
    const release = await lockTable(servers.db2)
    try {
      await servers.db1.sql('INSERT INTO t.x VALUES (2)')
      const { status, payload } = await post('switch', '&to=db2')
      expect([status, payload.state]).toEqual([200, 'in_progress'])
      await eventually(async () =>
        expect((await service()).writer).toMatchObject({
          datasource: null,
          reason: 'a switch from db1 to db2 is under way',
          hold: true,
        }),
      )
      const second = await post('switch', '&to=db3')
      expect([second.status, second.payload.detail]).toEqual([
        409,
        'A switch of the service alpha from db1 to db2 is under way.',
      ])
      expect(await ended(payload.taskId)).toMatchObject({
        state: 'failed',
        step: 'catch-up',
        error: 'db2 did not apply the last changes of db1 in time. db1 is still the primary.',
      })
    } finally {
      await release()
    }
    await writes('db1')
    expect(await readOnly()).toEqual(['db1 0', 'db2 1', 'db3 1'])
    await eventually(allWell)
    await eventually(async () => expect(await rowsOf('db2')).toEqual([1, 2]))
  })

  it('lets a server follow that was away when it should have', async () => {
    const { writes, post, ended, service, allWell } = await managed()
    await writes('db1')
    await servers.db1.sql('INSERT INTO t.x VALUES (1)')
    await eventually(async () => expect(await rowsOf('db2')).toEqual([1]))
    const release = await lockTable(servers.db2)
    await servers.db1.sql('INSERT INTO t.x VALUES (2)')
    const { payload } = await post('switch', '&to=db2')
    await eventually(async () => expect(await readOnly('db1')).toEqual(['db1 1']))
    servers.db3.freeze()
    await release()
    try {
      expect(await ended(payload.taskId)).toMatchObject({
        state: 'incomplete',
        result: {
          remarks: [
            'The transactions of db3 are unknown: db3 did not answer in time.',
            expect.stringMatching(/^db3 does not follow db2 yet: .* tries again for ten minutes/),
          ],
        },
      })
    } finally {
      servers.db3.thaw()
    }
    await eventually(allWell)
    expect((await service()).writer).toMatchObject({ datasource: 'db2' })
    await servers.db2.sql('INSERT INTO t.x VALUES (3)')
    await eventually(async () => expect(await rowsOf('db3')).toEqual([1, 2, 3]))
  })

  it('refuses a target with a filter, wherever it is set, and takes it where that is accepted', async () => {
    onTestFinished(async () => {
      await servers.db2.sql('STOP ALL SLAVES', "SET GLOBAL replicate_wild_ignore_table = ''")
      await servers.db2.sql("SET GLOBAL slave_exec_mode = 'STRICT'")
    })
    await servers.db2.sql(
      'STOP ALL SLAVES',
      "SET GLOBAL replicate_wild_ignore_table = 'other.%'",
      "SET GLOBAL slave_exec_mode = 'IDEMPOTENT'",
      'CHANGE MASTER TO IGNORE_SERVER_IDS = (77)',
      'START ALL SLAVES',
    )
    const { writes, service, post, ended } = await managed()
    await writes('db1')
    const settings =
      'Replicate_Wild_Ignore_Table = other.%, Replicate_Ignore_Server_Ids = 77, slave_exec_mode = IDEMPOTENT'
    await eventually(async () =>
      expect((await service()).datasources).toMatchObject([
        { state: 'ONLINE', reason: null },
        {
          state: 'ONLINE',
          code: 'partial-replica',
          reason: `It may lack changes of the primary: ${settings}. A switch to it is refused.`,
        },
        { state: 'ONLINE', reason: null },
      ]),
    )
    const refused = await post('switch', '&to=db2')
    expect(refused.status).toBe(409)
    expect(refused.payload.detail).toMatch(/Replicate_Wild_Ignore_Table = other\.%/)
    expect(refused.payload.detail).toMatch(/Replicate_Ignore_Server_Ids = 77/)
    expect(refused.payload.detail).toMatch(/slave_exec_mode = IDEMPOTENT/)
    expect((await post('switch', '&to=db2&accept=nothing')).status).toBe(400)
    const { status, payload } = await post('switch', '&to=db2&accept=filter,idempotent')
    expect(status).toBe(200)
    expect(await ended(payload.taskId)).toMatchObject({ state: 'complete' })
  })

  /** Runs the event scheduler of db1, which the account of the switch may stop; all ends with the test. */
  async function runScheduler(): Promise<void> {
    const account = "replicator@'127.0.0.1'"
    onTestFinished(async () => {
      for (const name of names) {
        await servers[name].sql(
          'SET GLOBAL event_scheduler = OFF',
          'SET sql_log_bin = 0',
          'DROP EVENT IF EXISTS t.beat',
          'DROP TABLE IF EXISTS t.beats',
          `REVOKE SUPER, EVENT ON *.* FROM ${account}`,
        )
      }
    })
    for (const name of names) {
      await servers[name].sql('SET sql_log_bin = 0', `GRANT SUPER, EVENT ON *.* TO ${account}`)
    }
    await servers.db1.sql('SET GLOBAL event_scheduler = ON')
  }

  /** The same with an event that inserts every second. */
  async function runEvent(): Promise<void> {
    await runScheduler()
    await servers.db1.sql(
      'CREATE TABLE t.beats (a INT AUTO_INCREMENT PRIMARY KEY)',
      'CREATE EVENT t.beat ON SCHEDULE EVERY 1 SECOND DO INSERT INTO t.beats VALUES ()',
    )
    await eventually(async () => expect(await beats('db1')).not.toEqual([]))
  }

  const beats = async (name: Name): Promise<readonly unknown[]> =>
    (await servers[name].sql('SELECT a FROM t.beats ORDER BY a')).map(({ a }) => a)

  const schedulers = async (): Promise<readonly string[]> =>
    Promise.all(
      names.map(async (name) => {
        const [row] = await servers[name].sql('SELECT @@event_scheduler AS it')
        return `${name} ${row?.it}`
      }),
    )

  it('takes the event scheduler along, loses no row of it, and names the events to enable', async () => {
    await runEvent()
    const { writes, switched, allWell } = await managed()
    await writes('db1')
    await eventually(allWell)
    const enable = 'ALTER EVENT `t`.`beat` ENABLE'
    expect(await switched('db2')).toMatchObject({
      state: 'complete',
      result: {
        remarks: [
          `Events that replication brought to db2 do not run there until they are enabled: ${enable};`,
        ],
      },
    })
    expect(await schedulers()).toEqual(['db1 OFF', 'db2 ON', 'db3 OFF'])
    const before = await beats('db2')
    expect(await beats('db1')).toEqual(before)
    await servers.db2.sql(enable)
    await eventually(async () => expect((await beats('db1')).length).toBeGreaterThan(before.length))
    await eventually(allWell)
    expect(await switched('db1')).toMatchObject({ state: 'complete' })
    expect(await schedulers()).toEqual(['db1 ON', 'db2 OFF', 'db3 OFF'])
  })

  it('leaves the events of the old primary running where it goes back', async () => {
    await runEvent()
    const { writes, post, ended, allWell } = await managed({ maxHold: 1000 })
    await writes('db1')
    await eventually(allWell)
    const unlock = await lockTable(servers.db2)
    onTestFinished(unlock)
    await servers.db1.sql('INSERT INTO t.x VALUES (1)')
    const { payload } = await post('switch', '&to=db2')
    expect(await ended(payload.taskId)).toMatchObject({
      state: 'failed',
      error: expect.stringMatching(/db1 is still the primary\.$/),
    })
    expect(await schedulers()).toEqual(['db1 ON', 'db2 OFF', 'db3 OFF'])
    const before = await beats('db1')
    await eventually(async () => expect((await beats('db1')).length).toBeGreaterThan(before.length))
  })

  it('refuses to leave a primary whose events would go on writing there', async () => {
    onTestFinished(() => servers.db1.sql('SET GLOBAL event_scheduler = OFF').then(() => undefined))
    await servers.db1.sql('SET GLOBAL event_scheduler = ON')
    const { writes, allWell, post, ended } = await managed()
    await writes('db1')
    await eventually(allWell)
    expect((await post('switch', '&to=db2')).payload.detail).toMatch(/event scheduler runs/)
    await servers.db1.sql('SET GLOBAL event_scheduler = OFF')
    const { payload } = await post('switch', '&to=db2')
    expect(await ended(payload.taskId)).toMatchObject({ state: 'complete' })
  })

  /** Writes rows as root, whom read_only does not bind; with `again` also over new connections once one is ended. */
  function writeAsRoot(name: Name, { again }: { readonly again: boolean }) {
    const acknowledged: number[] = []
    let isStopped = false
    const write = async (): Promise<void> => {
      let connection: Awaited<ReturnType<typeof createConnection>> | undefined
      try {
        // A switch may end it while it still logs in.
        connection = await createConnection({ host: '127.0.0.1', port: servers[name].port, user: 'root' })
        connection.on('error', () => undefined)
        for (let row = 1000 + acknowledged.length; !isStopped; row += 1) {
          await connection.query(`INSERT INTO t.x VALUES (${row}) ON DUPLICATE KEY UPDATE a = a`)
          acknowledged.push(row)
        }
      } catch {
        if (again && !isStopped) return write()
      } finally {
        connection?.destroy()
      }
    }
    const ended = write()
    return {
      acknowledged,
      stop: () => {
        isStopped = true
        return ended
      },
    }
  }

  it('loses no row of an administrator who writes to the old primary all the time', async () => {
    const { writes, switched, allWell } = await managed()
    await writes('db1')
    await eventually(allWell)
    const root = writeAsRoot('db1', { again: false })
    onTestFinished(root.stop)
    await eventually(async () => expect(root.acknowledged.length).toBeGreaterThan(20))
    expect(await switched('db2')).toMatchObject({ state: 'complete', result: { remarks: [] } })
    await root.stop()
    for (const name of names) {
      // A session may be ended after its last commit, before it is told.
      const last = root.acknowledged.at(-1) ?? 0
      await eventually(async () => expect(await rowsOf(name)).toContain(last))
      const rows = await rowsOf(name)
      expect(rows.slice(0, root.acknowledged.length)).toEqual(root.acknowledged)
      expect(rows.length - root.acknowledged.length).toBeOneOf([0, 1])
    }
    await eventually(allWell)
  })

  it('is never complete where an administrator writes to the old primary also after it', async () => {
    const { writes, switched, allWell } = await managed()
    await writes('db1')
    await eventually(allWell)
    const root = writeAsRoot('db1', { again: true })
    onTestFinished(root.stop)
    await eventually(async () => expect(root.acknowledged.length).toBeGreaterThan(20))
    const task = await switched('db2')
    await root.stop()
    expect(task).toMatchObject({ state: 'incomplete', result: { newPrimary: 'db2' } })
    expect(task.result?.remarks).toEqual([
      expect.stringMatching(
        /^db1 does not follow db2: It has transactions that db2 does not have: 0-1-\d+\. /,
      ),
    ])
    // What was written before the old primary followed is nowhere missing.
    const db2 = await rowsOf('db2')
    expect(db2).toEqual(root.acknowledged.slice(0, db2.length))
    await eventually(async () => expect(await rowsOf('db3')).toEqual(db2))
  })

  it('waits for a new primary that a third server is ahead of', async () => {
    const { writes, get, post, ended, allWell } = await managed()
    await writes('db1')
    await eventually(allWell)
    const unlock = await lockTable(servers.db2)
    await servers.db1.sql('INSERT INTO t.x VALUES (1)')
    await eventually(async () => expect(await rowsOf('db3')).toEqual([1]))
    const { payload } = await post('switch', '&to=db2')
    await eventually(async () =>
      expect(await get(`task/${payload.taskId}`)).toMatchObject({ state: 'in_progress', step: 'catch-up' }),
    )
    await unlock()
    expect(await ended(payload.taskId)).toMatchObject({ state: 'complete', result: { newPrimary: 'db2' } })
    expect(await rowsOf('db2')).toEqual([1])
  })

  it('goes back where the new primary dies before it could be one', async () => {
    const { writes, post, ended, lines } = await managed()
    await writes('db1')
    await servers.db1.sql('INSERT INTO t.x VALUES (1)')
    await eventually(async () => expect(await rowsOf('db2')).toEqual([1]))
    await lockTable(servers.db2)
    await servers.db1.sql('INSERT INTO t.x VALUES (2)')
    const { payload } = await post('switch', '&to=db2')
    await eventually(async () => expect(await readOnly('db1')).toEqual(['db1 1']))
    await servers.db2.kill()
    try {
      expect(await ended(payload.taskId), lines.join('\n')).toMatchObject({
        state: 'failed',
        error: expect.stringMatching(/ broke the connection off\. db1 is still the primary\.$/),
      })
      await writes('db1')
      expect(await readOnly('db1')).toEqual(['db1 0'])
    } finally {
      await servers.db2.start('--log-slave-updates')
    }
  })

  /** Begins with a manager that was ended; its `leave` records a switch there that came up to a step. */
  async function endedManager() {
    const first = await managed()
    await first.writes('db1')
    first.close()
    const { folder } = first
    const path = join(folder, 'manager.json')
    const state = JSON.parse(readFileSync(path, 'utf8'))
    const leave = (
      step: string,
      more: { readonly isOwn: boolean; readonly milliseconds: number },
    ): string => {
      const hold = {
        id: '00000000-0000-4000-8000-000000000000',
        service: 'alpha',
        operation: 'switch',
        from: 'db1',
        to: 'db2',
        step,
        by: 'admin',
        until: new Date(Date.now() + more.milliseconds).toISOString(),
        isOwn: more.isOwn,
        isDecided: false,
      }
      writeFileSync(path, JSON.stringify({ ...state, holds: [hold] }), { mode: 0o600 })
      return hold.id
    }
    return { folder, leave }
  }

  /** Returns the folder of a manager that holds its clients for a switch that another one made, up to this step. */
  async function heldByAnother(step: string): Promise<string> {
    const { folder, leave } = await endedManager()
    leave(step, { isOwn: false, milliseconds: 1000 })
    return folder
  }

  /** Starts a server again as its configuration file says, which is read-only or not. */
  async function startedAgain(name: Name, readOnly: 0 | 1): Promise<void> {
    // Uptimes are whole seconds: a start is another one if it is two later.
    await eventually(async () => {
      const [row] = await servers[name].sql("SHOW STATUS LIKE 'Uptime'")
      expect(Number(row?.Value)).toBeGreaterThanOrEqual(4)
    })
    await servers[name].kill()
    await servers[name].start(`--read-only=${readOnly}`)
  }

  describe('that was started again', () => {
    it('makes its own server writable again that was the writer, and says so', async () => {
      const { writes, allWell, lines } = await managed()
      await writes('db1')
      await eventually(allWell)
      await startedAgain('db1', 1)
      await eventually(async () => expect(await readOnly('db1')).toEqual(['db1 0']))
      await writes('db1')
      await eventually(allWell)
      expect(lines.join('\n')).toContain('made the server of this host writable again')
    })

    it('does that also where it was started again itself', async () => {
      const before = await managed()
      await before.writes('db1')
      await eventually(before.allWell)
      before.close()
      await startedAgain('db1', 1)
      const { writes } = await managed({ folder: before.folder })
      await writes('db1')
      expect(await readOnly()).toEqual(['db1 0', 'db2 1', 'db3 1'])
    })

    it('leaves a server read-only that a person made so, also after its own start and that of the server', async () => {
      const before = await managed()
      await before.writes('db1')
      await eventually(before.allWell)
      await servers.db1.sql('SET GLOBAL read_only = 1')
      const reason = 'db1 is read-only'
      const waits = async (manager: typeof before): Promise<void> => {
        await eventually(async () => expect((await manager.service()).writer).toMatchObject({ reason }))
        for (const name of names) await manager.get(`service/alpha/datasource/${name}/ping`)
        expect((await manager.service()).writer).toMatchObject({ datasource: null, reason })
        expect(await readOnly('db1')).toEqual(['db1 1'])
      }
      await waits(before)
      before.close()
      const after = await managed({ folder: before.folder })
      await waits(after)
      await startedAgain('db1', 1)
      await waits(after)
    })

    it('waits for a person where a replica has transactions that it does not have, and names them', async () => {
      const { writes, allWell, service } = await managed()
      await writes('db1')
      await eventually(allWell)
      await servers.db3.sql('INSERT INTO t.x VALUES (7)')
      await startedAgain('db1', 1)
      await eventually(async () =>
        expect((await service()).writer).toMatchObject({
          datasource: null,
          reason: 'db1 is read-only: db3 has transactions that it does not have: 0-3-1',
        }),
      )
      expect(await readOnly('db1')).toEqual(['db1 1'])
    })

    it('makes its own server read-only again that a switch made a replica', async () => {
      const { writes, switched, allWell, lines } = await managed()
      await writes('db1')
      await eventually(allWell)
      expect(await switched('db2')).toMatchObject({ state: 'complete' })
      await eventually(allWell)
      await startedAgain('db1', 0)
      await eventually(async () => expect(await readOnly('db1')).toEqual(['db1 1']))
      await writes('db2')
      await eventually(allWell)
      expect(lines.join('\n')).toContain('made the server of this host read-only')
    })
  })

  it('settles, when it starts anew, what it left behind', async () => {
    const { folder, leave } = await endedManager()
    const own = { isOwn: true, milliseconds: 5000 }

    // Killed before the new primary was writable.
    const id = leave('promote', own)
    await servers.db1.sql('SET GLOBAL read_only = 1')
    await servers.db2.sql('STOP ALL SLAVES')
    const back = await managed({ folder })
    await back.writes('db1')
    expect(await readOnly()).toEqual(['db1 0', 'db2 1', 'db3 1'])
    await eventually(back.allWell)
    expect(await back.get(`task/${id}`)).toMatchObject({
      state: 'failed',
      error: 'The manager was started anew meanwhile. db1 is still the primary.',
    })
    back.close()

    // Killed right after it.
    leave('promote', own)
    await servers.db1.sql('SET GLOBAL read_only = 1')
    await servers.db2.sql('STOP ALL SLAVES', 'SET GLOBAL read_only = 0')
    const forward = await managed({ folder })
    await forward.writes('db2')
    expect(await readOnly()).toEqual(['db1 1', 'db2 0', 'db3 1'])
    await eventually(forward.allWell)
  })

  it('takes the event scheduler along also where it settles a switch', async () => {
    await runScheduler()
    const { folder, leave } = await endedManager()
    leave('promote', { isOwn: true, milliseconds: 5000 })
    await servers.db1.sql('SET GLOBAL read_only = 1')
    await servers.db2.sql('STOP ALL SLAVES', 'SET GLOBAL read_only = 0')
    const { writes, allWell } = await managed({ folder })
    await writes('db2')
    await eventually(async () => expect(await schedulers()).toEqual(['db1 OFF', 'db2 ON', 'db3 OFF']))
    await eventually(allWell)
  })

  it('settles what another manager left behind, once its time is over and both servers answer', async () => {
    const folder = await heldByAnother('promote')
    await servers.db1.sql('SET GLOBAL read_only = 1')
    await servers.db2.sql('STOP ALL SLAVES')
    const { writes, allWell } = await managed({ folder })
    await writes('db1')
    expect(await readOnly()).toEqual(['db1 0', 'db2 1', 'db3 1'])
    await eventually(allWell)
  })

  it('lets the others follow a primary that another manager left alone', async () => {
    const folder = await heldByAnother('promote')
    await servers.db1.sql('SET GLOBAL read_only = 1')
    await servers.db2.sql('STOP ALL SLAVES', "RESET SLAVE '' ALL", 'SET GLOBAL read_only = 0')
    const { writes, allWell } = await managed({ folder })
    await writes('db2')
    await servers.db2.sql('INSERT INTO t.x VALUES (1)')
    for (const name of ['db1', 'db3'] as const) {
      await eventually(async () => expect(await rowsOf(name)).toEqual([1]))
    }
    expect(await readOnly()).toEqual(['db1 1', 'db2 0', 'db3 1'])
    await eventually(allWell)
  })

  it('leaves a switch alone that it cannot settle, and so does not disturb whoever can', async () => {
    const folder = await heldByAnother('hold')
    await servers.db1.sql('SET GLOBAL read_only = 1')
    await servers.db2.kill()
    onTestFinished(() => servers.db2.start())
    const { lines } = await managed({ folder })
    const connection = await createConnection({
      host: '127.0.0.1',
      port: servers.db1.port,
      user: 'replicator',
      password: 'replication-secret',
    })
    onTestFinished(() => connection.destroy())
    await connection.query("SELECT GET_LOCK('muster.switch.alpha', 0)")
    await eventually(() => expect(lines.join('\n')).toContain('ran out'))
    // time: in which nothing may happen; a slow machine cannot make this fail.
    await wait(2500)
    const [rows] = await connection.query(
      "SELECT IS_USED_LOCK('muster.switch.alpha') = CONNECTION_ID() AS mine",
    )
    expect(rows).toEqual([{ mine: 1 }])
  })

  /** Ends the primary; resolves once the manager says that there is none. */
  async function losePrimary({ service }: Managed): Promise<void> {
    await servers.db1.kill()
    onTestFinished(() => startAgain('db1'))
    await eventually(async () =>
      expect((await service()).datasources[0]).toMatchObject({ name: 'db1', state: 'FAILED' }),
    )
  }
  async function startAgain(name: Name, ...options: readonly string[]): Promise<void> {
    await servers[name].kill()
    await servers[name].start(...options)
  }

  it('makes the survivor that has the most the primary in place of one that is lost, and takes that back home', async () => {
    const world = await managed()
    const { writes, get, post, ended, service, allWell, lines } = world
    await writes('db1')
    await servers.db1.sql('INSERT INTO t.x VALUES (1)')
    for (const name of names) await eventually(async () => expect(await rowsOf(name)).toEqual([1]))
    // Only db3 receives these, and db3 cannot apply them yet.
    await servers.db2.sql('STOP SLAVE IO_THREAD')
    const unlock = await lockTable(servers.db3)
    await servers.db1.sql('INSERT INTO t.x VALUES (2)', 'INSERT INTO t.x VALUES (3)')
    await eventually(async () => {
      const [row] = await servers.db3.sql('SHOW SLAVE STATUS')
      const [written] = await servers.db1.sql('SELECT @@gtid_binlog_pos AS it')
      expect(row?.Gtid_IO_Pos).toBe(written?.it)
    })
    await losePrimary(world)
    expect(await get('status/service/alpha/failover')).toMatchObject({
      ...{ from: 'db1', to: 'db3', refusals: [] },
      loss: expect.stringMatching(/^db3 has all that db1 told/),
    })
    const { status, payload } = await post('failover')
    expect(status, JSON.stringify(payload)).toBe(200)
    await eventually(async () =>
      expect(await get(`task/${payload.taskId}`)).toMatchObject({ step: 'catch-up' }),
    )
    expect((await service()).writer).toMatchObject({ datasource: null, hold: true })
    await unlock()
    expect(await ended(payload.taskId), lines.join('\n')).toMatchObject({
      ...{ state: 'complete', operation: 'failover' },
      result: {
        oldPrimary: 'db1',
        newPrimary: 'db3',
        remarks: [expect.stringMatching(/^db1 was not reached/)],
      },
    })
    await writes('db3')
    expect(await readOnly('db2', 'db3')).toEqual(['db2 1', 'db3 0'])
    await servers.db3.sql('INSERT INTO t.x VALUES (4)')
    await startAgain('db1')
    await eventually(allWell)
    expect(await readOnly()).toEqual(['db1 1', 'db2 1', 'db3 0'])
    for (const name of names) await eventually(async () => expect(await rowsOf(name)).toEqual([1, 2, 3, 4]))
  })

  it('never lets a lost primary follow that has transactions of its own, and keeps it from writing', async () => {
    const world = await managed()
    const { writes, post, ended, service } = world
    await writes('db1')
    await eventually(world.allWell)
    for (const name of ['db2', 'db3'] as const) await servers[name].sql('STOP SLAVE IO_THREAD')
    await servers.db1.sql('INSERT INTO t.x VALUES (1)')
    await losePrimary(world)
    const { payload } = await post('failover', '&to=db2')
    expect(await ended(payload.taskId)).toMatchObject({ state: 'complete', result: { newPrimary: 'db2' } })
    await servers.db2.sql('INSERT INTO t.x VALUES (2)')
    await startAgain('db1')
    await eventually(async () => expect(await readOnly('db1')).toEqual(['db1 1']))
    await eventually(async () => expect((await service()).datasources[0]).toMatchObject({ state: 'FAILED' }))
    expect(await servers.db1.sql('SHOW ALL SLAVES STATUS')).toEqual([])
    expect((await post('datasource/db1/recover', '&repoint=yes')).payload.detail).toMatch(
      /^db1 has transactions that db2 does not have: 0-1-\d+\. Make it anew from a backup of db2 \(muster provision db1\)\.$/,
    )
    expect(await rowsOf('db1')).toEqual([1])
    await writes('db2')
  })

  it('ends a primary that hung while another one took its place: it never takes a write again', async () => {
    const world = await managed()
    const { writes, post, ended, allWell } = world
    await writes('db1')
    await eventually(allWell)
    servers.db1.freeze()
    onTestFinished(() => servers.db1.thaw())
    await eventually(async () =>
      expect((await world.service()).datasources[0]).toMatchObject({ state: 'FAILED' }),
    )
    const { status, payload } = await post('failover', '&to=db2')
    expect(status, JSON.stringify(payload)).toBe(200)
    expect(await ended(payload.taskId)).toMatchObject({ state: 'complete' })
    await writes('db2')
    servers.db1.thaw()
    await eventually(async () => expect(await readOnly()).toEqual(['db1 1', 'db2 0', 'db3 1']))
    await eventually(allWell)
  })

  it('ends a source of semi-synchronous replication so that none of its sessions is committing meanwhile', async () => {
    const world = await managed()
    const { writes, post, ended, allWell } = world
    await writes('db1')
    await eventually(allWell)
    await roles('db1', 1)
    const client = await createConnection({ host: '127.0.0.1', port: servers.db1.port, user: 'root' })
    client.on('error', () => undefined)
    // It keeps the lock of commits away until it is ended.
    const answer = client.query('INSERT INTO t.x SELECT SLEEP(100)').then(
      () => 'written',
      () => 'broken off',
    )
    await eventually(async () =>
      expect(await servers.db1.sql('SHOW PROCESSLIST')).toContainEqual(
        expect.objectContaining({ State: 'User sleep' }),
      ),
    )
    servers.db1.freeze()
    onTestFinished(() => startAgain('db1'))
    await eventually(async () =>
      expect((await world.service()).datasources[0]).toMatchObject({ state: 'FAILED' }),
    )
    const { status, payload } = await post('failover', '&to=db2')
    expect(status, JSON.stringify(payload)).toBe(200)
    expect(await ended(payload.taskId)).toMatchObject({ state: 'complete' })
    servers.db1.thaw()
    expect(await answer).toBe('broken off')
    await eventually(async () => expect(await readOnly()).toEqual(['db1 1', 'db2 0', 'db3 1']))
    await eventually(allWell)
    for (const name of names) expect(await rowsOf(name)).toEqual([])
  })

  /** Lets db1 hang with a commit that waits for a replica, makes db2 the primary, and lets db1 go on. */
  async function deposeWaiting({ writes, post, ended, allWell, service }: Managed): Promise<void> {
    await writes('db1')
    await eventually(allWell)
    for (const name of ['db2', 'db3'] as const) await servers[name].sql('STOP SLAVE IO_THREAD')
    await servers.db1.sql(
      "SET GLOBAL rpl_semi_sync_master_wait_point = 'AFTER_SYNC'",
      'SET GLOBAL rpl_semi_sync_master_timeout = 86400000',
    )
    await roles('db1', 1)
    const processes = async (state: string) =>
      expect((await servers.db1.sql('SHOW PROCESSLIST')).filter(({ State }) => State === state)).toHaveLength(
        1,
      )
    const commit = async (row: number): Promise<void> => {
      const client = await createConnection({ host: '127.0.0.1', port: servers.db1.port, user: 'root' })
      client.on('error', () => undefined)
      // It ends with the server.
      client.query(`INSERT INTO t.x VALUES (${row})`).catch(() => undefined)
    }
    await commit(1)
    await eventually(() => processes('Waiting for semi-sync ACK from slave'))
    // It waits behind the first one, and keeps the log locked.
    await commit(3)
    await eventually(() => processes('Commit'))
    servers.db1.freeze()
    onTestFinished(() => startAgain('db1'))
    await eventually(async () => expect((await service()).datasources[0]).toMatchObject({ state: 'FAILED' }))
    const { status, payload } = await post('failover', '&to=db2')
    expect(status, JSON.stringify(payload)).toBe(200)
    expect(await ended(payload.taskId)).toMatchObject({ state: 'complete' })
    await writes('db2')
    servers.db1.thaw()
  }

  /** Kills db1 and starts it as the guide says: what no replica has is gone. */
  const crash = (): Promise<void> =>
    startAgain(
      'db1',
      ...['--init-rpl-role=SLAVE', '--rpl-semi-sync-slave-enabled', '--gtid-strict-mode', '--read-only'],
    )

  async function isHome({ allWell }: Managed): Promise<void> {
    await eventually(allWell)
    await servers.db2.sql('INSERT INTO t.x VALUES (2)')
    for (const name of names) await eventually(async () => expect(await rowsOf(name)).toEqual([2]))
  }

  it('leaves a lost primary alone whose commits wait for a replica, and has it follow once it was killed', async () => {
    const world = await managed()
    await deposeWaiting(world)
    const reason =
      'db2 took its place, and commits wait here for a replica: 1. Kill its server (SIGKILL) and start it, so that it ' +
      'removes them; a proper stop would make them its own transactions.'
    await eventually(async () =>
      expect((await world.service()).datasources[0]).toMatchObject({ state: 'FAILED', reason }),
    )
    expect((await world.post('datasource/db1/recover', '&repoint=yes')).payload.detail).toContain(reason)
    expect(await readOnly('db1')).toEqual(['db1 0'])
    await crash()
    await isHome(world)
  })

  it('has a lost primary killed whose commits wait for a replica, once, and takes it back home', async () => {
    const asked: Promise<void>[] = []
    const world = await managed({ crash: () => void asked.push(crash()) })
    await deposeWaiting(world)
    await eventually(() => expect(asked.length).toBeGreaterThan(0))
    await Promise.all(asked)
    await isHome(world)
    expect(asked.length).toBe(1)
    expect(world.lines.join('\n')).toMatch(/has the server of this host killed.*"datasource":"db1"/)
  })

  it('has it killed no second time in the same run, also after its own start', async () => {
    const asked: string[] = []
    const world = await managed({ crash: () => void asked.push('first') })
    await deposeWaiting(world)
    await eventually(() => expect(asked).toEqual(['first']))
    world.close()
    const again = await managed({ folder: world.folder, crash: () => void asked.push('second') })
    await eventually(async () =>
      expect((await again.service()).datasources[0]).toMatchObject({
        state: 'FAILED',
        reason: expect.stringContaining('commits wait here for a replica: 1.'),
      }),
    )
    expect(asked).toEqual(['first'])
    expect(await readOnly('db1')).toEqual(['db1 0'])
  })

  it('replaces a lost primary without a person where nothing acknowledged can be lost', async () => {
    const lossless = [
      "rpl_semi_sync_master_wait_point = 'AFTER_SYNC'",
      'rpl_semi_sync_master_timeout = 86400000',
    ]
    onTestFinished(async () => {
      for (const name of names) {
        await servers[name].sql(
          'SET GLOBAL rpl_semi_sync_master_enabled = 0',
          'SET GLOBAL rpl_semi_sync_slave_enabled = 0',
          'SET GLOBAL rpl_semi_sync_master_timeout = 10000',
        )
      }
    })
    const world = await managed({ host: 'db2' })
    const { writes, service, allWell } = world
    await writes('db1')
    await eventually(allWell)
    expect((await service()).failover).toEqual({
      automatic: false,
      reason:
        'db1 may acknowledge what no other server has; it needs rpl_semi_sync_master_enabled=1, ' +
        'rpl_semi_sync_master_wait_point=AFTER_SYNC, rpl_semi_sync_master_timeout=86400000.',
    })
    for (const name of names) {
      await servers[name].sql(...lossless.map((it) => `SET GLOBAL ${it}`))
      await roles(name, name === 'db1' ? 1 : 0)
      // A replica says whether it acknowledges when it connects.
      if (name !== 'db1') await servers[name].sql('STOP ALL SLAVES', 'START ALL SLAVES')
    }
    await eventually(async () =>
      expect((await service()).failover).toEqual({ automatic: true, reason: null }),
    )
    // One that was started after the primary was read last may have lost what it acknowledged.
    for (const name of ['db2', 'db3'] as const) {
      await eventually(async () => {
        const [row] = await servers[name].sql("SHOW GLOBAL STATUS LIKE 'Uptime'")
        expect(Number(row?.Value)).toBeGreaterThan(5)
      })
    }
    await losePrimary(world)
    await writes('db2')
    await eventually(() =>
      expect(world.lines.join('\n')).toMatch(
        /replaced the lost primary .*"newPrimary":"db2".*"by":"manager"/,
      ),
    )
    expect(await readOnly('db2', 'db3')).toEqual(['db2 0', 'db3 1'])
    await eventually(async () =>
      expect((await service()).failover).toEqual({
        automatic: false,
        reason: 'db1 cannot be reached, and may have what no other server has.',
      }),
    )
  })

  it('refuses a failover while the primary answers, and one that a survivor might contradict', async () => {
    const world = await managed()
    const { writes, post, get } = world
    await writes('db1')
    await eventually(world.allWell)
    expect((await post('failover')).payload.detail).toMatch(
      / db1: It answers, and can be written: it is not lost\./,
    )
    await losePrimary(world)
    await servers.db3.kill()
    onTestFinished(() => startAgain('db3'))
    const reasons = (await get('status/service/alpha/failover')).refusals
    expect(reasons).toMatchObject([
      { datasource: 'db3', fix: 'Repair it, or take it out with tapi datasource shun.' },
    ])
    expect((await post('failover')).status).toBe(409)
    expect((await post('datasource/db3/shun')).status).toBe(200)
    const { payload } = await post('failover')
    expect(await world.ended(payload.taskId)).toMatchObject({
      state: 'complete',
      result: { newPrimary: 'db2' },
    })
    await writes('db2')
  })

  it('takes a failover back where the lost primary is there again before another one is promoted', async () => {
    const world = await managed()
    const { writes, get, post, ended, allWell } = world
    await writes('db1')
    await eventually(allWell)
    const unlock = await lockTable(servers.db2)
    const unlockOther = await lockTable(servers.db3)
    await servers.db1.sql('INSERT INTO t.x VALUES (1)')
    await eventually(async () => {
      for (const name of ['db2', 'db3'] as const) {
        const [row] = await servers[name].sql('SHOW SLAVE STATUS')
        expect(row?.Gtid_IO_Pos).toMatch(/^0-1-\d+$/)
      }
    })
    await losePrimary(world)
    const { payload } = await post('failover', '&to=db2')
    await eventually(async () =>
      expect(await get(`task/${payload.taskId}`)).toMatchObject({ step: 'catch-up' }),
    )
    await startAgain('db1')
    await eventually(async () =>
      expect((await world.service()).datasources[0]).toMatchObject({ reason: null }),
    )
    await unlock()
    await unlockOther()
    expect(await ended(payload.taskId)).toMatchObject({
      ...{ state: 'failed', step: 'catch-up' },
      error: 'The old primary answers again. db2 was not made the primary.',
    })
    await writes('db1')
    await eventually(allWell)
    expect(await readOnly()).toEqual(['db1 0', 'db2 1', 'db3 1'])
  })

  it('fails over where a switch was under way when its primary died', async () => {
    const world = await managed()
    const { writes, post, ended } = world
    await writes('db1')
    await eventually(world.allWell)
    const unlock = await lockTable(servers.db2)
    await servers.db1.sql('INSERT INTO t.x VALUES (1)')
    const { payload: first } = await post('switch', '&to=db2')
    await eventually(async () => expect(await readOnly('db1')).toEqual(['db1 1']))
    await servers.db1.kill()
    onTestFinished(() => startAgain('db1'))
    await unlock()
    expect(await ended(first.taskId)).toMatchObject({ state: 'failed' })
    const done = await eventually(async () => {
      const { status, payload } = await post('failover', '&to=db3')
      expect(status, JSON.stringify(payload)).toBe(200)
      return ended(payload.taskId)
    })
    expect(done).toMatchObject({ state: 'complete', result: { newPrimary: 'db3' } })
    await writes('db3')
    expect(await rowsOf('db3')).toEqual([1])
  })

  it('lets a healthy server that follows somebody else follow the primary, after it has told so', async () => {
    const { writes, post, service, allWell } = await managed()
    await writes('db1')
    await servers.db3.sql(
      'STOP ALL SLAVES',
      `CHANGE MASTER TO MASTER_HOST='127.0.0.1', MASTER_PORT=${servers.db2.port}, MASTER_USE_GTID=slave_pos`,
      'START ALL SLAVES',
    )
    await eventually(async () => expect((await service()).datasources[2]).toMatchObject({ state: 'FAILED' }))
    const told = await post('datasource/db3/recover')
    expect([told.status, told.payload.detail]).toEqual([
      409,
      'It follows db2, not the primary db1. Let it follow db1. With repoint=yes db3 follows db1 by GTID.',
    ])
    expect((await post('datasource/db3/recover', '&repoint=yes')).status).toBe(200)
    await eventually(allWell)
    await servers.db1.sql('INSERT INTO t.x VALUES (1)')
    await eventually(async () => expect(await rowsOf('db3')).toEqual([1]))
  })

  it('reports no success for a server that was told to follow the primary and does not', async () => {
    const { writes, post, service } = await managed()
    await writes('db1')
    await servers.db3.sql(
      'STOP ALL SLAVES',
      `CHANGE MASTER TO MASTER_HOST='127.0.0.1', MASTER_PORT=${servers.db2.port}, MASTER_PASSWORD='another',
       MASTER_USE_GTID=slave_pos`,
      'START ALL SLAVES',
    )
    await eventually(async () => expect((await service()).datasources[2]).toMatchObject({ state: 'FAILED' }))
    const { status, payload } = await post('datasource/db3/recover', '&repoint=yes')
    expect([status, payload.detail]).toEqual([
      409,
      'db3 was told to follow db1. db3 does not follow db1: Its receiver does not run (error 1045). Remove the cause, ' +
        'then run tapi --component replicator online there.',
    ])
  })
})
