import { readdirSync } from 'node:fs'
import type { Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { placeholderLogin } from '../../../src/components/connector/handshakePackets.ts'
import { type DatabaseClient, framed, greeting, refusalIn, standIn } from '../../support/databaseClient.ts'
import { eventually } from '../../support/eventually.ts'
import { serveTcp } from '../../support/loopbackServer.ts'
import { freePort } from '../../support/ports.ts'
import { silentPort, source, testProxy } from '../../support/testProxy.ts'

const names = (clients: readonly DatabaseClient[]): string[] =>
  clients.map((it) => it.received().split(' ')[0] ?? '')

async function primaryBehind(limits: Parameters<typeof testProxy>[0] = {}) {
  const db1 = await standIn('db1')
  const proxy = await testProxy(limits)
  proxy.route(source(db1))
  const greeted = async (): Promise<DatabaseClient> => {
    const client = await proxy.client()
    await client.sees('db1 greets')
    return client
  }
  const held = async (count: number): Promise<DatabaseClient[]> => {
    const clients: DatabaseClient[] = []
    for (let index = 1; index <= count; index += 1) {
      clients.push(await proxy.client())
      await proxy.counts({ held: index })
    }
    return clients
  }
  return { ...proxy, db1, greeted, held }
}

describe('a connector that is ONLINE', () => {
  it('joins clients to the primary, both ways', async () => {
    const { greeted, counts, db1 } = await primaryBehind()
    const client = await greeted()
    client.socket.write('select')
    await client.sees('SELECT')
    await counts({ active: 1, created: 1 })
    client.socket.end()
    expect((await client.ended).toString()).toBe('db1 greets\nSELECT')
    await counts({ active: 0, created: 1 })
    expect(db1.sockets[0]?.destroyed).toBe(true)
  })

  it('hands on the end of one half, and what the other half still says', async () => {
    const server = await serveTcp((socket) => {
      socket.write('db1 greets\n')
      socket.on('data', () => undefined)
      socket.on('end', () => socket.end('and this was the answer'))
    })
    const { route, client, counts } = await testProxy()
    route(source({ name: 'db1', port: server.port }))
    const asking = await client()
    await counts({ created: 1 })
    asking.socket.end('a question')
    expect((await asking.ended).toString()).toBe('db1 greets\nand this was the answer')
    await server.close()
  })

  it('gives a client all that a database said before it broke off', async () => {
    const words = 'x'.repeat(3_000_000)
    const server = await serveTcp((socket) => {
      socket.end(words)
    })
    const { route, client, counts } = await testProxy()
    route(source({ name: 'db1', port: server.port }))
    const slow = await client()
    slow.socket.pause()
    await counts({ created: 1 })
    slow.socket.resume()
    expect(await slow.ended).toHaveLength(words.length)
    slow.socket.end()
    await counts({ active: 0 })
    await server.close()
  })

  it('changes no byte, however long the answers of several databases are and however slowly they are read', async () => {
    const counter = Buffer.alloc(4 * 1024 * 1024)
    for (let at = 0; at < counter.length; at += 4) counter.writeUInt32LE((at * 2_654_435_761) % 2 ** 32, at)
    const sizes = [1, 700, 16_384, 16_385, 100_000, 262_144, 1_000_000]
    // Each connection is answered from another place on, in pieces of changing sizes.
    let connections = 0
    const server = await serveTcp((socket) => {
      connections += 1
      let at = connections * 4096
      let turn = connections
      const more = (): void => {
        while (at < counter.length) {
          const size = sizes[turn % sizes.length] ?? 1
          turn += 1
          const piece = counter.subarray(at, at + size)
          at += size
          if (!socket.write(piece)) {
            socket.once('drain', more)
            return
          }
        }
        socket.end()
      }
      more()
    })
    const { route, client, counts } = await testProxy()
    route(source({ name: 'db1', port: server.port }))
    const answers = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const it = await client()
        it.socket.on('data', () => {
          it.socket.pause()
          setImmediate(() => it.socket.resume())
        })
        const all = await it.ended
        it.socket.end()
        return all
      }),
    )
    const begins = answers.map((it) => counter.length - it.length).toSorted((a, b) => a - b)
    expect(begins).toEqual([4096, 8192, 12_288, 16_384])
    expect(answers.every((it) => it.equals(counter.subarray(counter.length - it.length)))).toBe(true)
    await counts({ active: 0 })
    await server.close()
  })

  it('keeps little in memory for a client that does not read', async () => {
    let written = 0
    const server = await serveTcp((socket) => {
      const chunk = Buffer.alloc(65_536)
      const more = (): void => {
        while (!socket.destroyed && socket.write(chunk)) written += chunk.length
      }
      socket.on('drain', more)
      more()
    })
    const { route, client, counts, proxy } = await testProxy()
    route(source({ name: 'db1', port: server.port }))
    const deaf = await client()
    deaf.socket.pause()
    await counts({ created: 1 })
    // It has stopped when nothing was added between two looks that lie further apart than any write takes.
    let before = -1
    await expect
      .poll(
        () => {
          const stopped = written === before
          before = written
          return stopped
        },
        { interval: 200 },
      )
      .toBe(true)
    // What the kernel keeps for four sockets is some megabytes; a proxy without a brake would take gigabytes.
    expect(written).toBeLessThan(40_000_000)
    proxy.cut()
    await server.close()
  })

  it('passes a break on to the other side', async () => {
    const { greeted, db1, counts } = await primaryBehind()
    const client = await greeted()
    client.socket.resetAndDestroy()
    await counts({ active: 0 })
    await expect.poll(() => db1.sockets[0]?.destroyed).toBe(true)
    const other = await greeted()
    db1.sockets[1]?.resetAndDestroy()
    await other.ended
    await counts({ active: 0 })
  })

  it('spreads readers over the replicas by their connections', async () => {
    const [db2, db3] = [await standIn('db2'), await standIn('db3')]
    const { route, reader, counts } = await testProxy()
    route(source(db2, { role: 'replica' }), source(db3, { role: 'replica' }))
    const readers: DatabaseClient[] = []
    for (let index = 0; index < 6; index += 1) {
      readers.push(await reader())
      await counts({ created: index + 1 })
    }
    await Promise.all(readers.map((it) => it.sees('greets')))
    expect(names(readers)).toEqual(['db2', 'db3', 'db2', 'db3', 'db2', 'db3'])
    for (const it of readers.filter((one) => one.received().startsWith('db3'))) it.socket.end()
    await counts({ active: 3 })
    const next = [await reader(), await reader()]
    await Promise.all(next.map((it) => it.sees('greets')))
    expect(names(next)).toEqual(['db3', 'db3'])
  })

  it('tries the next replica when one cannot be reached, and says why when none can', async () => {
    const db3 = await standIn('db3')
    const gone = { name: 'db2', port: await freePort() }
    const { route, reader, refusal } = await testProxy()
    route(source(gone, { role: 'replica' }), source(db3, { role: 'replica' }))
    for (const it of [await reader(), await reader()]) await it.sees('db3 greets')
    route(source(gone, { role: 'replica' }), source({ name: 'db4', port: gone.port }, { role: 'replica' }))
    expect(await refusal('replica')).toEqual({
      number: 1042,
      message:
        'The connector reaches no database of service alpha: db4 refuses connections: nothing listens there; ' +
        'db2 refuses connections: nothing listens there.',
    })
  })

  it('gives up a database that does not accept in time', async () => {
    const { route, reader, clock, counts } = await testProxy()
    route(source({ name: 'db1', port: silentPort }, { role: 'replica' }))
    const waiting = await reader()
    await counts({ active: 1, created: 0 })
    clock.advance(2999)
    await counts({ active: 1 })
    clock.advance(1)
    expect(refusalIn(await waiting.ended)).toEqual({
      number: 1042,
      message: 'The connector reaches no database of service alpha: db1 did not answer within 3 s.',
    })
  })

  it.each(['primary', 'replica'] as const)('says why there is no %s', async (role) => {
    const { route, refusal } = await testProxy()
    route(source({ name: 'db1', port: 1 }, { role, state: 'SHUNNED' }))
    expect(await refusal(role)).toEqual({
      number: 1042,
      message: `The connector has no database for this connection: no ${role} of service alpha is ONLINE: db1 is SHUNNED.`,
    })
  })
})

