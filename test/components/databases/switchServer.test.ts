import { describe, expect, it, onTestFinished } from 'vitest'
import type { Row } from '../../../src/components/databases/connection.ts'
import { DatabaseError } from '../../../src/components/databases/databaseError.ts'
import { createSwitchServer } from '../../../src/components/databases/switchServer.ts'
import { Secret } from '../../../src/secrets/secret.ts'

type Answer = readonly Row[] | DatabaseError

/** A server that is told what to answer, by the beginning of a statement; nothing to all others. */
function told(version: string, answers: Readonly<Record<string, Answer>> = {}, service = 'alpha') {
  const statements: string[] = []
  const query = async (statement: string): Promise<readonly Row[]> => {
    statements.push(statement)
    if (statement.startsWith('SELECT VERSION()')) return [{ version }]
    const [, answer = []] = Object.entries(answers).find(([start]) => statement.startsWith(start)) ?? []
    if (answer instanceof DatabaseError) throw answer
    return answer
  }
  const server = createSwitchServer({
    dial: async () => ({ query, quit: () => {}, close: () => {}, ended: new Promise(() => {}) }),
    place: 'db1',
    service,
    leftOut: ['muster', "o'brien"],
    idle: 68_000,
  })
  onTestFinished(() => server.close())
  /** Statements since the connection is open. */
  return { server, opening: () => statements.slice(0, 3), sent: () => statements.slice(3) }
}

const mysqlChannel = (name: string): Row => ({
  Channel_Name: name,
  Source_Host: 'db9',
  Source_Port: '3306',
  Source_Server_Id: '9',
  Source_UUID: '',
  Replica_IO_Running: 'Yes',
  Replica_SQL_Running: 'Yes',
  Last_IO_Errno: '0',
  Last_SQL_Errno: '0',
  Seconds_Behind_Source: '0',
  Source_Log_File: '',
  Read_Source_Log_Pos: '4',
  Relay_Source_Log_File: '',
  Exec_Source_Log_Pos: '0',
  Executed_Gtid_Set: '',
  Retrieved_Gtid_Set: '',
  Auto_Position: '1',
})
const account = { user: "o'brien", password: new Secret("it's \\ so") }
const tls = { verify: true, ca: "/etc/it's.pem", caPath: '', certificate: '/c.pem', key: '/k.pem' }

describe('the connection of a switch', () => {
  it.each(['8.4.3', '10.11.14-MariaDB'])(
    'is ended by the server where it is idle, as on %s',
    async (version) => {
      const { server, opening } = told(version, { 'SELECT GET_LOCK': [{ result: '1' }] })
      await server.lock(false)
      expect(opening()[0]).toBe("SET SESSION sql_mode = '', wait_timeout = 68")
    },
  )
})

