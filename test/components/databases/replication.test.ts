import { describe, expect, it } from 'vitest'
import { DatabaseError } from '../../../src/components/databases/databaseError.ts'
import { createReplication } from '../../../src/components/databases/replication.ts'
import { type FakeDatabase, fakeDatabase } from '../../support/fakeDatabase.ts'
import { mysqlReplica } from '../../support/replicaRows.ts'

const limits = { connect: 50, query: 50, change: 50 }
const version = '8.4.3'
const mysqlOf = (database: FakeDatabase) =>
  createReplication({ type: 'mysql', dial: database.dial, limits, place: 'fake:3306' })

describe('replication over MySQL', () => {
  it('lists its channels', async () => {
    const west = { ...mysqlReplica, Channel_Name: 'west' }
    const database = fakeDatabase({
      version,
      expect: [{ statement: 'SHOW REPLICA STATUS', answer: [mysqlReplica, west] }],
    })
    expect((await mysqlOf(database).channels()).map(({ name }) => name)).toEqual(['', 'west'])
  })

  it('reads the own log, and its absence', async () => {
    const log = { File: 'bin.000001', Position: '4', Executed_Gtid_Set: 'a:1-5' }
    const on = fakeDatabase({
      version,
      expect: [
        { statement: 'SHOW BINARY LOG STATUS', answer: [log] },
        { statement: 'SELECT @@GLOBAL.server_uuid AS server', answer: [{ server: 'a' }] },
      ],
    })
    expect(await mysqlOf(on).position()).toEqual({ written: 'bin.000001:4', sequence: 5 })
    const off = fakeDatabase({ version, expect: [{ statement: 'SHOW BINARY LOG STATUS' }] })
    expect(await mysqlOf(off).position()).toBeNull()
  })

  it('changes one channel, on a connection that it closes', async () => {
    const statements = ['START', 'STOP', 'RESET'].map((verb) => `${verb} REPLICA FOR CHANNEL 'west'`)
    const database = fakeDatabase({
      version,
      expect: statements.map((statement) => ({ statement, times: 1 })),
    })
    const replication = mysqlOf(database)
    await replication.start('west')
    await replication.stop('west')
    await replication.reset('west')
    expect([database.statements, database.dials(), database.open()]).toEqual([statements, 3, 0])
  })

  it('hands on what the server refuses, and closes the connection all the same', async () => {
    const refused = new DatabaseError({ code: 'running', message: 'no', number: 3081 })
    const database = fakeDatabase({
      version,
      expect: [{ statement: "RESET REPLICA FOR CHANNEL ''", answer: refused }],
    })
    await expect(mysqlOf(database).reset('')).rejects.toBe(refused)
    expect(database.open()).toBe(0)
  })

  it('lets a login that comes too late end by itself, since servers count those that are broken off', async () => {
    const database = fakeDatabase({ version })
    const signals: AbortSignal[] = []
    const closed: AbortSignal[] = []
    let login = (): void => undefined
    const gate = new Promise<void>((resolve) => {
      login = resolve
    })
    const replication = createReplication({
      type: 'mysql',
      dial: async (signal) => {
        signals.push(signal)
        await gate
        const opened = await database.dial(signal)
        return { ...opened, close: () => void closed.push(signal) }
      },
      limits,
      place: 'fake:3306',
    })
    await expect(replication.start('west')).rejects.toMatchObject({ code: 'timeout' })
    expect(signals.map(({ aborted }) => aborted)).toEqual([false])
    login()
    await expect.poll(() => closed).toEqual(signals)
    const late = replication.stop('west')
    replication.close()
    await expect(late).rejects.toBeInstanceOf(DatabaseError)
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, true])
  })

  it('gives a change up that never ends', async () => {
    const database = fakeDatabase({
      version,
      expect: [{ statement: "STOP REPLICA FOR CHANNEL ''", answer: () => new Promise(() => undefined) }],
    })
    await expect(mysqlOf(database).stop('')).rejects.toMatchObject({ code: 'timeout' })
    expect(database.open()).toBe(0)
  })

  it('refuses a server of the other kind', async () => {
    const database = fakeDatabase({ version: '10.11.6-MariaDB' })
    await expect(mysqlOf(database).channels()).rejects.toMatchObject({
      code: 'refused',
      message: 'The database fake:3306 is MariaDB (10.11.6-MariaDB), not MySQL. Correct datasource-type.',
    })
    await expect(mysqlOf(database).start('')).rejects.toMatchObject({ code: 'refused' })
    expect(database.open()).toBe(0)
  })

  it('ends a change that is under way when it is closed', async () => {
    let asked: () => void = () => undefined
    const underWay = new Promise<void>((resolve) => {
      asked = resolve
    })
    const answer = () => {
      asked()
      return new Promise<never>(() => undefined)
    }
    const database = fakeDatabase({ version, expect: [{ statement: "STOP REPLICA FOR CHANNEL ''", answer }] })
    const replication = createReplication({
      type: 'mysql',
      dial: database.dial,
      limits: { ...limits, change: 60_000 },
      place: 'fake:3306',
    })
    const stopping = replication.stop('')
    await underWay
    replication.close()
    await expect(stopping).rejects.toMatchObject({ code: 'unreachable' })
  })
})