describe('a connector before a database that greets', () => {
  const denied = Buffer.from('\u00ff\u0015\u0004no', 'latin1')

  /**
   * A database that greets and waits, or refuses who logs in for a client that left; `heard` is what each connection of
   * it was told.
   */
  async function greeter({
    refuses = false,
    greets = greeting,
    ...limits
  }: Parameters<typeof testProxy>[0] & { refuses?: boolean; greets?: Buffer } = {}) {
    const heard: Buffer[] = []
    const sockets: Socket[] = []
    const server = await serveTcp((socket) => {
      const index = sockets.push(socket) - 1
      heard[index] = Buffer.of()
      socket.on('data', (chunk: Buffer) => {
        heard[index] = Buffer.concat([heard[index] ?? Buffer.of(), chunk])
        if (refuses && heard[index]?.includes('muster-client-left')) socket.end(framed(2, denied))
      })
      socket.write(greets)
    })
    onTestFinished(() => server.close())
    const proxy = await testProxy(limits)
    proxy.route(source({ name: 'db1', port: server.port }))
    const waiting = async (count: number): Promise<DatabaseClient[]> => {
      const clients: DatabaseClient[] = []
      for (let index = 0; index < count; index += 1) clients.push(await proxy.client())
      return clients
    }
    return { ...proxy, heard, sockets, waiting }
  }

  it('dials for so many of one address at once, lets the others wait and another address pass', async () => {
    const { waiting, counts, dialled, client, heard } = await greeter()
    const clients = await waiting(40)
    await counts({ held: 8, active: 32 })
    expect(dialled).toHaveLength(32)
    const other = await client('127.0.0.2')
    await other.sees('5.5.5')
    await counts({ held: 8, active: 33 })
    // Who leaves makes room only when the database is rid of its login.
    clients[0]?.socket.destroy()
    await counts({ held: 8, active: 32 })
    await expect.poll(() => heard.filter((it) => it.includes('muster-client-left'))).toHaveLength(1)
    expect(dialled).toHaveLength(33)
  })

  it('goes on with those who wait when a login is over', async () => {
    const { waiting, counts, dialled, sockets } = await greeter()
    const clients = await waiting(34)
    await counts({ held: 2, active: 32 })
    clients[0]?.socket.destroy()
    await counts({ active: 31 })
    for (const socket of sockets) socket.write(framed(2, denied))
    await counts({ held: 0 })
    await expect.poll(() => dialled.length).toBe(34)
  })

  it('does not wait long for those who are silent longest, as far as others wait for their places', async () => {
    const { waiting, counts, clock, dialled } = await greeter()
    const clients = await waiting(32)
    await Promise.all(clients.map((it) => it.sees('5.5.5')))
    const others = await waiting(8)
    await counts({ held: 8, active: 32 })
    clock.advance(999)
    expect(clients.some((it) => it.received().includes('did not go on'))).toBe(false)
    clock.advance(1)
    await Promise.all(clients.slice(0, 8).map((it) => it.sees('did not go on')))
    for (const it of clients.slice(0, 8)) it.socket.destroy()
    await counts({ held: 8, active: 24 })
    expect(dialled).toHaveLength(32)
    expect(clients.slice(8).some((it) => it.received().includes('did not go on'))).toBe(false)
    for (const it of others) it.socket.destroy()
    await counts({ held: 0 })
  })

  it('has little patience with an address whose clients keep silent, so that others of it get in', async () => {
    const { waiting, client, counts, clock } = await greeter({ refuses: true })
    const silent = await waiting(64)
    await Promise.all(silent.slice(0, 32).map((it) => it.sees('5.5.5')))
    await counts({ held: 32 })
    clock.advance(1000)
    await Promise.all(silent.slice(32).map((it) => it.sees('5.5.5')))
    const good = await client()
    await counts({ held: 1 })
    clock.advance(49)
    expect(silent[32]?.received()).not.toContain('did not go on')
    clock.advance(1)
    await silent[32]?.sees('did not go on')
    await good.sees('5.5.5')
    expect(silent.slice(33).some((it) => it.received().includes('did not go on'))).toBe(false)
  })

  it('gives a place that is free to the address that has fewest, whoever waits longer', async () => {
    const { waiting, client, counts } = await greeter({ refuses: true })
    const [first] = await waiting(32)
    for (let index = 0; index < 32; index += 1) await client('127.0.0.2')
    await counts({ active: 64 })
    await waiting(4)
    await counts({ held: 4 })
    const other = await client('127.0.0.3')
    await counts({ held: 5, active: 64 })
    first?.socket.destroy()
    await other.sees('5.5.5')
    await counts({ held: 4, active: 64 })
  })

  it('has room in its queue for another address than the one that fills it', async () => {
    const { waiting, client, counts, refusal } = await greeter({ maxHeld: 4, refuses: true })
    const clients = await waiting(36)
    await counts({ held: 4, active: 32 })
    expect((await refusal()).message).toMatch(/too many clients are logging in, and 4 wait already/)
    await (await client('127.0.0.2')).sees('5.5.5')
    const [newest] = clients.slice(-1)
    expect(refusalIn((await newest?.ended) ?? Buffer.of()).number).toBe(1040)
    await counts({ held: 3, active: 33 })
  })

  it('waits a second at most for a client that says nothing when it stops', async () => {
    const { client, clock, proxy, heard, sockets } = await greeter()
    const silent = await client()
    await silent.sees('5.5.5')
    const stopped = proxy.stop(30_000)
    clock.advance(1000)
    await silent.sees('did not go on')
    // The database refuses the login that the connector makes in its place.
    await expect.poll(() => heard[0]?.includes('muster-client-left')).toBe(true)
    sockets[0]?.end()
    await stopped
  })

  describe('that offers TLS', () => {
    const offersTls = Buffer.from(greeting)
    offersTls.writeUInt16LE(0xffff, greeting.indexOf(Buffer.of(0xff, 0xf7)))
    const request = framed(1, placeholderLogin().subarray(4, 36))
    request.writeUInt32LE(request.readUInt32LE(4) | 0x800, 4)
    const hello = Buffer.from('1603010004010000fc', 'hex')

    /** A client that has begun TLS, to which the database has replied. */
    async function hidden() {
      const database = await greeter({ greets: offersTls })
      const silent = await database.client()
      await silent.sees('5.5.5')
      silent.socket.write(Buffer.concat([request, hello]))
      await expect.poll(() => database.heard[0]).toEqual(Buffer.concat([request, hello]))
      return { ...database, silent }
    }

    it.each([true, false])('waits a second at most for a client when it stops (replied: %s)', async (has) => {
      const { silent, sockets, proxy, clock } = await hidden()
      if (has) {
        sockets[0]?.write('server hello')
        await silent.sees('server hello')
      }
      const stopped = proxy.stop(30_000)
      clock.advance(999)
      expect(proxy.counts().active).toBe(1)
      clock.advance(1)
      await stopped
      await silent.ended
      expect(proxy.counts().logins).toEqual({ pending: 0, broken: 1 })
    })
  })

  it('passes a login on when it is whole, however small its pieces, and what follows after its verdict', async () => {
    const { client, counts, heard, sockets, proxy } = await greeter()
    const slow = await client()
    await slow.sees('5.5.5')
    const login = placeholderLogin()
    for (const byte of login.subarray(0, -1)) slow.socket.write(Buffer.of(byte))
    expect(heard[0]).toEqual(Buffer.of())
    slow.socket.write(Buffer.concat([login.subarray(-1), Buffer.from('too early')]))
    await expect.poll(() => heard[0]).toEqual(login)
    expect(proxy.counts().logins.pending).toBe(1)
    sockets[0]?.write(framed(2, Buffer.of(0, 0, 0)))
    await expect.poll(() => heard[0]).toEqual(Buffer.concat([login, Buffer.from('too early')]))
    await counts({ active: 1, created: 1 })
    expect(proxy.counts().logins).toEqual({ pending: 0, broken: 0 })
  })

  it('counts a login that the database calls a bad handshake among those that broke off', async () => {
    const { client, sockets, heard, proxy } = await greeter()
    const stranger = await client()
    await stranger.sees('5.5.5')
    stranger.socket.write(placeholderLogin())
    await expect.poll(() => heard[0]).toEqual(placeholderLogin())
    sockets[0]?.end(framed(2, Buffer.from('\u00ff\u0013\u0004#08S01Bad handshake', 'latin1')))
    await stranger.sees('Bad handshake')
    expect(proxy.counts().logins).toEqual({ pending: 0, broken: 1 })
  })

  it('blames no client for a database that dies while it judges the login', async () => {
    const { waiting, sockets, heard, proxy } = await greeter()
    const clients = await waiting(10)
    for (const it of clients) {
      await it.sees('5.5.5')
      it.socket.write(placeholderLogin())
    }
    await expect.poll(() => heard.every((it) => it.equals(placeholderLogin()))).toBe(true)
    for (const socket of sockets) socket.resetAndDestroy()
    await Promise.all(clients.map((it) => it.ended))
    expect(proxy.counts().logins).toEqual({ pending: 0, broken: 0 })
  })

  it('answers who waited too long for others to log in', async () => {
    const { waiting, counts, clock } = await greeter({ maxHold: 500 })
    const clients = await waiting(33)
    await counts({ held: 1 })
    clock.advance(500)
    expect(refusalIn((await clients[32]?.ended) ?? Buffer.of())).toEqual({
      number: 1040,
      message:
        'Too many clients are logging in or broke their logins off, and this connection waited 0.5 s, which is the ' +
        'longest that connector-max-hold allows. Try again later.',
    })
  })

  it('tells a client that says nothing why it ends, and logs in itself in vain', async () => {
    const { client, clock, heard } = await greeter()
    const silent = await client()
    await silent.sees('5.5.5')
    clock.advance(8000)
    const end = (await silent.ended).subarray(greeting.length)
    expect([end[3], end.readUInt16LE(5), end.subarray(7).toString()]).toEqual([
      1,
      1043,
      'The connector ends this connection: within the login the client did not go on.',
    ])
    await expect.poll(() => heard[0]?.includes('muster-client-left')).toBe(true)
  })

  it('hands on what the database says instead of greeting', async () => {
    const server = await serveTcp((socket) => {
      socket.end(framed(0, Buffer.from('\u00ff\u0010\u0004Too many connections', 'latin1')))
    })
    onTestFinished(() => server.close())
    const { route, refusal, proxy } = await testProxy()
    route(source({ name: 'db1', port: server.port }))
    expect(await refusal()).toEqual({ number: 1040, message: 'Too many connections' })
    expect(proxy.counts().refused.get('refused-by-database')).toBe(1)
  })

  it('reads from another replica while one blocks its host, and looks whether it still does', async () => {
    let isBlocking = true
    const server = await serveTcp((socket) => {
      if (isBlocking) socket.end(framed(0, Buffer.from('\u00ff\u0069\u0004Host is blocked', 'latin1')))
      else socket.write(greeting)
    })
    onTestFinished(() => server.close())
    const db3 = await standIn('db3')
    const { route, reader, proxy, clock } = await testProxy()
    route(source({ name: 'db2', port: server.port }, { role: 'replica' }), source(db3, { role: 'replica' }))
    await (await reader()).sees('db3 greets')
    expect([proxy.counts().blocked, proxy.problem('replica')]).toEqual([['db2'], null])
    await (await reader()).sees('db3 greets')
    isBlocking = false
    await eventually(() => {
      clock.advance(2000)
      expect(proxy.counts().blocked).toEqual([])
    })
  })
})

