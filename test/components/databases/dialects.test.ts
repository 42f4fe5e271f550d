import { describe, expect, it } from 'vitest'
import type { DatabaseError } from '../../../src/components/databases/databaseError.ts'
import { dialects, readIdentity, readStatus } from '../../../src/components/databases/dialects.ts'
import { readMariadbGtids, readMysqlGtids } from '../../../src/components/databases/gtidSet.ts'
import { mariadbBroken, mariadbOffline, mariadbReplica, mysqlReplica } from '../../support/replicaRows.ts'

const { mariadb, mysql } = dialects

describe('the dialect of MariaDB', () => {
  it('goes on after the lock from what was there under it and was applied since, not from later writes', () => {
    const goOn = (positions?: { readonly locked: string; readonly applied: string }) =>
      mariadb.switching.afterLocked({ Using_Gtid: 'Current_Pos' }, positions)
    expect(goOn({ locked: '0-1-10,1-1-9', applied: '0-2-12,1-3-5' })).toEqual([
      "SET GLOBAL gtid_slave_pos = '1-1-9,0-2-12'",
    ])
    expect(goOn({ locked: '0-1-9', applied: '0-2-8' })).toEqual(["SET GLOBAL gtid_slave_pos = '0-1-9'"])
    expect(goOn()).toEqual(['SET GLOBAL gtid_slave_pos = @@GLOBAL.gtid_current_pos'])
  })

  it('reads a replica that runs', () => {
    expect(mariadb.readChannel(mariadbReplica)).toEqual({
      name: '',
      source: { host: '10.0.0.11', port: 3306 },
      sourceId: 1,
      receiver: 'running',
      receiverError: null,
      applier: 'running',
      applierError: null,
      secondsBehind: 3,
      received: 'bin.000002:1307',
      applied: 'bin.000002:1207',
      sequence: 35,
      byGtid: true,
      receivedGtids: readMariadbGtids('0-1-36'),
      delay: 0,
      tls: null,
    })
  })

  it('reads one that is stopped, and one that is broken', () => {
    expect(mariadb.readChannel(mariadbOffline)).toMatchObject({
      receiver: 'stopped',
      applier: 'stopped',
      secondsBehind: null,
    })
    expect(mariadb.readChannel(mariadbBroken)).toMatchObject({
      receiver: 'running',
      applier: 'stopped',
      applierError: { number: 1062, message: "Error 'Duplicate entry '100' for key 'PRIMARY'' on query." },
    })
  })

  it.each(['Connecting', 'Preparing'])('takes a receiver that says %s for one on its way', (word) => {
    expect(mariadb.readChannel({ ...mariadbReplica, Slave_IO_Running: word }).receiver).toBe('connecting')
  })

  it.each([
    ['0-1-35', 35],
    ['', null],
    ['0-1-35,1-7-2', null],
    ['garbage', null],
  ])('numbers the position %j as %j', (gtids, sequence) => {
    expect(mariadb.readChannel({ ...mariadbReplica, Gtid_Slave_Pos: gtids }).sequence).toBe(sequence)
  })

  it('reads a channel that never fetched anything, by file', () => {
    const row = { ...mariadbOffline, Master_Log_File: '', Relay_Master_Log_File: '', Using_Gtid: 'No' }
    expect(mariadb.readChannel(row)).toMatchObject({ received: null, applied: null, byGtid: false })
  })

  it('reads where the own log stands', () => {
    const log = { File: 'bin.000001', Position: '18446744073709551615' }
    expect(mariadb.readPosition(log, { gtids: '0-1-36' })).toEqual({
      written: 'bin.000001:18446744073709551615',
      sequence: 36,
    })
  })

  it('reads a channel that never connected, and one that applies later on purpose', () => {
    const row = { ...mariadbReplica, Master_Server_Id: '0', SQL_Delay: '30' }
    expect(mariadb.readChannel(row)).toMatchObject({ sourceId: null, delay: 30 })
    const { SQL_Delay: _none, ...older } = mariadbReplica
    expect(mariadb.readChannel(older).delay).toBe(0)
  })

  it('reads the GTIDs of its log and of its replication', () => {
    expect(mariadb.readGtids({ gtids: '0-1-36', written: '0-2-9,0-1-36', replicated: '0-1-30' })).toEqual(
      readMariadbGtids('0-2-9,0-1-36', '0-1-30'),
    )
    expect(mariadb.readGtids({ gtids: '', written: 'garbage', replicated: '' })).toBeNull()
  })

  it('names a channel in its statements', () => {
    expect([mariadb.start(''), mariadb.stop("a'b"), mariadb.reset('a\\b')]).toEqual([
      "START SLAVE ''",
      "STOP SLAVE 'a\\'b'",
      "RESET SLAVE 'a\\\\b'",
    ])
  })

  it('refuses an answer without a column that it needs, by name', () => {
    const { Slave_IO_Running: _left, ...row } = mariadbReplica
    expect(() => mariadb.readChannel(row)).toThrow(
      expect.objectContaining<Partial<DatabaseError>>({
        code: 'refused',
        message:
          'The database answered without the column Slave_IO_Running: this version of it is not supported.',
      }),
    )
  })
})

