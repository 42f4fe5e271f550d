import { describe, expect, it } from 'vitest'
import { placeholderLogin } from '../../../src/components/connector/handshakePackets.ts'
import { type DatabaseClient, refusalIn, standIn } from '../../support/databaseClient.ts'
import { hangingServer } from '../../support/hangingServer.ts'
import { silentPort, source, testProxy } from '../../support/testProxy.ts'

const twoWriters = { code: 'two-writers', reason: 'db1 and db2 can be written to', hold: true } as const

/** Two servers of a service, of which db1 is the writer and db2 can be read from. */
async function pair(limits: Parameters<typeof testProxy>[0] = {}) {
  const proxy = await testProxy(limits)
  const [db1, db2] = [await standIn('db1'), await standIn('db2')]
  const [primary, replica] = [source(db1), source(db2, { role: 'replica' })]
  proxy.direct({ datasource: 'db1' }, primary, replica)
  const writer = async (): Promise<DatabaseClient> => {
    const client = await proxy.client()
    await client.sees('greets')
    return client
  }
  const held = async (count: number, before = 0): Promise<DatabaseClient[]> => {
    const clients: DatabaseClient[] = []
    for (let index = 1; index <= count; index += 1) {
      clients.push(await proxy.client())
      await proxy.counts({ held: before + index })
    }
    return clients
  }
  return { ...proxy, db1, db2, primary, replica, writer, held }
}

const refused = async (client: DatabaseClient | undefined) => refusalIn((await client?.ended) ?? Buffer.of())

describe('a connector without a writer', () => {
  it('lets writers wait and readers pass, and releases the writers in order when there is one', async () => {
    const { direct, primary, replica, held, reader, counts, db1, dialled, proxy } = await pair()
    direct(twoWriters, primary, replica)
    const clients = await held(40)
    for (const [index, it] of clients.entries()) it.socket.write(`${index}`)
    await (await reader()).sees('db2 greets')
    expect(dialled).toEqual([replica.port])
    expect(proxy.problem('primary')).toBe('db1 and db2 can be written to (40 clients wait for it)')
    direct({ datasource: 'db1' }, primary, replica)
    await counts({ held: 0, active: 41 })
    await expect.poll(() => db1.firsts).toHaveLength(40)
    expect(db1.firsts).toEqual(clients.map((_, index) => `${index}`))
    expect(proxy.problem('primary')).toBeNull()
  })

  it('lets nobody overtake the writers who are released', async () => {
    const { direct, primary, replica, held, client, db1, counts } = await pair()
    direct(twoWriters, primary, replica)
    const clients = await held(80)
    for (const [index, it] of clients.entries()) it.socket.write(`${index}`)
    direct({ datasource: 'db1' }, primary, replica)
    const late = await client()
    late.socket.write('late')
    await late.sees('LATE')
    await counts({ held: 0, active: 81 })
    await expect.poll(() => db1.firsts).toHaveLength(81)
    expect(db1.firsts.indexOf('late')).toBe(80)
  })

  it('keeps room for readers, whatever number of writers waits', async () => {
    const { direct, primary, replica, held, reader, refusal, enter, counts } = await pair({ maxHeld: 2 })
    direct(twoWriters, primary, replica)
    await held(2)
    expect(await refusal()).toEqual({
      number: 1040,
      message:
        'Too many connections: no database takes writes, and 2 wait already, which is the most that ' +
        'connector-max-held allows: db1 and db2 can be written to.',
    })
    await (await reader()).sees('db2 greets')
    // On hold, readers wait in a queue of their own.
    enter('ONHOLD')
    const [first, second] = [await reader(), await reader()]
    await counts({ held: 4 })
    enter('ONLINE')
    await Promise.all([first.sees('db2 greets'), second.sees('db2 greets')])
    await counts({ held: 2 })
  })

  it('does not hurry readers who log in because writers wait', async () => {
    const { direct, primary, reader, clock, held } = await pair()
    const db2 = await hangingServer('db2')
    direct(twoWriters, primary, source(db2, { role: 'replica' }))
    const slow = await reader()
    await db2.accepts(1)
    db2.greet(0)
    await slow.sees('5.5.5')
    await held(1)
    clock.advance(7000)
    slow.socket.write(placeholderLogin())
    await expect.poll(() => db2.heard[0]).toEqual(placeholderLogin())
    db2.welcome(0)
    db2.sockets[0]?.write('a row')
    await slow.sees('a row')
  })

  it('answers who waited too long with the reason', async () => {
    const { direct, primary, replica, held, clock, proxy } = await pair({ maxHold: 1000 })
    direct(twoWriters, primary, replica)
    const [first] = await held(1)
    clock.advance(1000)
    expect(await refused(first)).toEqual({
      number: 1042,
      message:
        'No database takes writes, and this connection waited 1 s, which is the longest that connector-max-hold ' +
        'allows: db1 and db2 can be written to.',
    })
    expect(proxy.counts().refused.get('no-writer')).toBe(1)
  })

  it('turns writers away at once where they shall not wait, also those who waited', async () => {
    const { direct, primary, replica, held, refusal, counts, proxy } = await pair()
    direct(twoWriters, primary, replica)
    const clients = await held(50)
    direct({ reason: 'db1 is FAILED' }, { ...primary, state: 'FAILED' }, replica)
    const words = {
      number: 1042,
      message: 'The connector has no database for this connection: db1 is FAILED.',
    }
    for (const it of clients) expect(await refused(it)).toEqual(words)
    expect(await refusal()).toEqual(words)
    await counts({ held: 0 })
    expect(proxy.counts().refused.get('no-data-source')).toBe(51)
  })

  it('turns away thousands at once who waited', async () => {
    const { direct, primary, replica, held, counts } = await pair({ maxHeld: 2000 })
    direct(twoWriters, primary, replica)
    await held(2000)
    direct({}, primary, replica)
    await counts({ held: 0 })
  })

  it('keeps writers waiting when it comes back ONLINE, and releases readers', async () => {
    const { direct, primary, replica, enter, held, reader, counts, proxy } = await pair()
    enter('ONHOLD')
    const [waiting] = await held(1)
    const read = await reader()
    await counts({ held: 2 })
    direct(twoWriters, primary, replica)
    enter('ONLINE')
    await read.sees('db2 greets')
    await counts({ held: 1 })
    direct({ datasource: 'db2' }, { ...primary, role: 'replica' }, { ...replica, role: 'primary' })
    await waiting?.sees('db2 greets')
    expect(proxy.counts().held).toBe(0)
  })

  it('notices a writer who leaves', async () => {
    const { direct, primary, replica, held, counts, dialled } = await pair()
    direct(twoWriters, primary, replica)
    const [first] = await held(1)
    first?.socket.end()
    await counts({ held: 0 })
    direct({ datasource: 'db1' }, primary, replica)
    expect(dialled).toEqual([])
  })
})