describe('the changes of a switch on MySQL', () => {
  const gtids = '3e11fa47-71ca-11e1-9e33-c80aa9429562:1-5'

  it('are made in the words of its manual', async () => {
    const { server, sent } = told('8.4.3', {
      'SELECT @@GLOBAL.gtid_executed': [{ log: gtids, applied: '' }],
      'SELECT WAIT_FOR_EXECUTED_GTID_SET': [{ result: '0' }],
      'SHOW GLOBAL VARIABLES LIKE': [
        { Variable_name: 'rpl_semi_sync_source_enabled', Value: 'ON' },
        { Variable_name: 'rpl_semi_sync_replica_enabled', Value: 'OFF' },
      ],
    })
    await server.setReadOnly(true)
    await server.setReadOnly(false)
    expect(await server.waitFor(await server.written(), 1500)).toBe(true)
    await server.kill([7, 8])
    await server.stopReplication()
    await server.startReplication()
    await server.setSemiSync({ source: false, replica: true })
    expect(sent()).toEqual([
      'SET PERSIST read_only = 1, PERSIST super_read_only = 1',
      'SET PERSIST read_only = 1, PERSIST super_read_only = 1',
      'SET GLOBAL super_read_only = 0, GLOBAL read_only = 0',
      "SELECT @@GLOBAL.gtid_executed AS log, '' AS applied",
      `SELECT WAIT_FOR_EXECUTED_GTID_SET('${gtids}', 1.5) AS result`,
      'KILL CONNECTION 7',
      'KILL CONNECTION 8',
      'STOP REPLICA',
      'START REPLICA',
      "SHOW GLOBAL VARIABLES LIKE 'rpl\\_semi\\_sync\\_%\\_enabled'",
      'SET PERSIST rpl_semi_sync_source_enabled = 0',
      'SET PERSIST rpl_semi_sync_replica_enabled = 1',
    ])
  })

  it('keep the main channel and its account, and remove the others', async () => {
    const { server, sent } = told('8.4.3', {
      'SHOW REPLICA STATUS': [mysqlChannel("o'ne"), mysqlChannel('')],
    })
    await server.follow({ host: "d'b2", port: 3307 })
    expect(sent()).toEqual([
      'SHOW REPLICA STATUS',
      'STOP REPLICA',
      "RESET REPLICA ALL FOR CHANNEL 'o\\'ne'",
      "CHANGE REPLICATION SOURCE TO SOURCE_HOST='d\\'b2', SOURCE_PORT=3307, SOURCE_AUTO_POSITION=1 FOR CHANNEL ''",
      'START REPLICA',
    ])
  })

  it('give a server without channels the account, with TLS or the key of the source, and attempts for days', async () => {
    for (const [given, expected] of [
      [
        tls,
        "SOURCE_SSL=1, SOURCE_SSL_CA='/etc/it\\'s.pem', SOURCE_SSL_CERT='/c.pem', SOURCE_SSL_KEY='/k.pem', SOURCE_SSL_VERIFY_SERVER_CERT=1, SOURCE_AUTO_POSITION=1, SOURCE_RETRY_COUNT=86400",
      ],
      [null, 'SOURCE_SSL=0, SOURCE_AUTO_POSITION=1, SOURCE_RETRY_COUNT=86400, GET_SOURCE_PUBLIC_KEY=1'],
    ] as const) {
      const { server, sent } = told('8.4.3', {
        'SELECT @@GLOBAL.gtid_executed': [{ log: gtids, applied: '' }],
      })
      await server.follow({ host: 'db2', port: 3306, account, tls: given })
      expect(sent().at(-2)).toBe(
        "CHANGE REPLICATION SOURCE TO SOURCE_HOST='db2', SOURCE_PORT=3306, SOURCE_USER='o\\'brien', " +
          `SOURCE_PASSWORD='it\\'s \\\\ so', SOURCE_CONNECT_RETRY=5, ${expected} FOR CHANNEL ''`,
      )
    }
  })

  it('see sessions and transactions by the Performance Schema', async () => {
    const session = { user: 'app', command: 'Sleep', milliseconds: '3000', misleads: '0' }
    const { server, sent } = told('8.4.3', {
      'SELECT ID AS id': [
        { ...session, id: '7' },
        { ...session, id: '8', command: 'Query' },
      ],
      'SELECT threads.PROCESSLIST_ID': [{ id: '8', number: '40-7', seconds: '12' }],
    })
    for (let round = 0; round < 2; round++) {
      expect(await server.sessions()).toEqual([
        { id: 7, user: 'app', milliseconds: 3000, isIdle: true, transaction: null },
        { id: 8, user: 'app', milliseconds: 3000, isIdle: false, transaction: { id: '1', seconds: 12 } },
      ])
    }
    expect(sent()[0]).toContain("AND USER <> 'muster' AND USER <> 'o\\'brien'")
    expect(sent().join('\n')).not.toContain('INNODB')
  })

  it('name the events that do not run, and leave the event scheduler alone', async () => {
    const { server, sent } = told('8.4.3', {
      'SELECT @@GLOBAL.gtid_executed': [{ log: gtids, applied: '' }],
      'SELECT EVENT_SCHEMA': [{ schema: 'shop', name: 'be`at' }],
    })
    await server.startEvents()
    await server.follow({ host: 'db2', port: 3306, account })
    expect(sent().join('\n')).not.toContain('event_scheduler')
    expect(await server.disabledEvents()).toEqual(['`shop`.`be``at`'])
  })

  it('refuse a password that is longer than it takes', async () => {
    const { server, sent } = told('8.4.3')
    const work = server.follow({
      host: 'db2',
      port: 1,
      account: { ...account, password: new Secret('x'.repeat(33)) },
    })
    await expect(work).rejects.toThrow('at most 32 characters')
    expect(sent()).toEqual([])
  })
})

