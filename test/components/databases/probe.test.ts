import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { DatabaseError } from '../../../src/components/databases/databaseError.ts'
import { dialects } from '../../../src/components/databases/dialects.ts'
import { readMariadbGtids } from '../../../src/components/databases/gtidSet.ts'
import { createProbe } from '../../../src/components/databases/probe.ts'
import { fakeDatabase } from '../../support/fakeDatabase.ts'
import { mariadbReplica, mysqlReplica } from '../../support/replicaRows.ts'

const limits = { connect: 50, query: 50 }
const patience = { connect: 25_000, query: 25_000 }
const never = (): Promise<never> => new Promise(() => undefined)
const mariadbGtids = {
  statement: dialects.mariadb.gtids,
  answer: [{ gtids: '0-1-77', written: '0-1-77', replicated: '' }],
}
const probeOf = (database: ReturnType<typeof fakeDatabase>) =>
  createProbe({ dial: database.dial, limits, place: 'fake:3306' })

describe('createProbe', () => {
  it('reads a MariaDB replica in its own words, over one connection', async () => {
    const database = fakeDatabase({
      expect: [mariadbGtids, { statement: 'SHOW ALL SLAVES STATUS', answer: [mariadbReplica] }],
    })
    const probe = probeOf(database)
    expect(database.dials()).toBe(0)
    const read = await probe.read()
    expect(read).toMatchObject({ channels: [{ applier: 'running', secondsBehind: 3, sequence: 35 }] })
    expect(read.position).toBeNull()
    await probe.read()
    expect(database.dials()).toBe(1)
    const each = [mariadbGtids.statement, 'SHOW ALL SLAVES STATUS']
    expect(database.statements).toEqual([...each, ...each])
  })

  it('reads a MySQL replica in its own words', async () => {
    const database = fakeDatabase({
      version: '8.4.2',
      variables: { super_read_only: 'ON', server_uuid: '3e11fa47-71ca-11e1-9e33-c80aa9429562' },
      expect: [
        { statement: dialects.mysql.gtids, answer: [{ executed: '', server: 'x' }] },
        { statement: 'SHOW REPLICA STATUS', answer: [mysqlReplica] },
      ],
    })
    expect(await probeOf(database).read()).toMatchObject({
      isWritable: false,
      uuid: '3e11fa47-71ca-11e1-9e33-c80aa9429562',
      channels: [{ secondsBehind: 0, sequence: 7 }],
    })
  })

  it('reads where the log of a server stands that is no replica, if it writes one', async () => {
    const expected = [
      mariadbGtids,
      { statement: 'SHOW ALL SLAVES STATUS' },
      { statement: 'SHOW MASTER STATUS', answer: [{ File: 'bin.000002', Position: '1307' }] },
    ]
    const server = {
      version: '10.11.6-MariaDB-log',
      isWritable: true,
      serverId: 1,
      uuid: null,
      semiSync: { source: false, replica: false },
      ackGaps: [
        'rpl_semi_sync_master_enabled=1',
        'rpl_semi_sync_master_wait_point=AFTER_SYNC',
        'rpl_semi_sync_master_timeout=86400000',
        'rpl_semi_sync_master_wait_no_slave=1',
      ],
      semiSyncClients: 0,
      ackers: null,
      waitingCommits: 0,
      acknowledged: null,
      takesOwn: false,
      proxyNetworks: '',
      gtids: readMariadbGtids('0-1-77'),
      channels: [],
      uptime: 86_400,
      omissions: [],
    }
    const position = { written: 'bin.000002:1307', sequence: 77 }
    expect(await probeOf(fakeDatabase({ expect: expected })).read()).toEqual({ ...server, position })
    const silent = [...expected.slice(0, 2), { statement: 'SHOW MASTER STATUS', answer: [] }]
    expect(await probeOf(fakeDatabase({ expect: silent })).read()).toEqual({ ...server, position: null })
  })

  it('reads by which settings a replica leaves something out, and by which the log of a primary does', async () => {
    const replica = fakeDatabase({
      variables: { slave_exec_mode: 'IDEMPOTENT', slave_skip_errors: 'OFF', sql_slave_skip_counter: '0' },
      expect: [
        mariadbGtids,
        {
          statement: 'SHOW ALL SLAVES STATUS',
          answer: [{ ...mariadbReplica, Replicate_Ignore_Table: 'shop.orders', Replicate_Do_DB: '' }],
        },
      ],
    })
    expect((await probeOf(replica).read()).omissions).toEqual([
      { reason: 'filter', setting: 'Replicate_Ignore_Table = shop.orders' },
      { reason: 'idempotent', setting: 'slave_exec_mode = IDEMPOTENT' },
    ])
    const log = { File: 'bin.000002', Position: '1307', Binlog_Do_DB: '', Binlog_Ignore_DB: 'shop' }
    const primary = fakeDatabase({
      expect: [
        mariadbGtids,
        { statement: 'SHOW ALL SLAVES STATUS' },
        { statement: 'SHOW MASTER STATUS', answer: [log] },
      ],
    })
    expect((await probeOf(primary).read()).omissions).toEqual([
      { reason: 'binary-log-filter', setting: 'Binlog_Ignore_DB = shop' },
    ])
  })

  it('asks once where the log of a server stands that commits keep locked, until one of them is acknowledged', async () => {
    let isLocked = true
    let acknowledged = 7
    const answer = () => (isLocked ? never() : Promise.resolve([{ File: 'bin.000002', Position: '1307' }]))
    const database = fakeDatabase({
      status: () => ({
        Rpl_semi_sync_master_status: 'ON',
        Rpl_semi_sync_master_wait_sessions: '1',
        Rpl_semi_sync_master_yes_tx: String(acknowledged),
      }),
      expect: [
        mariadbGtids,
        { statement: 'SHOW ALL SLAVES STATUS' },
        { statement: 'SHOW MASTER STATUS', answer },
      ],
    })
    const probe = createProbe({ dial: database.dial, limits: patience, place: 'fake:3306' })
    const asked = () => database.statements.filter((it) => it === 'SHOW MASTER STATUS').length
    for (const _round of [1, 2, 3]) {
      expect(await probe.read()).toMatchObject({ position: null, waitingCommits: 1, acknowledged: 7 })
    }
    expect([asked(), database.dials(), database.open()]).toEqual([1, 2, 1])
    isLocked = false
    acknowledged = 8
    expect(await probe.read()).toMatchObject({ position: { written: 'bin.000002:1307' } })
    expect(await probe.read()).toMatchObject({ position: { written: 'bin.000002:1307' } })
    expect([asked(), database.dials()]).toEqual([3, 2])
  })

  it('waits 3 s where the log of a server stands that hung before commits locked it, and goes on', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const database = fakeDatabase({
      status: () => ({ Rpl_semi_sync_master_status: 'ON', Rpl_semi_sync_master_wait_sessions: '0' }),
      expect: [
        mariadbGtids,
        { statement: 'SHOW ALL SLAVES STATUS' },
        { statement: 'SHOW MASTER STATUS', answer: never },
      ],
    })
    const probe = createProbe({ dial: database.dial, limits: patience, place: 'fake:3306' })
    const reading = probe.read()
    await vi.advanceTimersByTimeAsync(3000)
    expect(await reading).toMatchObject({ position: null, waitingCommits: 0 })
    expect(database.open()).toBe(0)
  })

  it('says which privileges are missing, and asks again with a new login', async () => {
    const message =
      'The database fake:3306 reported ERROR 1227: Access denied. Grant what is missing to the user on this server.'
    const refused = new DatabaseError({ code: 'refused', number: 1227, message })
    const database = fakeDatabase({
      expect: [
        mariadbGtids,
        { statement: 'SHOW ALL SLAVES STATUS', answer: refused, times: 1 },
        { statement: 'SHOW ALL SLAVES STATUS', answer: [mariadbReplica] },
      ],
    })
    const probe = probeOf(database)
    await expect(probe.read()).rejects.toMatchObject({
      code: 'refused',
      number: 1227,
      message: `${message} It needs REPLICA MONITOR and BINLOG MONITOR (MariaDB before 10.5: REPLICATION CLIENT).`,
    })
    await probe.read()
    expect(database.dials()).toBe(2)
  })

  it('ends its connection', async () => {
    const database = fakeDatabase({
      expect: [mariadbGtids, { statement: 'SHOW ALL SLAVES STATUS', answer: [mariadbReplica] }],
    })
    const probe = probeOf(database)
    await probe.read()
    probe.close()
    expect(database.open()).toBe(0)
  })
})
