import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { connect } from '../../../src/components/databases/connect.ts'
import type { DatabaseAccount } from '../../../src/components/databases/connection.ts'
import type { DatabaseError } from '../../../src/components/databases/databaseError.ts'
import { readMariadbGtids } from '../../../src/components/databases/gtidSet.ts'
import { createReplication, type Replication } from '../../../src/components/databases/replication.ts'
import { Secret } from '../../../src/secrets/secret.ts'
import { eventually } from '../../support/eventually.ts'
import { heapInUse } from '../../support/heapInUse.ts'
import {
  createAccount,
  forgetReplication,
  hasMariadb,
  type Mariadb,
  makeReplica,
} from '../../support/mariadb.ts'
import { type MariadbPair, mariadbPair } from '../../support/mariadbPair.ts'

const password = `it's "a\\b" é`

describe.skipIf(!hasMariadb)('replication of real MariaDB servers', () => {
  let pair: MariadbPair
  let primary: Mariadb
  let replica: Mariadb

  beforeAll(async () => {
    pair = await mariadbPair((server) => createAccount(server, password))
    ;({ primary, replica } = pair)
  })
  afterAll(() => pair?.end())
  beforeEach(() => forgetReplication(replica))

  const accountOf = (server: Mariadb): DatabaseAccount => ({
    host: '127.0.0.1',
    port: server.port,
    user: 'muster',
    password: new Secret(password),
    purpose: 'replication',
  })

  function replicationOf(
    server: Mariadb,
    more: Partial<DatabaseAccount> = {},
    type: 'mariadb' | 'mysql' = 'mariadb',
    patience = 15_000,
  ) {
    const account = { ...accountOf(server), ...more }
    const replication = createReplication({
      type,
      dial: (signal) => connect(account, signal),
      limits: { connect: patience, query: patience, change: 5 * patience },
      place: `127.0.0.1:${account.port}`,
    })
    onTestFinished(() => replication.close())
    return replication
  }

  it('keeps nothing of the answers that a connection has given, however long it lives', async () => {
    const opened = await connect(accountOf(primary), AbortSignal.timeout(60_000))
    onTestFinished(() => opened.close())
    const answers: WeakRef<object>[] = []
    for (let count = 0; count < 1000; count += 1) {
      answers.push(new WeakRef(await opened.query("SELECT REPEAT('x', 1000) AS a, VERSION() AS b")))
    }
    const kept = (): number => {
      heapInUse()
      return answers.filter((it) => it.deref() !== undefined).length
    }
    // The client library keeps its last command.
    await expect.poll(kept).toBeLessThanOrEqual(2)
    expect(await opened.query('SELECT 1 AS one')).toEqual([{ one: '1' }])
  })

  const failure = async (work: Promise<unknown>): Promise<DatabaseError> =>
    work.then(
      () => Promise.reject(new Error('it did not fail')),
      (error) => error,
    )

  const only = async (replication: Replication) => {
    const channels = await replication.channels()
    expect(channels).toHaveLength(1)
    return channels[0]
  }

  const connectionsOf = (server: Mariadb) =>
    server.sql("SELECT ID FROM information_schema.PROCESSLIST WHERE USER = 'muster'")

  const tables = ['CREATE DATABASE IF NOT EXISTS t', 'CREATE OR REPLACE TABLE t.x (a INT PRIMARY KEY)']

  /** Makes the replica one, running and with everything that the primary has. */
  async function running(): Promise<Replication> {
    await makeReplica({ primary, replica })
    const replication = replicationOf(replica)
    await replication.start('')
    const [written] = await primary.sql(...tables, 'SELECT @@gtid_binlog_pos AS gtid')
    const [waited] = await replica.sql(`SELECT MASTER_GTID_WAIT('${written?.gtid}', 10) AS code`)
    expect(waited?.code).toBe(0)
    return replication
  }

  it('knows a server that is no replica, and where its own log stands', async () => {
    const replication = replicationOf(primary)
    expect(await replication.channels()).toEqual([])
    const before = await replication.position()
    expect(before?.written).toMatch(/^bin\.\d{6}:\d+$/)
    await primary.sql('CREATE DATABASE IF NOT EXISTS t')
    const after = await replication.position()
    expect(after?.sequence).toBe((before?.sequence ?? 0) + 1)
  })

  it('starts, stops and resets a channel, and reads it in each state', async () => {
    await makeReplica({ primary, replica })
    const replication = replicationOf(replica)
    const source = { host: '127.0.0.1', port: primary.port }
    const fresh = { name: '', source, receiver: 'stopped', applier: 'stopped', received: null, byGtid: true }
    expect(await only(replication)).toMatchObject(fresh)

    await running()
    await eventually(async () =>
      expect(await only(replication)).toMatchObject({ receiver: 'running', applier: 'running' }),
    )
    const [gtid] = await primary.sql('SELECT @@gtid_binlog_pos AS gtid')
    const position = await replicationOf(primary).position()
    const sequence = Number(String(gtid?.gtid).split('-')[2])
    expect(await only(replication)).toEqual({
      name: '',
      source,
      receiver: 'running',
      receiverError: null,
      applier: 'running',
      applierError: null,
      secondsBehind: 0,
      received: position?.written,
      applied: position?.written,
      sequence,
      byGtid: true,
      sourceId: 1,
      receivedGtids: readMariadbGtids(String(gtid?.gtid)),
      delay: 0,
      tls: null,
    })

    await replication.stop('')
    expect(await only(replication)).toMatchObject({
      receiver: 'stopped',
      applier: 'stopped',
      secondsBehind: null,
      applied: position?.written,
    })
    await replication.reset('')
    expect(await only(replication)).toMatchObject({ ...fresh, sequence })
  })

  it('speaks to a channel by its name, whatever is in it', async () => {
    const channel = `it's \\"odd"`
    await makeReplica({ primary, replica, channel: channel.replaceAll(/[\\']/g, '\\$&') })
    const replication = replicationOf(replica)
    expect(await only(replication)).toMatchObject({ name: channel, receiver: 'stopped' })
    await replication.start(channel)
    expect(await only(replication)).toMatchObject({ applier: 'running' })
    await replica.sql("SET GLOBAL sql_mode = 'NO_BACKSLASH_ESCAPES'")
    onTestFinished(async () => void (await replica.sql('SET GLOBAL sql_mode = DEFAULT')))
    await replication.stop(channel)
    expect(await only(replication)).toMatchObject({ applier: 'stopped' })
  })

  it('tells the error of a broken replication', async () => {
    const replication = await running()
    await replica.sql('SET sql_log_bin = 0', 'INSERT INTO t.x VALUES (1)')
    await primary.sql('INSERT INTO t.x VALUES (1)')
    await eventually(async () => expect((await only(replication))?.applier).toBe('stopped'))
    expect(await only(replication)).toMatchObject({
      receiver: 'running',
      applier: 'stopped',
      applierError: { number: 1062, message: expect.stringContaining("Duplicate entry '1'") },
      secondsBehind: null,
    })
    await replication.stop('')
    await replica.sql('SET sql_log_bin = 0', 'DELETE FROM t.x')
    await replication.start('')
    const [written] = await primary.sql('SELECT @@gtid_binlog_pos AS gtid')
    const [waited] = await replica.sql(`SELECT MASTER_GTID_WAIT('${written?.gtid}', 10) AS code`)
    expect(waited?.code).toBe(0)
  })

  it('tells what is not configured, what is not there and what must be stopped first', async () => {
    const replication = replicationOf(replica)
    expect(await failure(replication.start(''))).toMatchObject({ code: 'not-configured', number: 1200 })
    expect(await failure(replication.stop('nobody'))).toMatchObject({ code: 'no-channel', number: 1617 })
    await running()
    expect(await failure(replication.reset(''))).toMatchObject({ code: 'running', number: 1198 })
  })

  it('tells of a wrong password and of a missing privilege, and never the password', async () => {
    const wrong = await failure(replicationOf(replica, { password: new Secret('hidden') }).channels())
    expect([wrong.code, wrong.number, wrong.message]).toEqual([
      'refused',
      1045,
      `The database 127.0.0.1:${replica.port} rejected login 'muster': ERROR 1045: Access denied for user 'muster'@'127.0.0.1' ` +
        '(using password: YES). Check replication-user and replication-password.',
    ])
    await replica.sql('SET sql_log_bin = 0', "CREATE OR REPLACE USER poor@'127.0.0.1' IDENTIFIED BY 'x'")
    const poor = replicationOf(replica, { user: 'poor', password: new Secret('x') })
    expect(await failure(poor.channels())).toMatchObject({
      code: 'refused',
      number: 1227,
      message: expect.stringMatching(
        /SLAVE MONITOR.* Grant what is missing to the user 'poor' on this server\.$/,
      ),
    })
    expect(await failure(poor.stop(''))).toMatchObject({ code: 'refused', number: 1227 })
  })

  it('tells that the settings mean another kind of server', async () => {
    const error = await failure(replicationOf(replica, {}, 'mysql').channels())
    expect(error.message).toMatch(/ is MariaDB \(10\..*\), not MySQL\. Correct datasource-type\.$/)
    await eventually(async () => expect(await connectionsOf(replica)).toEqual([]))
  })

  it('tells that nothing listens, and that a name is unknown', async () => {
    const port = replica.port
    await replica.kill()
    const down = await failure(replicationOf(replica).channels())
    await replica.start()
    expect([down.code, down.message]).toEqual([
      'unreachable',
      `The database 127.0.0.1:${port} cannot be reached: nothing listens there. Start the database.`,
    ])
    const unknown = await failure(replicationOf(replica, { host: 'database.invalid' }).channels())
    expect(unknown.code).toBe('unreachable')
  })

  it('reads on after a restart of the server', async () => {
    const replication = replicationOf(replica)
    expect(await replication.channels()).toEqual([])
    await replica.kill()
    await replica.start()
    expect(await replication.channels()).toEqual([])
  })

  it('waits for a server that hangs no longer than its limit, and reads on when it wakes up', async () => {
    const impatient = () => replicationOf(replica, {}, 'mariadb', 1000)
    const [fresh, used] = [impatient(), impatient()]
    await used.channels()
    replica.freeze()
    onTestFinished(() => replica.thaw())
    const [late, lost, change] = await Promise.all([
      failure(fresh.channels()),
      failure(used.channels()),
      failure(fresh.stop('')),
    ])
    expect([late.code, lost.code, change.code]).toEqual(['timeout', 'timeout', 'timeout'])
    expect(lost.message).toBe(`The database 127.0.0.1:${replica.port} did not answer in time.`)
    replica.thaw()
    expect(await fresh.channels()).toEqual([])
    expect(await used.channels()).toEqual([])
  })

  it('lets go of a server that hangs', async () => {
    // The column of the remote end, and 01 for an established connection (proc(5)).
    const end = `:${replica.port.toString(16).padStart(4, '0').toUpperCase()} 01 `
    const connected = () => readFileSync('/proc/self/net/tcp', 'utf8').split(end).length - 1
    expect(connected()).toBe(0)
    const replication = replicationOf(replica)
    await replication.channels()
    expect(connected()).toBe(1)
    replica.freeze()
    onTestFinished(() => replica.thaw())
    replication.close()
    await eventually(() => expect(connected()).toBe(0))
  })

  it('says goodbye to a server, which counts and logs connections that only end', async () => {
    const watching = await connect(accountOf(primary), new AbortController().signal)
    onTestFinished(() => watching.close())
    const aborted = () => watching.query("SHOW GLOBAL STATUS LIKE 'Aborted_clients'")
    const own = "SELECT COUNT(*) AS own FROM information_schema.PROCESSLIST WHERE USER = 'muster'"
    const alone = () => eventually(async () => expect(await watching.query(own)).toEqual([{ own: '1' }]))
    await alone()
    const before = await aborted()
    const opened = await connect(accountOf(primary), new AbortController().signal)
    opened.quit()
    await opened.ended
    await alone()
    expect(await aborted()).toEqual(before)
  })

  it('never takes two statements for one', async () => {
    const opened = await connect(accountOf(replica), new AbortController().signal)
    onTestFinished(() => opened.close())
    expect(await failure(opened.query('SELECT 1; SELECT 2'))).toMatchObject({ code: 'refused', number: 1064 })
  })

  it('keeps one connection, and leaves none behind', async () => {
    const replication = replicationOf(primary)
    await Promise.all([replication.channels(), replication.channels(), replication.position()])
    await failure(replication.start(''))
    await eventually(async () => expect(await connectionsOf(primary)).toHaveLength(1))
    replication.close()
    await eventually(async () => expect(await connectionsOf(primary)).toEqual([]))
    expect(await failure(replication.channels())).toMatchObject({ code: 'unreachable' })
  })
})