describe('a connector that is ONHOLD', () => {
  it('dials nothing for new clients, lets the others run on, and releases in order of arrival', async () => {
    const { greeted, held, enter, counts, dialled, db1 } = await primaryBehind()
    const running = await greeted()
    enter('ONHOLD')
    const clients = await held(5)
    // What a client says too early is kept for the database.
    for (const [index, it] of clients.entries()) it.socket.write(`client ${index}`)
    running.socket.write('still here')
    await running.sees('STILL HERE')
    expect(dialled).toHaveLength(1)
    enter('ONLINE')
    await Promise.all(clients.map((it, index) => it.sees(`CLIENT ${index}`)))
    expect(db1.firsts).toEqual(['still here', ...clients.map((_, index) => `client ${index}`)])
    await counts({ held: 0, active: 6, created: 6 })
  })

  it('lets nobody overtake those who wait to be released', async () => {
    const { held, enter, client, db1, counts } = await primaryBehind()
    enter('ONHOLD')
    // More than are connected at once.
    const clients = await held(80)
    for (const [index, it] of clients.entries()) it.socket.write(`${index}`)
    enter('ONLINE')
    const late = await client()
    late.socket.write('late')
    await late.sees('LATE')
    await counts({ held: 0, active: 81 })
    await expect.poll(() => db1.firsts).toHaveLength(81)
    expect(db1.firsts.indexOf('late')).toBe(80)
  })

  it.each(['end', 'resetAndDestroy'] as const)('notices a client that leaves (%s)', async (leave) => {
    const { held, enter, counts, dialled, client } = await primaryBehind()
    enter('ONHOLD')
    const [first, second] = await held(2)
    first?.socket[leave]()
    await counts({ held: 1 })
    await client()
    await counts({ held: 2 })
    enter('ONLINE')
    await second?.sees('db1 greets')
    await counts({ held: 0, active: 2 })
    expect(dialled).toHaveLength(2)
  })

  it('answers who comes beyond its limit, at once, and has room again when one leaves', async () => {
    const { held, enter, counts, refusal, proxy, client } = await primaryBehind({ maxHeld: 2 })
    enter('ONHOLD')
    const [first] = await held(2)
    expect(await refusal()).toEqual({
      number: 1040,
      message:
        'Too many connections: the connector is ONHOLD, and 2 wait already, which is the most that ' +
        'connector-max-held allows. Try again later.',
    })
    expect(proxy.counts().refused.get('too-many-held')).toBe(1)
    first?.socket.end()
    await counts({ held: 1 })
    await client()
    await counts({ held: 2 })
  })

  it('answers each when its own time is over', async () => {
    const { held, enter, counts, clock, client } = await primaryBehind({ maxHold: 1000 })
    enter('ONHOLD')
    const [first] = await held(1)
    clock.advance(600)
    const second = await client()
    await counts({ held: 2, remaining: 400 })
    clock.advance(400)
    expect(refusalIn((await first?.ended) ?? Buffer.of())).toEqual({
      number: 1040,
      message:
        'The connector is ONHOLD, and this connection waited 1 s, which is the longest that connector-max-hold ' +
        'allows. Try again later.',
    })
    await counts({ held: 1, remaining: 600 })
    clock.advance(600)
    expect(refusalIn(await second.ended).number).toBe(1040)
    await counts({ held: 0 })
  })

  it('holds one whose replica failed meanwhile, in its old place', async () => {
    const db2 = await standIn('db2')
    const { route, reader, clock, enter, counts, dialled } = await testProxy()
    const silent = source({ name: 'db9', port: silentPort }, { role: 'replica' })
    route(silent)
    const first = await reader()
    await counts({ active: 1 })
    enter('ONHOLD')
    clock.advance(1)
    const second = await reader()
    await counts({ held: 1 })
    route(source(db2, { role: 'replica' }))
    clock.advance(3000)
    await counts({ held: 2, active: 0 })
    expect(dialled).toEqual([silentPort])
    first.socket.write('first')
    second.socket.write('second')
    enter('ONLINE')
    await Promise.all([first.sees('FIRST'), second.sees('SECOND')])
    expect(db2.firsts).toEqual(['first', 'second'])
  })

  it('takes back those whose database did not answer in time, and releases all of them in the end', async () => {
    const { held, enter, counts, clock, route, db1 } = await primaryBehind({ maxHold: 60_000 })
    enter('ONHOLD')
    const clients: DatabaseClient[] = []
    for (const it of await held(40)) clients.push(it)
    for (const [index, it] of clients.entries()) it.socket.write(`${index}`)
    route(source({ name: 'db1', port: silentPort }))
    enter('ONLINE')
    await counts({ held: 8, active: 32 })
    enter('ONHOLD')
    clock.advance(3000)
    await counts({ held: 40, active: 0 })
    route(source(db1))
    enter('ONLINE')
    await counts({ held: 0, active: 40 })
    await expect.poll(() => db1.firsts).toHaveLength(40)
  })

  it('answers those who waited when there is nowhere to go in the end', async () => {
    const { held, enter, route, counts } = await primaryBehind()
    enter('ONHOLD')
    const clients = await held(50)
    route(source({ name: 'db1', port: silentPort }, { state: 'FAILED' }))
    enter('ONLINE')
    const answers = await Promise.all(clients.map((it) => it.ended))
    expect(new Set(answers.map((it) => refusalIn(it).message)).size).toBe(1)
    await counts({ held: 0, active: 0 })
  })
})

