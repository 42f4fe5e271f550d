import { describe, expect, it } from 'vitest'
import { DatabaseError } from '../../../src/components/databases/databaseError.ts'
import { createProbe } from '../../../src/components/databases/probe.ts'
import { fakeDatabase } from '../../support/fakeDatabase.ts'
import { mariadbReplica, mysqlReplica } from '../../support/replicaRows.ts'

const limits = { connect: 50, query: 50 }
const probeOf = (database: ReturnType<typeof fakeDatabase>) =>
  createProbe({ dial: database.dial, limits, place: 'fake:3306' })

describe('createProbe', () => {
  it('reads a MariaDB replica in its own words, over one connection', async () => {
    const database = fakeDatabase({
      expect: [{ statement: 'SHOW ALL SLAVES STATUS', answer: [mariadbReplica] }],
    })
    const probe = probeOf(database)
    expect(database.dials()).toBe(0)
    const read = await probe.read()
    expect(read).toMatchObject({ channels: [{ applier: 'running', secondsBehind: 3, sequence: 35 }] })
    expect(read.position).toBeNull()
    await probe.read()
    expect(database.dials()).toBe(1)
    expect(new Set(database.statements)).toEqual(new Set(['SHOW ALL SLAVES STATUS']))
  })

  it('reads a MySQL replica in its own words', async () => {
    const database = fakeDatabase({
      version: '8.4.2',
      expect: [{ statement: 'SHOW REPLICA STATUS', answer: [mysqlReplica] }],
    })
    expect(await probeOf(database).read()).toMatchObject({ channels: [{ secondsBehind: 0, sequence: 7 }] })
  })

  it('reads where the log of a server stands that is no replica, if it writes one', async () => {
    const expected = [
      { statement: 'SHOW ALL SLAVES STATUS' },
      { statement: 'SHOW MASTER STATUS', answer: [{ File: 'bin.000002', Position: '1307' }] },
      { statement: 'SELECT @@GLOBAL.gtid_binlog_pos AS gtids', answer: [{ gtids: '0-1-77' }] },
    ]
    const position = { written: 'bin.000002:1307', sequence: 77 }
    expect(await probeOf(fakeDatabase({ expect: expected })).read()).toEqual({ channels: [], position })
    const silent = expected.slice(0, 1).concat({ statement: 'SHOW MASTER STATUS', answer: [] })
    expect(await probeOf(fakeDatabase({ expect: silent })).read()).toEqual({ channels: [], position: null })
  })

  it('says which privileges are missing, and asks again with a new login', async () => {
    const message =
      'The database fake:3306 reported ERROR 1227: Access denied. Grant what is missing to the user on this server.'
    const refused = new DatabaseError({ code: 'refused', number: 1227, message })
    const database = fakeDatabase({
      expect: [
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
      expect: [{ statement: 'SHOW ALL SLAVES STATUS', answer: [mariadbReplica] }],
    })
    const probe = probeOf(database)
    await probe.read()
    probe.close()
    expect(database.open()).toBe(0)
  })
})