describe('a connector whose writer goes', () => {
  const changes = [
    ['another one is named', { datasource: 'db2' }],
    ['nobody may be written', twoWriters],
    ['it follows somebody', { code: 'no-writer', reason: 'db1 follows db2', hold: true }],
  ] as const

  it.each(changes)('cuts writers and lets readers be when %s', async (_, next) => {
    const { direct, primary, replica, writer, reader, counts } = await pair()
    const [running, reading] = [await writer(), await reader()]
    await reading.sees('db2 greets')
    direct(next, primary, replica)
    await counts({ active: 1 })
    await running.ended
    reading.socket.write('still here')
    await reading.sees('STILL HERE')
  })

  it('resets the connection to it, so that nothing more is sent', async () => {
    const { direct, primary, replica, writer, db1 } = await pair()
    await writer()
    let code: unknown
    db1.sockets[0]?.on('error', (error: NodeJS.ErrnoException) => {
      code = error.code
    })
    direct({ datasource: 'db2' }, primary, replica)
    await expect.poll(() => code).toBe('ECONNRESET')
  })

  it('lets writers drain while a person takes it out, and cuts them when there is another', async () => {
    const { direct, primary, replica, writer, counts, clock } = await pair()
    const running = await writer()
    const shunned = { ...primary, state: 'SHUNNED' } as const
    direct({ reason: 'db1 is SHUNNED' }, shunned, replica)
    clock.advance(29_000)
    running.socket.write('still here')
    await running.sees('STILL HERE')
    direct({ datasource: 'db2' }, shunned, replica)
    await counts({ active: 0 })
    await running.ended
    expect(clock.pending()).toBe(0)
  })

  it('lets writers drain and new ones wait during a switch, and leads them to the new writer after it', async () => {
    const { direct, primary, replica, writer, held, reader, counts, clock, db2, proxy } = await pair()
    const running = await writer()
    const reading = await reader()
    await reading.sees('db2 greets')
    const switching = {
      datasource: null,
      code: null,
      reason: 'a switch from db1 to db2 is under way',
      hold: true,
      switching: { from: 'db1', to: 'db2' },
    }
    direct(switching, primary, replica)
    const [waiting] = await held(1)
    expect(proxy.problem('primary')).toBe('a switch from db1 to db2 is under way (1 client waits for it)')
    running.socket.write('still here')
    await running.sees('STILL HERE')
    // As the manager sees them before it releases the clients.
    const [former, next] = [
      { ...primary, role: 'replica' as const },
      { ...replica, role: 'primary' as const },
    ]
    direct(switching, former, next)
    running.socket.write(' and now')
    await running.sees('AND NOW')
    direct({ datasource: 'db2' }, former, next)
    await running.ended
    await waiting?.sees('db2 greets')
    waiting?.socket.write('after it')
    await expect.poll(() => db2.firsts).toContain('after it')
    clock.advance(7000)
    await counts({ held: 0 })
    expect(proxy.counts().refused.size).toBe(0)
  })

  it('lets writers run on when nobody else can be written and it comes back in time', async () => {
    const { direct, primary, replica, writer, clock } = await pair()
    const running = await writer()
    direct({ reason: 'the manager has not looked at db1 yet', hold: true }, primary, replica)
    clock.advance(1000)
    direct({ datasource: 'db1' }, primary, replica)
    clock.advance(60_000)
    running.socket.write('still here')
    await running.sees('STILL HERE')
  })

  it('forwards nobody to it who was being connected, dialled only', async () => {
    const { direct, client, counts, silent, proxy, db2, replica } = await pair()
    const old = await standIn('db1')
    direct({ datasource: 'db1' }, source({ name: 'db1', port: silentPort }), replica)
    const coming = await client()
    coming.socket.write('insert')
    await counts({ active: 1 })
    direct({ datasource: 'db2' }, replica)
    await coming.sees('INSERT')
    expect(db2.firsts).toEqual(['insert'])
    silent[0]?.connect(old.port, '127.0.0.1')
    await expect.poll(() => old.sockets[0]?.destroyed).toBe(true)
    expect([old.firsts, coming.received()]).toEqual([[], 'db2 greets\nINSERT'])
    expect(proxy.counts().byName.get('db1')?.created ?? 0).toBe(0)
  })

  it('forwards nobody to it who was being connected, before its greeting', async () => {
    const { direct, client, proxy, db2, replica } = await pair()
    const old = await hangingServer('db1')
    direct({ datasource: 'db1' }, source(old), replica)
    const coming = await client()
    coming.socket.write('insert')
    await old.accepts(1)
    direct({ datasource: 'db2' }, replica)
    await coming.sees('INSERT')
    old.greet(0)
    // The connector ends the login itself, so that the server does not count it.
    await expect.poll(() => old.heard[0]?.includes('muster-client-left')).toBe(true)
    old.welcome(0)
    await expect.poll(() => old.sockets[0]?.destroyed).toBe(true)
    expect(old.heard[0]?.includes('insert')).toBe(false)
    expect([db2.firsts, coming.received()]).toEqual([['insert'], 'db2 greets\nINSERT'])
    expect(proxy.counts().byName.get('db1')?.created ?? 0).toBe(0)
  })

  it('forwards nobody to it who was being connected, within the login', async () => {
    const { direct, client, counts, proxy, replica } = await pair()
    const old = await hangingServer('db1')
    direct({ datasource: 'db1' }, source(old), replica)
    const coming = await client()
    await old.accepts(1)
    old.greet(0)
    await coming.sees('5.5.5')
    coming.socket.write(Buffer.concat([placeholderLogin(), Buffer.from('insert')]))
    await expect.poll(() => old.heard[0]).toEqual(placeholderLogin())
    direct({ datasource: 'db2' }, replica)
    await coming.ended
    await counts({ active: 0 })
    expect(proxy.counts().logins.pending).toBe(0)
    old.welcome(0)
    await expect.poll(() => old.sockets[0]?.destroyed).toBe(true)
    expect(old.heard[0]?.includes('insert')).toBe(false)
    expect(proxy.counts().byName.get('db1')?.created ?? 0).toBe(0)
  })
})