describe('a connector that is OFFLINE', () => {
  it('says so to new clients and to those who wait, and lets the others run on until the time is over', async () => {
    const { greeted, held, enter, counts, clock, refusal, proxy } = await primaryBehind()
    const running = await greeted()
    enter('ONHOLD')
    const [waiting] = await held(1)
    enter('OFFLINE')
    const words = {
      number: 1053,
      message: 'The connector is OFFLINE since 2025-03-10T10:12:18.000Z and takes no connections.',
    }
    expect(refusalIn((await waiting?.ended) ?? Buffer.of())).toEqual(words)
    expect(await refusal()).toEqual(words)
    expect(await refusal('replica')).toEqual(words)
    running.socket.write('still here')
    await running.sees('STILL HERE')
    await counts({ active: 1, held: 0, draining: 30_000 })
    clock.advance(29_999)
    running.socket.write(' and here')
    await running.sees('AND HERE')
    clock.advance(1)
    await running.ended
    await counts({ active: 0, draining: undefined })
    expect(proxy.counts().refused.get('offline')).toBe(3)
  })

  it('cuts at once when told to, also in the middle of a drain, and says whether there was anything', async () => {
    const { greeted, enter, proxy, counts, db1 } = await primaryBehind()
    const clients = [await greeted(), await greeted()]
    enter('OFFLINE')
    await counts({ active: 2, draining: 30_000 })
    expect(proxy.cut()).toBe(true)
    expect(proxy.counts()).toMatchObject({ active: 0, draining: undefined })
    await Promise.all(clients.map((it) => it.ended))
    await expect.poll(() => db1.sockets.every((it) => it.destroyed)).toBe(true)
    expect(proxy.cut()).toBe(false)
  })

  it('turns away, when cut, who is being connected', async () => {
    const { route, client, counts, enter, proxy } = await testProxy()
    route(source({ name: 'db1', port: silentPort }))
    const waiting = await client()
    await counts({ active: 1 })
    enter('OFFLINE')
    expect(proxy.cut()).toBe(true)
    expect(refusalIn(await waiting.ended).number).toBe(1053)
  })

  it.each(['ONLINE', 'ONHOLD'] as const)('forgets the end of a drain when it goes %s', async (value) => {
    const { greeted, enter, counts, clock } = await primaryBehind()
    const running = await greeted()
    enter('OFFLINE')
    clock.advance(20_000)
    enter(value)
    await counts({ draining: undefined })
    clock.advance(60_000)
    running.socket.write('still here')
    await running.sees('STILL HERE')
    // A new drain begins anew.
    enter('OFFLINE')
    await counts({ draining: 30_000 })
  })
})