describe('the dialect of MySQL 8.4', () => {
  it('reads a replica that runs', () => {
    expect(mysql.readChannel(mysqlReplica)).toEqual({
      name: '',
      source: { host: '127.0.0.1', port: 13000 },
      sourceId: 1,
      receiver: 'running',
      receiverError: null,
      applier: 'running',
      applierError: null,
      secondsBehind: 0,
      received: 'master-bin.000001:927',
      applied: 'master-bin.000001:927',
      sequence: 7,
      byGtid: true,
      receivedGtids: readMysqlGtids('73f86016-978b-11ee-ade5-8d2a2a562feb:1-3'),
      delay: 0,
      tls: null,
    })
  })

  it('reads one whose receiver cannot connect, by file', () => {
    const row = {
      ...mysqlReplica,
      Channel_Name: 'west',
      Replica_IO_Running: 'Connecting',
      Last_IO_Errno: '2003',
      Last_IO_Error: 'error connecting to source',
      Seconds_Behind_Source: null,
      Executed_Gtid_Set: '',
      Auto_Position: '0',
    }
    expect(mysql.readChannel(row)).toMatchObject({
      name: 'west',
      receiver: 'connecting',
      receiverError: { number: 2003, message: 'error connecting to source' },
      secondsBehind: null,
      sequence: null,
      byGtid: false,
    })
  })

  it.each([
    ['73f86016-978b-11ee-ade5-8d2a2a562feb:1-3', 3],
    ['73F86016-978B-11EE-ADE5-8D2A2A562FEB:9', 9],
    ['3e11fa47-71ca-11e1-9e33-c80aa9429562:1-99', null],
    ['73f86016-978b-11ee-ade5-8d2a2a562feb:audit:1-3', null],
  ])('numbers the set %s as %j', (gtids, sequence) => {
    expect(mysql.readChannel({ ...mysqlReplica, Executed_Gtid_Set: gtids }).sequence).toBe(sequence)
  })

  it('reads where the own log stands', () => {
    const log = {
      File: 'source-bin.000002',
      Position: '1307',
      Binlog_Do_DB: 'test',
      Binlog_Ignore_DB: 'manual, mysql',
      Executed_Gtid_Set: '3E11FA47-71CA-11E1-9E33-C80AA9429562:1-5',
    }
    expect(mysql.readPosition(log, { server: '3e11fa47-71ca-11e1-9e33-c80aa9429562' })).toEqual({
      written: 'source-bin.000002:1307',
      sequence: 5,
    })
  })

  it('has only the new words', () => {
    expect([
      mysql.channels,
      mysql.position[0],
      mysql.start(''),
      mysql.stop("a'b"),
      mysql.reset('west'),
    ]).toEqual([
      'SHOW REPLICA STATUS',
      'SHOW BINARY LOG STATUS',
      "START REPLICA FOR CHANNEL ''",
      "STOP REPLICA FOR CHANNEL 'a\\'b'",
      "RESET REPLICA FOR CHANNEL 'west'",
    ])
  })
})

describe('readStatus', () => {
  const unknown = { uptime: null, semiSyncClients: 0, ackers: null, waitingCommits: 0, acknowledged: null }
  const read = (status: Readonly<Record<string, string>>) =>
    readStatus(Object.entries(status).map(([Variable_name, Value]) => ({ Variable_name, Value })))

  it('reads for how long a server has run, and how many replicas acknowledge its commits', () => {
    expect(
      read({ Uptime: '86400', Rpl_semi_sync_master_status: 'ON', Rpl_semi_sync_master_clients: '2' }),
    ).toEqual({ uptime: 86_400, semiSyncClients: 2, ackers: 2, waitingCommits: 0, acknowledged: null })
    // As MariaDB prints it once the clock was set back.
    expect(read({ Uptime: '18446744073709548020' }).uptime).toBe(-3596)
    expect(read({ Rpl_semi_sync_source_status: 'ON', Rpl_semi_sync_source_clients: '0' }).ackers).toBe(0)
    expect(
      read({ Rpl_semi_sync_master_status: 'ON', Rpl_semi_sync_master_wait_sessions: '3' }).waitingCommits,
    ).toBe(3)
  })

  it('knows of nobody who acknowledges where the server waits for none of them', () => {
    expect(read({ Rpl_semi_sync_master_status: 'OFF', Rpl_semi_sync_master_clients: '2' })).toMatchObject({
      semiSyncClients: 2,
      ackers: null,
    })
    expect(read({})).toEqual(unknown)
  })

  it('takes what is no whole number for unknown', () => {
    for (const value of ['', '-1', '1.5', 'x']) {
      expect(
        read({ Uptime: value, Rpl_semi_sync_master_status: 'ON', Rpl_semi_sync_master_clients: value }),
      ).toEqual(unknown)
    }
  })
})

