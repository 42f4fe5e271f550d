import { describe, expect, it } from 'vitest'
import type { Row } from '../../../src/components/databases/connection.ts'
import { DatabaseError } from '../../../src/components/databases/databaseError.ts'
import { keepConnection } from '../../../src/components/databases/keepConnection.ts'
import { eventually } from '../../support/eventually.ts'
import { fakeDatabase } from '../../support/fakeDatabase.ts'

const limits = { connect: 50, query: 50 }
const never = (): Promise<never> => new Promise(() => undefined)
const expect1 = [{ statement: 'SELECT 1', answer: [{ a: '1' }] }]
const kept = (database: ReturnType<typeof fakeDatabase>) =>
  keepConnection({ dial: database.dial, limits, place: 'fake:3306' })

describe('keepConnection', () => {
  it('opens one connection for all, when the first comes', async () => {
    const database = fakeDatabase({ expect: expect1 })
    const { read } = kept(database)
    expect(database.dials()).toBe(0)
    expect(await Promise.all([read('SELECT 1'), read('SELECT 1')])).toEqual([[{ a: '1' }], [{ a: '1' }]])
    await read('SELECT 1')
    expect(database.dials()).toBe(1)
  })

  it('lets callers leave while the attempt to connect goes on for those who come later', async () => {
    let open: () => void = () => undefined
    const gate = new Promise<void>((resolve) => {
      open = resolve
    })
    const database = fakeDatabase({ expect: expect1, beforeDial: () => gate })
    const { read } = kept(database)
    const late = { code: 'timeout', message: 'The database fake:3306 did not take the connection in time.' }
    await expect(read('SELECT 1')).rejects.toMatchObject(late)
    await expect(read('SELECT 1')).rejects.toMatchObject(late)
    const third = read('SELECT 1')
    open()
    expect(await third).toEqual([{ a: '1' }])
    expect(database.dials()).toBe(1)
  })

  it('logs in anew when the connection has come of age, and leaves the old one in order', async () => {
    const database = fakeDatabase({ expect: expect1 })
    let time = 0
    const { read } = keepConnection({
      dial: database.dial,
      limits: { ...limits, age: 8000 },
      place: 'fake:3306',
      now: () => time,
    })
    await read('SELECT 1')
    time = 7999
    await read('SELECT 1')
    expect(database.dials()).toBe(1)
    time = 8000
    await Promise.all([read('SELECT 1'), read('SELECT 1')])
    expect([database.dials(), database.open()]).toEqual([2, 1])
  })

  it('says that the server has ended the connection, and nothing of one that it leaves itself', async () => {
    const database = fakeDatabase({ expect: expect1 })
    const lost: number[] = []
    let time = 0
    const { read, close } = keepConnection({
      ...{ dial: database.dial, place: 'fake:3306', now: () => time },
      limits: { ...limits, age: 8000 },
      onLost: () => lost.push(time),
    })
    await read('SELECT 1')
    time = 8000
    await read('SELECT 1')
    await eventually(() => expect(database.open()).toBe(1))
    expect(lost).toEqual([])
    time = 8001
    database.breakAll()
    await eventually(() => expect(lost).toHaveLength(1))
    await read('SELECT 1')
    close()
    await eventually(() => expect(database.open()).toBe(0))
    expect(lost).toEqual([8001])
  })

  it('drops a connection that does not answer, and opens another for the next', async () => {
    const hanging = { statement: 'SELECT 1', answer: never, times: 1 }
    const database = fakeDatabase({ expect: [hanging, ...expect1] })
    const { read } = kept(database)
    await expect(read('SELECT 1')).rejects.toMatchObject({
      code: 'timeout',
      message: 'The database fake:3306 did not answer in time.',
    })
    expect(database.open()).toBe(0)
    expect(await read('SELECT 1')).toEqual([{ a: '1' }])
    expect(database.dials()).toBe(2)
  })

  const patient = (database: ReturnType<typeof fakeDatabase>) =>
    keepConnection({
      dial: database.dial,
      limits: { connect: 10_000, query: 10_000, silence: 10 },
      place: 'fake:3306',
    })

  it('asks over another connection where one is silent for long, and keeps that, as after a link that was cut', async () => {
    const silent = { statement: 'SELECT 1', answer: never, times: 1 }
    const gone = new DatabaseError({ code: 'unreachable', message: 'gone' })
    const database = fakeDatabase({
      expect: [silent, ...expect1],
      // The link is still cut at the first attempt.
      beforeDial: async (number) => {
        if (number === 2) throw gone
      },
    })
    const { read } = patient(database)
    expect(await read('SELECT 1')).toEqual([{ a: '1' }])
    expect([database.dials(), database.open()]).toEqual([3, 1])
    expect(await read('SELECT 1')).toEqual([{ a: '1' }])
    expect(database.dials()).toBe(3)
  })

  it('takes the first answer where that comes after all, and leaves the other connection in order', async () => {
    let answer: (rows: readonly Row[]) => void = () => undefined
    const slow = new Promise<readonly Row[]>((resolve) => {
      answer = resolve
    })
    let logIn: () => void = () => undefined
    const gate = new Promise<void>((resolve) => {
      logIn = resolve
    })
    const database = fakeDatabase({
      expect: [{ statement: 'SELECT 1', answer: () => slow, times: 1 }, ...expect1],
      beforeDial: (number) => (number === 1 ? Promise.resolve() : gate),
    })
    const { read } = patient(database)
    const first = read('SELECT 1')
    await eventually(() => expect(database.dials()).toBe(2))
    answer([{ a: 'late' }])
    expect(await first).toEqual([{ a: 'late' }])
    // A server that hangs sees no third one.
    await read('SELECT 1')
    expect(database.dials()).toBe(2)
    logIn()
    // It logs in and leaves, without a word in between.
    await new Promise((resolve) => setImmediate(resolve))
    expect(database.open()).toBe(1)
    expect(database.statements).toEqual(['SELECT 1', 'SELECT 1'])
  })

  it('asks once more where the connection was lost meanwhile, and only then', async () => {
    const database = fakeDatabase({ expect: expect1 })
    const { read } = kept(database)
    await read('SELECT 1')
    database.breakAll()
    expect(await read('SELECT 1')).toEqual([{ a: '1' }])
    expect(database.dials()).toBe(2)

    const gone = new DatabaseError({ code: 'unreachable', message: 'gone' })
    const down = fakeDatabase({ beforeDial: () => Promise.reject(gone) })
    await expect(kept(down).read('SELECT 1')).rejects.toBe(gone)
    expect(down.dials()).toBe(1)
  })

  it('does not repeat what the server refused', async () => {
    const refused = new DatabaseError({ code: 'refused', message: 'no', number: 1227 })
    const database = fakeDatabase({ expect: [{ statement: 'SELECT 1', answer: refused }] })
    const { read } = kept(database)
    await expect(read('SELECT 1')).rejects.toBe(refused)
    await expect(read('SELECT 1')).rejects.toBe(refused)
    // On a connection of its own each: a privilege granted meanwhile holds only for later ones.
    expect([database.dials(), database.open(), database.statements.length]).toEqual([2, 0, 2])
  })

  it('ends its connection, open or not', async () => {
    const database = fakeDatabase({ expect: expect1 })
    const first = kept(database)
    await first.read('SELECT 1')
    first.close()
    expect(database.open()).toBe(0)
    await expect(first.read('SELECT 1')).rejects.toMatchObject({ code: 'unreachable' })

    const signals: AbortSignal[] = []
    const second = keepConnection({
      dial: (signal) => {
        signals.push(signal)
        return never()
      },
      limits,
      place: 'fake:3306',
    })
    await expect(second.read('SELECT 1')).rejects.toMatchObject({ code: 'timeout' })
    second.close()
    expect(signals.map((it) => it.aborted)).toEqual([true])
  })
})