describe('a connector that had many clients', () => {
  it('keeps no descriptor and no timer of them', async () => {
    const { greeted, held, enter, counts, refusal, clock, db1, proxy } = await primaryBehind({ maxHeld: 20 })
    const descriptors = (): number => readdirSync('/proc/self/fd').length
    await (await greeted()).socket.destroy()
    await counts({ active: 0 })
    await expect.poll(() => db1.sockets.every((it) => it.destroyed)).toBe(true)
    const before = descriptors()
    for (let turn = 0; turn < 3; turn += 1) {
      const running = [await greeted(), await greeted(), await greeted()]
      enter('ONHOLD')
      const clients = await held(20)
      await refusal()
      for (const it of clients.slice(0, 5)) it.socket.destroy()
      await counts({ held: 15 })
      enter('ONLINE')
      await counts({ active: 18, held: 0 })
      for (const it of running) it.socket.resetAndDestroy()
      await counts({ active: 15 })
      enter('OFFLINE')
      await refusal()
      proxy.cut()
      await Promise.all(clients.map((it) => it.ended))
      for (const it of clients) it.socket.destroy()
      enter('ONLINE')
    }
    // What tests before this one have left may go meanwhile.
    await eventually(() => expect(descriptors()).toBeLessThanOrEqual(before))
    await expect.poll(() => clock.pending()).toBe(0)
  })
})

