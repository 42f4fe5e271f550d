import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { openManager } from '../../../src/components/manager/manager.ts'
import type { MapDataSource } from '../../../src/contracts/servicesMap.ts'
import { eventually } from '../../support/eventually.ts'
import { forgetReplication, hasMariadb, type Mariadb } from '../../support/mariadb.ts'
import { createMonitor, type MariadbPair, makeAgree, mariadbPair } from '../../support/mariadbPair.ts'
import { monitorSettings } from '../../support/monitorSettings.ts'
import { temporaryFolder } from '../../support/temporaryFolder.ts'
import { adminLogin, testApi } from '../../support/testApi.ts'

const password = 'monitor-secret'
const headers = { authorization: adminLogin }

/** As usual, but quick: a check every 30 ms. Servers that share a busy machine get time enough for one. */
const timing = {
  checkInterval: { usual: 30, retry: 30, away: 150, longest: 150, quickRetries: 3 },
  limit: 2000,
  now: () => performance.now(),
  wait: (milliseconds: number, signal: AbortSignal) => wait(milliseconds, undefined, { signal }),
  random: () => Math.random(),
}

describe.skipIf(!hasMariadb)('the manager of real MariaDB servers', () => {
  let pair: MariadbPair
  let primary: Mariadb
  let replica: Mariadb

  beforeAll(async () => {
    pair = await mariadbPair((server) => createMonitor(server, password))
    ;({ primary, replica } = pair)
  })
  afterAll(() => pair?.end())

  // Two servers that agree, and replication that runs.
  beforeEach(async () => {
    await makeAgree(pair)
    await replica.sql('SET GLOBAL read_only = 1', 'START ALL SLAVES')
  })

  async function managed(
    more: {
      readonly secret?: string
      readonly replicaPort?: number
      readonly role?: MapDataSource['role']
      /** Of a check, in milliseconds. */
      readonly limit?: number
    } = {},
  ) {
    const folder = temporaryFolder()
    const secretsFile = join(folder, 'secrets.json')
    const setPassword = (it: string) => writeFileSync(secretsFile, JSON.stringify({ 'monitor-password': it }))
    setPassword(more.secret ?? password)
    const place = (name: string, port: number, role: MapDataSource['role']): MapDataSource => ({
      name,
      host: '127.0.0.1',
      port,
      role,
    })
    const services = {
      services: [
        {
          name: 'alpha',
          datasources: [
            place('db1', primary.port, 'primary'),
            place('db2', more.replicaPort ?? replica.port, more.role ?? 'replica'),
          ],
        },
      ],
    }
    const log: string[] = []
    const line = (facts: object, message: string) => void log.push(`${message} ${JSON.stringify(facts)}`)
    const opened = openManager(
      {
        cluster: 'cluster',
        host: 'db1',
        services,
        stateFile: join(folder, 'manager.json'),
        member: { service: 'alpha', datasource: 'db1', witness: false },
        monitor: monitorSettings,
        secretsFile,
      },
      {
        log: { info: line, warn: line, error: line },
        timing: { ...timing, limit: more.limit ?? timing.limit },
      },
    )
    onTestFinished(() => opened.close())
    const { served, metrics } = opened.api
    const api = await testApi({ served, context: metrics ? { componentMetrics: metrics } : {} })
    const root = '/api/v2/manager'
    const status = async (name = 'db2') => {
      const answer = await api.call({ url: `${root}/status/service/alpha/datasource/${name}`, headers })
      return answer.json().payload
    }
    return {
      opened,
      status,
      setPassword,
      log,
      metrics: async () => (await api.call({ url: '/metrics', headers })).body,
      ping: async (name = 'db2') =>
        (await api.call({ url: `${root}/service/alpha/datasource/${name}/ping`, headers })).json().payload
          .value,
      post: async (path: string) => {
        const url = `${root}/control/service/alpha/${path}?i-am-sure=true`
        const answer = await api.call({ method: 'POST', url, headers })
        return { status: answer.statusCode, payload: answer.json().payload }
      },
      /** Waits until the replica is so; resolves with all of it. */
      becomes: (expected: object, name = 'db2') =>
        eventually(async () => {
          const now = await status(name)
          expect(now).toMatchObject(expected)
          return now
        }),
      /** Waits until this many more checks of the data source were made. */
      checked: async (count: number, name = 'db2') => {
        const made = async (): Promise<number> => {
          const lines = (await api.call({ url: '/metrics', headers })).body.split('\n')
          return lines
            .filter((it) => it.startsWith(`muster_manager_checks_total{service="alpha",datasource="${name}"`))
            .reduce((sum, it) => sum + Number(it.split(' ')[1]), 0)
        }
        const goal = (await made()) + count
        await eventually(async () => expect(await made()).toBeGreaterThanOrEqual(goal))
      },
    }
  }

  const breakReplication = async (): Promise<void> => {
    await replica.sql('SET sql_log_bin = 0', 'INSERT INTO t.x VALUES (7)')
    await primary.sql('INSERT INTO t.x VALUES (7)')
  }
  const repairReplication = () =>
    replica.sql('SET sql_log_bin = 0', 'DELETE FROM t.x WHERE a = 7', 'START ALL SLAVES')
  const duplicate = /^The applier is stopped\. ERROR 1062: .*Duplicate entry '7'/

  it('reads numbers of transactions and no latency where all is well, over one connection each', async () => {
    const { becomes, checked, ping } = await managed()
    await primary.sql('INSERT INTO t.x VALUES (1)')
    const [at] = await primary.sql('SELECT @@gtid_binlog_pos AS gtid')
    const seqno = Number(String(at?.gtid).split('-')[2])
    await becomes({ state: 'ONLINE', reason: null, seqno, appliedLatency: null }, 'db1')
    await becomes({ state: 'ONLINE', reason: null, seqno, appliedLatency: 0 })
    const [before] = await replica.sql("SHOW GLOBAL STATUS LIKE 'Connections'")
    await checked(5)
    expect(await ping()).toBe(true)
    const [after] = await replica.sql("SHOW GLOBAL STATUS LIKE 'Connections'")
    // The one more is our own question.
    expect(Number(after?.Value) - Number(before?.Value)).toBe(1)
  })

  it('shows a replica that is late, and does not fence it', async () => {
    const { becomes, metrics } = await managed()
    await replica.sql('STOP ALL SLAVES', 'CHANGE MASTER TO MASTER_DELAY = 30', 'START ALL SLAVES')
    // A delayed replica counts from when the transaction was written.
    await primary.sql('SET timestamp = UNIX_TIMESTAMP() - 20', 'INSERT INTO t.x VALUES (2)')
    const late = await becomes({ state: 'ONLINE', reason: null, appliedLatency: expect.any(Number) })
    await eventually(async () =>
      expect((await metrics()).match(/latency_seconds\{.*"db2"\} (\d+)/)?.[1]).toMatch(/^2\d$/),
    )
    expect(late.state).toBe('ONLINE')
    await replica.sql('STOP ALL SLAVES', 'CHANGE MASTER TO MASTER_DELAY = 0', 'START ALL SLAVES')
  })

  it('fences a replica whose replication broke and brings it back under AUTOMATIC', async () => {
    const { becomes, log } = await managed()
    await breakReplication()
    await becomes({ state: 'FAILED', by: 'manager', reason: expect.stringMatching(duplicate) })
    await becomes({ state: 'ONLINE' }, 'db1')
    await repairReplication()
    await becomes({ state: 'ONLINE', by: 'manager', reason: null })
    expect(log.filter((it) => it.startsWith('fenced'))).toHaveLength(1)
  })

  it('fences it under MANUAL and leaves the way back to people', async () => {
    const { becomes, checked, post, status } = await managed()
    await post('policy/manual')
    await breakReplication()
    await becomes({ state: 'FAILED', reason: expect.stringMatching(duplicate) })
    expect((await post('datasource/db2/online')).payload.code).toBe('wrong-state')
    await repairReplication()
    await becomes({ reason: expect.stringMatching(/Its health checks succeed again\.$/) })
    await checked(10)
    expect((await status()).state).toBe('FAILED')
    expect((await post('datasource/db2/recover')).payload.state).toBe('OFFLINE')
    expect((await post('datasource/db2/online')).payload).toMatchObject({ state: 'ONLINE', changed: true })
  })

  it('only tells of it under MAINTENANCE', async () => {
    const { becomes, checked, post, status } = await managed()
    await post('policy/maintenance')
    await breakReplication()
    await becomes({ reason: expect.stringMatching(duplicate) })
    await checked(10)
    expect((await status()).state).toBe('ONLINE')
  })

  it('brings an OFFLINE one back under AUTOMATIC alone, and a SHUNNED one never', async () => {
    const { becomes, checked, post, status } = await managed()
    await post('datasource/db2/shun')
    await post('datasource/db1/offline')
    await becomes({ state: 'ONLINE', by: 'manager' }, 'db1')
    await checked(10)
    expect((await status()).state).toBe('SHUNNED')
    await post('policy/manual')
    await post('datasource/db1/offline')
    await checked(10, 'db1')
    expect((await status('db1')).state).toBe('OFFLINE')
    await breakReplication()
    await becomes({ reason: expect.stringMatching(duplicate) })
    expect((await post('datasource/db2/welcome')).payload).toMatchObject({
      code: 'wrong-state',
      detail: expect.stringContaining('1062'),
    })
    await repairReplication()
    await becomes({ reason: null })
    expect((await post('datasource/db2/welcome')).payload.state).toBe('ONLINE')
  })

  it('brings a SHUNNED one back right after its replication or its server started', async () => {
    const { becomes, checked, post } = await managed()
    await becomes({ state: 'ONLINE' }, 'db1')
    await becomes({ state: 'ONLINE', reason: null })
    for (let time = 0; time < 5; time += 1) {
      await post('datasource/db2/shun')
      await replica.sql('STOP ALL SLAVES', 'START ALL SLAVES')
      expect(await post('datasource/db2/welcome')).toMatchObject({
        status: 200,
        payload: { state: 'ONLINE' },
      })
    }
    await post('datasource/db2/shun')
    await replica.kill()
    await replica.start('--read-only')
    // The first one may still use the connection of before.
    await checked(2)
    expect(await post('datasource/db2/welcome')).toMatchObject({ status: 200, payload: { state: 'ONLINE' } })
  })

  it('brings none back that cannot reach the primary, until it can', async () => {
    const { becomes, post } = await managed()
    await becomes({ state: 'ONLINE' }, 'db1')
    await post('datasource/db2/shun')
    await primary.sql("ALTER USER repl@'127.0.0.1' ACCOUNT LOCK")
    onTestFinished(() => primary.sql("ALTER USER repl@'127.0.0.1' ACCOUNT UNLOCK").then(() => undefined))
    await replica.sql('STOP ALL SLAVES', 'START ALL SLAVES')
    await becomes({ reason: expect.stringMatching(/cannot connect to the primary, and tries again/) })
    expect(await post('datasource/db2/welcome')).toMatchObject({
      status: 409,
      payload: {
        code: 'wrong-state',
        detail: expect.stringMatching(
          /^db2 does not receive what db1 writes, so it stays SHUNNED\. The receiver cannot .* ERROR \d+: /,
        ),
      },
    })
    await primary.sql("ALTER USER repl@'127.0.0.1' ACCOUNT UNLOCK")
    // It tries again by itself each second.
    await becomes({ state: 'SHUNNED', reason: null })
    expect(await post('datasource/db2/welcome')).toMatchObject({ status: 200, payload: { state: 'ONLINE' } })
  })

  it('fences a server that was stopped, and brings it back when it is there again', async () => {
    const { becomes, ping } = await managed()
    await becomes({ checkedAt: expect.any(String) })
    await replica.kill()
    await becomes({
      state: 'FAILED',
      reason: expect.stringMatching(/nothing listens there\. Start the database\.$/),
    })
    expect(await ping()).toBe(false)
    await replica.start('--read-only')
    await becomes({ state: 'ONLINE', by: 'manager', reason: null })
    expect(await ping()).toBe(true)
  })

  it('ends its checks of a server that hangs in time, asks it once, and goes on when it wakes up', async () => {
    const { becomes, checked, ping, post } = await managed({ limit: 300 })
    await becomes({ checkedAt: expect.any(String) })
    const statusOf = async (name: string) => {
      const [row] = await replica.sql(`SHOW GLOBAL STATUS LIKE '${name}'`)
      return Number(row?.Value)
    }
    const [connections, aborted] = [await statusOf('Connections'), await statusOf('Aborted_connects')]
    replica.freeze()
    await becomes({
      state: 'FAILED',
      reason: `The database 127.0.0.1:${replica.port} did not answer within 0.3 s.`,
    })
    expect(await ping()).toBe(false)
    await post('datasource/db2/recover')
    const { status, payload } = await post('datasource/db2/online')
    expect([status, payload.code]).toEqual([504, 'database-timeout'])
    await checked(2)
    replica.thaw()
    await becomes({ state: 'ONLINE', reason: null })
    // Two more are our own questions, and a kept connection that became old meanwhile is opened again: one for each
    // check would be more.
    expect((await statusOf('Connections')) - connections).toBeLessThanOrEqual(3)
    expect(await statusOf('Aborted_connects')).toBe(aborted)
  })

  it('does not get its host blocked by a server that hangs while it connects', async () => {
    // Servers count no broken connections of 127.0.0.1, so these come from another address of this machine.
    await forgetReplication(replica)
    await replica.kill()
    await replica.start('--skip-name-resolve=0', '--max-connect-errors=1')
    await createMonitor(replica, password, '%')
    const sockets = new Set<Socket>()
    const relay = createServer((client) => {
      const server = connect({ host: '127.0.0.1', port: replica.port, localAddress: '127.0.0.2' })
      for (const [from, to] of [
        [client, server],
        [server, client],
      ] as const) {
        sockets.add(from)
        from.on('error', () => undefined)
        from.on('close', () => to.destroy())
        from.pipe(to)
      }
    })
    await once(relay.listen(0, '127.0.0.1'), 'listening')
    const address = relay.address()
    const replicaPort = typeof address === 'object' && address ? address.port : 0
    onTestFinished(() => {
      for (const it of sockets) it.destroy()
      relay.close()
    })
    // What the server would do to those who break off within the login.
    const isBlocked = async (): Promise<boolean> => {
      const opened = connect({ host: '127.0.0.1', port: replica.port, localAddress: '127.0.0.2' })
      const [bytes] = (await new Promise<Buffer[]>((resolve) =>
        opened.once('data', (it) => resolve([it])),
      )) as [Buffer]
      opened.destroy()
      return bytes[4] === 0xff
    }
    replica.freeze()
    const { becomes, checked } = await managed({ replicaPort, role: 'witness', limit: 2000 })
    await becomes({ state: 'FAILED', reason: expect.stringMatching(/did not answer within 2 s/) })
    await checked(2)
    replica.thaw()
    await becomes({ state: 'ONLINE', reason: null })
    expect(await isBlocked()).toBe(false)
    // It is a server that blocks: that greeting was one login broken off.
    await eventually(async () => expect(await isBlocked()).toBe(true))
    await replica.kill()
    await replica.start()
  })

  it('does not fence a server that refuses the login, says how to mend it, and goes on once it is', async () => {
    const { becomes, checked, status, setPassword, ping, post } = await managed({ secret: 'wrong' })
    const refusal = /^It cannot be checked\. .*ERROR 1045: .* Check monitor-user and monitor-password\.$/
    await becomes({ reason: expect.stringMatching(refusal) })
    await checked(4)
    expect((await status()).state).toBe('UNKNOWN')
    expect(await ping()).toBe(true)
    await post('datasource/db2/shun')
    expect((await post('datasource/db2/welcome')).payload.code).toBe('database-refused')
    setPassword(password)
    await becomes({ reason: null, seqno: expect.any(Number) })
    expect((await post('datasource/db2/welcome')).payload.state).toBe('ONLINE')
  })

  it('names the privileges that are missing, and notices when they are granted', async () => {
    await replica.sql('SET sql_log_bin = 0', "REVOKE REPLICA MONITOR ON *.* FROM watch@'127.0.0.1'")
    const { becomes, checked, status } = await managed()
    const { reason } = await becomes({ reason: expect.stringContaining('1227') })
    expect(reason).toMatch(
      /It needs REPLICA MONITOR and BINLOG MONITOR \(MariaDB before 10\.5: REPLICATION CLIENT\)\.$/,
    )
    await checked(4)
    expect((await status()).state).toBe('UNKNOWN')
    await replica.sql('SET sql_log_bin = 0', "GRANT REPLICA MONITOR ON *.* TO watch@'127.0.0.1'")
    await becomes({ reason: null, seqno: expect.any(Number) })
  })

  it('lets go of its connections when it ends', async () => {
    const { becomes, opened } = await managed()
    await becomes({ checkedAt: expect.any(String) })
    const open = () => replica.sql("SELECT ID FROM information_schema.PROCESSLIST WHERE USER = 'watch'")
    expect(await open()).toHaveLength(1)
    opened.close()
    await eventually(async () => expect(await open()).toEqual([]))
  })
})