describe('readIdentity', () => {
  const rowsOf = (variables: Readonly<Record<string, string>>) =>
    Object.entries({ version: '10.11.6-MariaDB-log', read_only: 'OFF', server_id: '7', ...variables }).map(
      ([Variable_name, Value]) => ({ Variable_name, Value }),
    )

  it('reads a server that may be written, with semi-synchronous replication off where it has none', () => {
    expect(readIdentity(rowsOf({}))).toEqual({
      version: '10.11.6-MariaDB-log',
      isWritable: true,
      serverId: 7,
      uuid: null,
      semiSync: { source: false, replica: false },
      ackGaps: [
        'rpl_semi_sync_master_enabled=1',
        'rpl_semi_sync_master_wait_point=AFTER_SYNC',
        'rpl_semi_sync_master_timeout=86400000',
        'rpl_semi_sync_master_wait_no_slave=1',
      ],
      takesOwn: false,
      proxyNetworks: '',
    })
  })

  it.each([
    [{ read_only: 'OFF' }, true],
    [{ read_only: '0' }, true],
    [{ read_only: 'ON' }, false],
    [{ read_only: 'NO_LOCK_NO_ADMIN' }, false],
    [{ read_only: 'OFF', super_read_only: 'ON' }, false],
    [{ read_only: 'OFF', super_read_only: 'OFF' }, true],
  ])('reads from %j whether it may be written', (variables, isWritable) => {
    expect(readIdentity(rowsOf(variables)).isWritable).toBe(isWritable)
  })

  it.each([
    [{ rpl_semi_sync_master_enabled: 'ON', rpl_semi_sync_slave_enabled: 'OFF' }, [true, false]],
    [{ rpl_semi_sync_source_enabled: 'OFF', rpl_semi_sync_replica_enabled: 'ON' }, [false, true]],
  ])('reads semi-synchronous replication from %j', (variables, [source, replica]) => {
    expect(readIdentity(rowsOf(variables)).semiSync).toEqual({ source, replica })
  })

  const lossless = (role: 'master' | 'source', alone: string) => ({
    [`rpl_semi_sync_${role}_enabled`]: 'ON',
    [`rpl_semi_sync_${role}_wait_point`]: 'AFTER_SYNC',
    [`rpl_semi_sync_${role}_timeout`]: '86400000',
    [`rpl_semi_sync_${role}_${alone}`]: 'ON',
  })

  it.each([
    ['MariaDB', '10.11.6-MariaDB-log', lossless('master', 'wait_no_slave')],
    ['MySQL', '9.7.0', lossless('source', 'wait_no_replica')],
    ['MySQL with the former plugin', '8.0.36', lossless('master', 'wait_no_slave')],
  ])(
    'reads that %s acknowledges nothing before a replica has it, and else what it lacks for that',
    (_title, version, set) => {
      expect(readIdentity(rowsOf({ version, ...set })).ackGaps).toEqual([])
      for (const [name, value] of Object.entries(set)) {
        const other = value === '86400000' ? '86399999' : 'OFF'
        expect(readIdentity(rowsOf({ version, ...set, [name]: other })).ackGaps).toEqual([
          `${name}=${value === 'ON' ? '1' : value}`,
        ])
      }
    },
  )

  it('names the settings of MySQL where it has no plugin for them', () => {
    expect(readIdentity(rowsOf({ version: '9.7.0' })).ackGaps).toEqual([
      'rpl_semi_sync_source_enabled=1',
      'rpl_semi_sync_source_wait_point=AFTER_SYNC',
      'rpl_semi_sync_source_timeout=86400000',
      'rpl_semi_sync_source_wait_no_replica=1',
    ])
  })

  it('takes a number of 0 and a uuid that is none for unknown', () => {
    const server_uuid = '3E11FA47-71CA-11E1-9E33-C80AA9429562'
    expect(readIdentity(rowsOf({ server_id: '0', server_uuid: '\u001b[31m' }))).toMatchObject({
      serverId: null,
      uuid: null,
    })
    expect(readIdentity(rowsOf({ server_uuid })).uuid).toBe(server_uuid.toLowerCase())
  })

  it('keeps nothing of a version that a terminal would act on', () => {
    expect(readIdentity(rowsOf({ version: `\u001b[31m${'8'.repeat(500)}` })).version).toMatch(
      /^\\x1b\[31m8{95}$/,
    )
  })

  it('refuses a server that does not say whether it may be written', () => {
    const rows = rowsOf({}).filter((it) => it.Variable_name !== 'read_only')
    expect(() => readIdentity(rows)).toThrow('without the column read_only')
  })
})