describe('a connector whose data source changes', () => {
  const states = [
    ['OFFLINE', 30_000],
    ['SHUNNED', 30_000],
    ['FAILED', 0],
  ] as const
  it.each(states)('ends connections to one that is %s after %i ms', async (state, milliseconds) => {
    const { greeted, route, db1, clock, counts, refusal } = await primaryBehind()
    const running = await greeted()
    route(source(db1, { state }))
    expect((await refusal()).message).toContain(`db1 is ${state}`)
    if (milliseconds > 0) {
      clock.advance(milliseconds - 1)
      running.socket.write('still here')
      await running.sees('STILL HERE')
      clock.advance(1)
    }
    await running.ended
    await counts({ active: 0 })
  })

  it('lets connections run on when it comes back in time', async () => {
    const { greeted, route, db1, clock } = await primaryBehind()
    const running = await greeted()
    route(source(db1, { state: 'OFFLINE' }))
    clock.advance(20_000)
    route(source(db1))
    clock.advance(60_000)
    running.socket.write('still here')
    await running.sees('STILL HERE')
    // Nothing of the first time is left.
    route(source(db1, { state: 'SHUNNED' }))
    clock.advance(29_999)
    running.socket.write(' again')
    await running.sees('AGAIN')
    clock.advance(1)
    await running.ended
  })

  it('sends new clients to the new primary, and cuts connections to the old one at once', async () => {
    const { greeted, route, db1, client, proxy } = await primaryBehind()
    const db2 = await standIn('db2')
    const running = await greeted()
    route(source(db1, { role: 'replica' }), source(db2))
    expect(proxy.counts()).toMatchObject({ active: 0 })
    await running.ended
    await (await client()).sees('db2 greets')
    expect(proxy.counts().byName).toEqual(
      new Map([
        ['db1', { active: 0, created: 1 }],
        ['db2', { active: 1, created: 1 }],
      ]),
    )
  })

  it('ends connections to one that is gone from the map, or has another address', async () => {
    const { greeted, route, db1, clock, counts, proxy } = await primaryBehind()
    const db2 = await standIn('db2')
    const running = await greeted()
    route(source({ name: 'db1', port: db2.port }))
    expect(proxy.counts()).toMatchObject({ active: 0 })
    await running.ended
    route(source(db1))
    const other = await greeted()
    route()
    clock.advance(30_000)
    await other.ended
    await counts({ active: 0 })
  })

  it('takes a reader that is being connected to another replica when the first one fails', async () => {
    const db3 = await standIn('db3')
    const { route, reader, counts } = await testProxy()
    const db2 = { name: 'db2', port: silentPort }
    route(source(db2, { role: 'replica' }))
    const waiting = await reader()
    await counts({ active: 1 })
    route(source(db2, { role: 'replica', state: 'FAILED' }), source(db3, { role: 'replica' }))
    await waiting.sees('db3 greets')
  })
})

