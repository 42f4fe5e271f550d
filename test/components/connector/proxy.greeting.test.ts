import { describe, expect, it } from 'vitest'
import { placeholderLogin } from '../../../src/components/connector/handshakePackets.ts'
import { mostLeftBehind } from '../../../src/components/connector/targets.ts'
import { type DatabaseClient, refusalIn, standIn } from '../../support/databaseClient.ts'
import { eventually } from '../../support/eventually.ts'
import { type HangingServer, hangingServer } from '../../support/hangingServer.ts'
import { source, type TestProxy, testProxy } from '../../support/testProxy.ts'

const tooLate = 'db2 accepted a connection but did not greet within 3 s'

/** A reader whose connection to a server has come about. */
async function readerAt(server: HangingServer, { reader, connects }: TestProxy): Promise<DatabaseClient> {
  const client = await reader()
  await connects(server, 1)
  return client
}

describe('a connector before a server that accepts and does not greet', () => {
  async function twoReplicas(limits: Parameters<typeof testProxy>[0] = {}) {
    const proxy = await testProxy(limits)
    const [db2, db3] = [await hangingServer('db2'), await standIn('db3')]
    const route = (): void => proxy.route(source(db2, { role: 'replica' }), source(db3, { role: 'replica' }))
    route()
    return { ...proxy, db2, db3, again: route }
  }

  it('leads the client to the next one in time, and new ones past it', async () => {
    const proxy = await twoReplicas()
    const { reader, clock, db2, counts, dialled } = proxy
    const waiting = await readerAt(db2, proxy)
    clock.advance(2999)
    await counts({ active: 1 })
    expect(waiting.received()).toBe('')
    clock.advance(1)
    await waiting.sees('db3 greets')
    expect(proxy.proxy.counts().unresponsive).toEqual(['db2'])
    expect([proxy.proxy.problem('replica'), proxy.proxy.notes(['replica'])]).toEqual([null, [tooLate]])
    for (let times = 0; times < 3; times += 1) await (await reader()).sees('db3 greets')
    expect(dialled.filter((port) => port === db2.port)).toHaveLength(1)
  })

  it('leaves the connection to its end, and ends it by a login of its own when the server goes on', async () => {
    const proxy = await twoReplicas()
    const { clock, db2, counts } = proxy
    const waiting = await readerAt(db2, proxy)
    clock.advance(3000)
    await waiting.sees('db3 greets')
    clock.advance(3_600_000)
    await counts({ active: 1 })
    expect([db2.sockets[0]?.destroyed, db2.sockets[0]?.readableEnded]).toEqual([false, false])
    db2.greet(0)
    await expect.poll(() => db2.heard[0]).toEqual(placeholderLogin())
    expect(proxy.proxy.counts().unresponsive).toEqual([])
    expect(proxy.proxy.counts().logins).toEqual({ pending: 0, broken: 0 })
    expect(waiting.received()).toBe('db3 greets\n')
  })

  it('looks whether it greets again, also when it was started anew', async () => {
    const proxy = await twoReplicas()
    const { clock, db2, counts } = proxy
    const waiting = await readerAt(db2, proxy)
    clock.advance(3000)
    await waiting.sees('db3 greets')
    db2.sockets[0]?.resetAndDestroy()
    await expect.poll(() => db2.sockets[0]?.destroyed).toBe(true)
    clock.advance(2000)
    await db2.accepts(2)
    db2.sockets[1]?.end()
    // It has not greeted, so it is looked at again.
    await eventually(() => {
      clock.advance(2000)
      expect(db2.sockets.length).toBeGreaterThan(2)
    })
    expect(proxy.proxy.counts().unresponsive).toEqual(['db2'])
    db2.greet(2)
    await expect.poll(() => proxy.proxy.counts().unresponsive).toEqual([])
    await counts({ active: 1 })
    // Nobody looks any more.
    clock.advance(60_000)
    expect(db2.sockets).toHaveLength(3)
  })

  it('starts anew with one that is put back into use', async () => {
    const proxy = await twoReplicas()
    const { clock, db2, reader, connects, counts, route, again } = proxy
    const running = await readerAt(db2, proxy)
    db2.greet(0)
    await running.sees('5.5.5')
    running.socket.write(placeholderLogin())
    await expect.poll(() => db2.heard[0]).toEqual(placeholderLogin())
    db2.welcome(0)
    await counts({ created: 1 })
    await (await reader()).sees('db3 greets')
    const waiting = await reader()
    await connects(db2, 2)
    clock.advance(3000)
    await waiting.sees('db3 greets')
    expect(proxy.proxy.counts().unresponsive).toEqual(['db2'])
    route(source(db2, { role: 'replica', state: 'OFFLINE' }))
    again()
    await counts({ active: 3 })
    expect(proxy.proxy.counts().unresponsive).toEqual([])
  })

  it('counts only the time to the greeting, not that of the login', async () => {
    const { route, client, clock, connects } = await testProxy()
    const db1 = await hangingServer('db1')
    route(source(db1))
    const slow = await client()
    await connects(db1, 1)
    clock.advance(2000)
    db1.greet(0)
    await slow.sees('5.5.5')
    clock.advance(7000)
    slow.socket.write(placeholderLogin())
    await expect.poll(() => db1.heard[0]).toEqual(placeholderLogin())
    clock.advance(60_000)
    db1.welcome(0)
    db1.sockets[0]?.write('a row')
    await slow.sees('a row')
  })

  it('lets clients of a writer wait, in the end with words, does not keep others waiting, and forwards when it goes on', async () => {
    const { route, client, clock, connects, proxy, counts } = await testProxy({ maxHold: 8000 })
    const db2 = await hangingServer('db2')
    route(source(db2))
    const clients: DatabaseClient[] = []
    for (let index = 1; index <= mostLeftBehind; index += 1) {
      clients.push(await client())
      await counts({ active: index })
    }
    await connects(db2, mostLeftBehind)
    clock.advance(3000)
    await counts({ active: 0, held: mostLeftBehind })
    expect(proxy.problem('primary')).toBe(tooLate)
    expect(proxy.counts().logins.pending).toBe(0)
    clock.advance(5000)
    for (const it of clients) expect(refusalIn(await it.ended)).toMatchObject({ number: 1042 })
    // As many connections are left behind as may be: nobody makes one more.
    const next = await client()
    await counts({ held: 1 })
    expect(db2.sockets).toHaveLength(mostLeftBehind)
    db2.greet(0)
    await expect.poll(() => proxy.problem('primary')).toBeNull()
    await eventually(() => {
      clock.advance(250)
      // The look that was due is among them.
      for (let index = mostLeftBehind; index < db2.sockets.length; index += 1) db2.greet(index)
      expect(next.received()).toContain('5.5.5')
    })
  })

  it('leads readers to the writer where no other replica greets', async () => {
    const proxy = await testProxy({ readonlyFallback: true })
    const { clock, reader, route } = proxy
    const [db1, db2] = [await standIn('db1'), await hangingServer('db2')]
    route(source(db1), source(db2, { role: 'replica' }))
    const waiting = await readerAt(db2, proxy)
    clock.advance(3000)
    await waiting.sees('db1 greets')
    await (await reader()).sees('db1 greets')
    expect(db2.sockets).toHaveLength(1)
  })

  it('makes room for others when a client leaves before the greeting', async () => {
    const { route, client, clock, connects, proxy, counts } = await testProxy()
    const db2 = await hangingServer('db2')
    route(source(db2))
    const leaving = await client()
    await connects(db2, 1)
    leaving.socket.destroy()
    await counts({ active: 0 })
    expect(proxy.counts().logins.pending).toBe(1)
    clock.advance(3000)
    expect(proxy.counts().logins.pending).toBe(0)
    expect(proxy.counts().unresponsive).toEqual(['db2'])
    expect(db2.sockets[0]?.readableEnded).toBe(false)
  })
})
