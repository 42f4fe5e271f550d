import { describe, expect, it } from 'vitest'
import { refusalIn, standIn } from '../../support/databaseClient.ts'
import { hangingServer } from '../../support/hangingServer.ts'
import { freePort } from '../../support/ports.ts'
import { silentPort, source, testProxy } from '../../support/testProxy.ts'

const refused = {
  number: 1042,
  message:
    'The connector reaches no database of service alpha: db1 refuses connections: nothing listens there.',
}

describe('a connector whose writer cannot be reached', () => {
  it('lets its clients wait, and forwards them all once one attempt reached it', async () => {
    const { route, client, clock, counts, silent } = await testProxy()
    route(source({ name: 'db1', port: silentPort }))
    const clients = [await client(), await client(), await client()]
    await counts({ active: 3 })
    clock.advance(3000)
    await counts({ held: 3, active: 0 })
    clock.advance(250)
    await counts({ held: 2, active: 1 })
    const db1 = await hangingServer('db1')
    silent[3]?.connect(db1.port, '127.0.0.1')
    await db1.accepts(1)
    db1.greet(0)
    await counts({ held: 0, active: 3 })
    for (const index of [4, 5]) silent[index]?.connect(db1.port, '127.0.0.1')
    await db1.accepts(3)
    for (const index of [1, 2]) db1.greet(index)
    for (const it of clients) await it.sees('5.5.5')
  })

  it('tells them in the end what an attempt found', async () => {
    const { route, client, clock, counts } = await testProxy({ maxHold: 2000 })
    route(source({ name: 'db1', port: await freePort() }))
    const waiting = await client()
    await counts({ held: 1 })
    clock.advance(1999)
    await counts({ held: 1, active: 0 })
    clock.advance(1)
    expect(refusalIn(await waiting.ended)).toEqual(refused)
  })

  it('makes one attempt at a time', async () => {
    const { route, client, clock, counts, silent } = await testProxy()
    route(source({ name: 'db1', port: silentPort }))
    const clients = [await client(), await client()]
    await counts({ active: 2 })
    clock.advance(3000)
    await counts({ held: 2, active: 0 })
    const before = silent.length
    clock.advance(2000)
    await counts({ held: 1, active: 1 })
    expect(silent.length).toBe(before + 1)
    for (const it of clients) it.socket.destroy()
    await counts({ held: 0, active: 0 })
  })

  it('goes on where the one that tried has left', async () => {
    const { route, client, clock, counts, silent } = await testProxy()
    route(source({ name: 'db1', port: silentPort }))
    const [first, second] = [await client(), await client()]
    await counts({ active: 2 })
    clock.advance(3000)
    await counts({ held: 2 })
    clock.advance(250)
    await counts({ held: 1, active: 1 })
    const before = silent.length
    first.socket.destroy()
    await counts({ held: 1, active: 0 })
    // Its connection is on its way, and is not broken off.
    clock.advance(3000)
    await counts({ held: 1 })
    clock.advance(250)
    await counts({ held: 0, active: 1 })
    expect(silent.length).toBe(before + 1)
    second.socket.destroy()
  })

  it('leads those who wait to another writer at once', async () => {
    const { route, client, counts } = await testProxy()
    const db2 = await standIn('db2')
    route(source({ name: 'db1', port: await freePort() }))
    const waiting = await client()
    await counts({ held: 1 })
    route(source(db2))
    await waiting.sees('db2 greets')
  })

  it('lets no more clients wait than may', async () => {
    const { route, client, counts, refusal } = await testProxy({ maxHeld: 1 })
    route(source({ name: 'db1', port: await freePort() }))
    await client()
    await counts({ held: 1 })
    expect(await refusal()).toEqual(refused)
  })

  it('turns them away when it goes offline or stops, and lets nobody wait then', async () => {
    const { route, client, counts, enter, proxy } = await testProxy()
    route(source({ name: 'db1', port: await freePort() }))
    const first = await client()
    await counts({ held: 1 })
    enter('OFFLINE')
    expect(refusalIn(await first.ended).message).toMatch(/^The connector is OFFLINE/)
    enter('ONLINE')
    const second = await client()
    await counts({ held: 1 })
    void proxy.stop(0)
    expect(refusalIn(await second.ended).message).toMatch(/^The connector is stopping/)
  })

  it('tells readers at once, who may go elsewhere', async () => {
    const { route, refusal } = await testProxy()
    route(source({ name: 'db1', port: await freePort() }, { role: 'replica' }))
    expect(await refusal('replica')).toEqual(refused)
  })
})