describe('a connector that stops', () => {
  it('answers who waits and who comes, and ends when the last one has gone by itself', async () => {
    const { greeted, held, enter, proxy, refusal } = await primaryBehind()
    const running = await greeted()
    enter('ONHOLD')
    const [waiting] = await held(1)
    const stopped = proxy.stop(10_000)
    expect(refusalIn((await waiting?.ended) ?? Buffer.of()).message).toBe(
      'The connector is stopping and takes no more connections.',
    )
    expect((await refusal()).number).toBe(1053)
    running.socket.write('still here')
    await running.sees('STILL HERE')
    running.socket.end()
    await stopped
  })

  it('cuts those who stay, after the shorter of both times where it drains already', async () => {
    const { greeted, enter, proxy, clock } = await primaryBehind({ drainTimeout: 5000 })
    const running = await greeted()
    enter('OFFLINE')
    clock.advance(1000)
    const stopped = proxy.stop(10_000)
    clock.advance(3999)
    running.socket.write('still here')
    await running.sees('STILL HERE')
    clock.advance(1)
    await stopped
    await running.ended
  })

  it('ends those who were refused and stay when it closes, and waits for nobody', async () => {
    const { held, enter, proxy, client, clock } = await primaryBehind()
    enter('ONHOLD')
    const [waiting] = await held(1)
    await proxy.stop(10_000)
    const late = await client()
    for (const it of [waiting, late]) expect(refusalIn((await it?.ended) ?? Buffer.of()).number).toBe(1053)
    proxy.close()
    await expect.poll(() => clock.pending()).toBe(0)
  })

  it('ends at once with nobody there, and also in the middle of a release', async () => {
    const { held, enter, proxy, counts } = await primaryBehind()
    enter('ONHOLD')
    const clients = await held(40)
    enter('ONLINE')
    const stopped = proxy.stop(10_000)
    await counts({ held: 0 })
    for (const it of clients) it.socket.end()
    await stopped
    await proxy.stop(10_000)
  })
})