describe('a connector without a replica', () => {
  const failed = (it: ReturnType<typeof source>) => ({ ...it, state: 'FAILED' }) as const
  const fallback = { readonlyFallback: true }

  it('leads readers to the writer until a replica is readable, and lets them stay there', async () => {
    const { direct, primary, replica, reader, counts, proxy, clock } = await pair(fallback)
    direct({ datasource: 'db1' }, primary, failed(replica))
    const early = await reader()
    await early.sees('db1 greets')
    expect([proxy.problem('replica'), proxy.notes(['primary', 'replica'])]).toEqual([
      null,
      ['no replica of service alpha is ONLINE: db2 is FAILED, so the read-only port leads to db1'],
    ])
    direct({ datasource: 'db1' }, primary, replica)
    expect(proxy.notes(['primary', 'replica'])).toEqual([])
    await (await reader()).sees('db2 greets')
    clock.advance(60_000)
    early.socket.write('still here')
    await early.sees('STILL HERE')
    await counts({ active: 2 })
  })

  it('turns readers away without application-readonly-fallback', async () => {
    const { direct, primary, replica, refusal } = await pair({ readonlyFallback: false })
    direct({ datasource: 'db1' }, primary, failed(replica))
    expect((await refusal('replica')).message).toContain(
      'no replica of service alpha is ONLINE: db2 is FAILED',
    )
  })

  it('leads readers to the writer when it reaches no replica', async () => {
    const { direct, primary, replica, reader, db2 } = await pair(fallback)
    await db2.close()
    direct({ datasource: 'db1' }, primary, replica)
    await (await reader()).sees('db1 greets')
  })

  it('cuts readers at the writer together with its writers, since they could write', async () => {
    const { direct, primary, replica, reader, writer, counts } = await pair(fallback)
    direct({ datasource: 'db1' }, primary, failed(replica))
    const [reading, writing] = [await reader(), await writer()]
    await reading.sees('db1 greets')
    direct(twoWriters, primary, failed(replica))
    await counts({ active: 0 })
    await Promise.all([reading.ended, writing.ended])
  })

  it('lets readers stay at the writer that becomes a replica', async () => {
    const { direct, primary, replica, reader, writer, counts, clock } = await pair(fallback)
    direct({ datasource: 'db1' }, primary, failed(replica))
    const [reading, writing] = [await reader(), await writer()]
    await reading.sees('db1 greets')
    direct({ datasource: 'db2' }, { ...primary, role: 'replica' }, { ...replica, role: 'primary' })
    await writing.ended
    clock.advance(60_000)
    await counts({ active: 1 })
    reading.socket.write('still here')
    await reading.sees('STILL HERE')
  })

  it('lets readers stay at the replica that becomes the writer, and cuts them when it is it no more', async () => {
    const { direct, primary, replica, reader, counts, clock } = await pair(fallback)
    const reading = await reader()
    await reading.sees('db2 greets')
    direct({ datasource: 'db2' }, failed(primary), { ...replica, role: 'primary' })
    clock.advance(60_000)
    await counts({ active: 1 })
    direct({ datasource: 'db1' }, primary, { ...replica, role: 'primary' })
    await reading.ended
    await counts({ active: 0 })
  })

  it('drains readers of a replica that becomes the writer where readers may not go there', async () => {
    const { direct, primary, replica, reader, clock, counts } = await pair({ readonlyFallback: false })
    const reading = await reader()
    await reading.sees('db2 greets')
    direct({ datasource: 'db2' }, { ...primary, role: 'replica' }, { ...replica, role: 'primary' })
    clock.advance(29_999)
    reading.socket.write('still here')
    await reading.sees('STILL HERE')
    clock.advance(1)
    await counts({ active: 0 })
  })

  it('lets readers wait for the writer', async () => {
    const { direct, primary, replica, reader, counts, refusal } = await pair({ ...fallback, maxHeld: 1 })
    direct(twoWriters, primary, failed(replica))
    const waiting = await reader()
    await counts({ held: 1 })
    expect((await refusal('replica')).message).toContain('db1 and db2 can be written to')
    direct(twoWriters, primary, replica)
    await waiting.sees('db2 greets')
  })
})