describe('the changes of a switch', () => {
  const mariadb = '10.11.6-MariaDB'

  it('take a lock whose name fits, whatever the name of the service', async () => {
    const answers = { 'SELECT GET_LOCK': [{ result: '1' }] }
    const short = told(mariadb, answers, "it's")
    const long = told(mariadb, answers, 'x'.repeat(60))
    const other = told(mariadb, answers, `${'x'.repeat(60)}y`)
    for (const { server } of [short, long, other]) expect(await server.lock(false)).toBe(true)
    expect(short.sent()).toEqual(["SELECT GET_LOCK('muster.switch.it\\'s', 0) AS result"])
    expect(long.sent()[0]).toMatch(/^SELECT GET_LOCK\('muster\.switch\.[0-9a-f]{40}', 0\) AS result$/)
    expect(long.sent()).not.toEqual(other.sent())
  })

  it('give up a lock that always somebody has', async () => {
    const { server } = told(mariadb, {
      'SELECT GET_LOCK': [{ result: '0' }],
      'SELECT IS_USED_LOCK': [{ id: '9' }],
    })
    expect(await server.lock(true)).toBe(false)
  })

  it('end many connections with few statements, and none that is no number', async () => {
    const { server, sent } = told(mariadb)
    await server.kill([])
    expect(sent()).toEqual([])
    await server.kill(Array.from({ length: 201 }, (_, index) => index + 1))
    expect(sent()).toHaveLength(2)
    expect(sent()[1]).toBe(
      'BEGIN NOT ATOMIC DECLARE CONTINUE HANDLER FOR 1094 BEGIN END; KILL CONNECTION 201; END',
    )
    await expect(server.kill([Number.NaN])).rejects.toThrow('without a number')
  })

  it('refuse positions and connections that a server makes up', async () => {
    const odd = told(mariadb, {
      'SELECT @@GLOBAL.gtid_binlog_pos': [{ log: "0-1-1'; DROP", applied: '' }],
      'SELECT ID AS id': [{ id: '7 OR 1', user: 'x', command: 'Sleep', milliseconds: '1', misleads: '0' }],
    })
    await expect(odd.server.follow({ host: 'db2', port: 1, account })).rejects.toThrow('no set of GTIDs')
    await expect(odd.server.waitFor("0-1-1'", 10)).rejects.toThrow('no set of GTIDs')
    await expect(odd.server.sessions()).rejects.toThrow('without a number')
    expect(odd.sent().join('\n')).not.toContain('DROP')
  })

  it('end the event scheduler of a MariaDB that begins to follow, or leave it where the account may not', async () => {
    const running = { 'SELECT @@GLOBAL.event_scheduler': [{ value: 'ON' }] }
    const stop = 'SET GLOBAL event_scheduler = OFF'
    for (const refused of [undefined, new DatabaseError({ code: 'refused', number: 1227, message: 'no' })]) {
      const { server, sent } = told(mariadb, {
        ...running,
        ...(refused && { [stop]: refused }),
        'SELECT @@GLOBAL.gtid_binlog_pos': [{ log: '0-1-1', applied: '' }],
      })
      await server.follow({ host: 'db2', port: 3306, account })
      expect(sent().indexOf(stop)).toBeLessThan(sent().findIndex((it) => it.startsWith('CHANGE MASTER')))
      expect(sent()).toContain(stop)
      expect(sent().at(-1)).toBe('START ALL SLAVES')
    }
  })

  it('wait for nothing where nothing was written', async () => {
    const { server, sent } = told(mariadb)
    expect(await server.waitFor('', 1000)).toBe(true)
    expect(sent()).toEqual([])
  })
})
