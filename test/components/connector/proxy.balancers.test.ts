import { describe, expect, it } from 'vitest'
import { placeholderLogin } from '../../../src/components/connector/handshakePackets.ts'
import { loginLimits } from '../../../src/components/connector/loginLimiter.ts'
import {
  headerNoteTime,
  headerTimeout,
  proxyHeader,
} from '../../../src/components/connector/proxyProtocol.ts'
import { type DatabaseClient, refusalIn, standIn } from '../../support/databaseClient.ts'
import { eventually } from '../../support/eventually.ts'
import { hangingServer } from '../../support/hangingServer.ts'
import { source, testProxy } from '../../support/testProxy.ts'

const balancer = '127.0.0.5'
const other = '127.0.0.9'

const vip = { localAddress: '10.0.0.1', localPort: 3306 }
const anna = { remoteAddress: '10.9.0.1', remotePort: 40_001, ...vip }
const ben = { remoteAddress: '10.9.0.2', remotePort: 40_002, ...vip }

/** A header by which the balancer says that the connection is its own. */
const own = proxyHeader({})
const ownLine = Buffer.from('PROXY UNKNOWN\r\n')

const noHeader = 'did not begin with a header of the PROXY protocol'
const noHeaderYet = 'sent no header of the PROXY protocol within 5 s'
const note = (what: string, from = balancer): string =>
  `a connection from ${from} ${what} and was ended: application-proxy-networks names that address`

/** A proxy behind a load balancer, with a server that takes headers and greets when it is told to. */
async function behindBalancer(limits: Parameters<typeof testProxy>[0] = {}) {
  const proxy = await testProxy({ proxyProtocol: true, balancerNetworks: [balancer], ...limits })
  const db1 = await hangingServer('db1')
  const writer = { datasource: 'db1', code: null, reason: null, hold: false }
  const datasources = [{ ...source(db1), readable: false, proxyNetworks: '127.0.0.1' }]
  proxy.proxy.setRouting({ services: [{ name: 'alpha', writer, datasources }] })
  const send = async (words: Buffer, from = balancer): Promise<DatabaseClient> => {
    const client = await proxy.client(from)
    client.socket.write(words)
    return client
  }
  const refused = (): number => proxy.proxy.counts().refused.get('proxy-header') ?? 0
  const notes = (): readonly string[] => proxy.proxy.notes(['primary'])
  const hears = (index: number, bytes: Buffer): Promise<void> =>
    eventually(() => expect(db1.heard[index]?.toString('hex')).toBe(bytes.toString('hex')))
  return { ...proxy, db1, send, refused, notes, hears }
}

/** A proxy behind a load balancer, with a server that answers in upper case. */
async function withEcho(limits: Parameters<typeof testProxy>[0] = {}) {
  const proxy = await testProxy({ balancerNetworks: [balancer], ...limits })
  proxy.route(source(await standIn('db1')))
  return proxy
}

describe('a connector behind a load balancer', () => {
  const six = { remoteAddress: '2001:db8::7', remotePort: 7, localAddress: '2001:db8::1', localPort: 8 }

  it.each([
    ['a header of version 2', anna, proxyHeader(anna)],
    ['a header of version 2 with a client of IPv6', six, proxyHeader(six)],
    ['a header of version 1', anna, Buffer.from('PROXY TCP4 10.9.0.1 10.0.0.1 40001 3306\r\n')],
    [
      'a header of version 1 with ends of two families',
      {},
      Buffer.from('PROXY TCP6 ::ffff:10.9.0.1 2001:db8::1 1 2\r\n'),
    ],
  ])('passes the client of %s on to the database', async (_what, ends, words) => {
    const { send, hears, db1, refused, notes } = await behindBalancer()
    const client = await send(words)
    await hears(0, proxyHeader(ends))
    db1.greet(0)
    await client.sees('5.5.5')
    expect([refused(), notes()]).toEqual([0, []])
  })

  it('skips further fields of a header', async () => {
    const { send, hears } = await behindBalancer()
    const fields = Buffer.from('200005010000000004000300000003000412345678', 'hex')
    const words = Buffer.concat([proxyHeader(anna), fields])
    words.writeUInt16BE(12 + fields.length, 14)
    await send(words)
    await hears(0, proxyHeader(anna))
  })

  it('counts broken logins by the address of the client', async () => {
    const { send, db1, counts, client: plain } = await behindBalancer()
    for (let index = 0; index < loginLimits.broken.each; index += 1) {
      const client = await send(proxyHeader(anna))
      await db1.accepts(index + 1)
      db1.greet(index)
      await client.sees('5.5.5')
      db1.sockets[index]?.destroy()
      await client.ended
      client.socket.destroy()
    }
    await send(proxyHeader({ ...anna, remotePort: 1 }))
    await counts({ held: 1 })
    await send(proxyHeader(ben))
    await db1.accepts(loginLimits.broken.each + 1)
    await plain(other)
    await db1.accepts(loginLimits.broken.each + 2)
    await counts({ held: 1 })
  })

  it.each([
    ['version 2', own],
    ['version 1', ownLine],
  ])('has connections of its own at its address, by a header of %s', async (_what, words) => {
    const { send, hears } = await behindBalancer()
    const client = await send(words)
    const { localAddress, localPort, remoteAddress, remotePort } = client.socket
    const ends = {
      ...{ remoteAddress: localAddress, remotePort: localPort },
      ...{ localAddress: remoteAddress, localPort: remotePort },
    }
    await hears(0, proxyHeader(ends))
  })

  it('loses nothing that follows the header at once, however it is split', async () => {
    const { client } = await withEcho()
    const [whole, split] = [await client(balancer), await client(balancer)]
    whole.socket.write(Buffer.concat([proxyHeader(anna), Buffer.from('select')]))
    await whole.sees('SELECT')
    split.socket.setNoDelay(true)
    for (const byte of Buffer.concat([proxyHeader(ben), Buffer.from('update')])) {
      await new Promise((resolve) => split.socket.write(Buffer.of(byte), resolve))
    }
    await split.sees('UPDATE')
    whole.socket.end()
    expect((await whole.ended).toString()).toBe('db1 greets\nSELECT')
  })

  it('ends its connection without a header after some seconds, and says so', async () => {
    const { client, clock, db1, refused, notes, send } = await behindBalancer()
    const silent = await client(balancer)
    const slow = await send(proxyHeader(anna).subarray(0, 20))
    await eventually(() => expect(clock.pending()).toBe(2))
    clock.advance(headerTimeout - 1)
    expect([silent.received(), slow.received(), refused()]).toEqual(['', '', 0])
    clock.advance(1)
    for (const it of [silent, slow]) {
      expect(refusalIn(await it.ended)).toEqual({
        number: 1043,
        message: `The connector ends this connection, which ${noHeaderYet}: application-proxy-networks names ${balancer}.`,
      })
    }
    expect([refused(), notes(), db1.sockets]).toEqual([2, [note(noHeaderYet)], []])
  })

  it.each([
    ['begins with TLS', Buffer.from('160301', 'hex')],
    ['begins with a login', placeholderLogin()],
    ['has a broken line', Buffer.from('PROXY TCP4 010.9.0.1 10.0.0.1 40001 3306\r\n')],
    ['has an endless line', Buffer.from(`PROXY UNKNOWN ${'x'.repeat(100_000)}`)],
    ['has a header that is too long', Buffer.from('0d0a0d0a000d0a515549540a2111ffff', 'hex')],
    ['ends within its header', undefined],
  ])('ends its connection that %s, and says so', async (_what, words) => {
    const { send, db1, refused, notes } = await behindBalancer()
    const client = await send(words ?? proxyHeader(anna).subarray(0, 20))
    if (words === undefined) client.socket.end()
    expect(refusalIn(await client.ended).message).toContain(noHeader)
    expect([refused(), notes(), db1.sockets]).toEqual([1, [note(noHeader)], []])
  })

  it('notes its last connection without a header until it names a client, or for a time', async () => {
    const both = { balancerNetworks: [balancer, '127.0.0.8/29'] }
    const { send, hears, clock, notes, refused } = await behindBalancer(both)
    const fail = async (from: string): Promise<void> =>
      void (await (
        await send(Buffer.from('x'), from)
      ).ended)
    await fail(balancer)
    await fail(other)
    expect(notes()).toEqual([note(noHeader, other)])
    await send(proxyHeader(anna))
    await hears(0, proxyHeader(anna))
    expect(notes()).toEqual([note(noHeader, other)])
    await send(proxyHeader(ben), other)
    await hears(1, proxyHeader(ben))
    expect(notes()).toEqual([])
    await fail(other)
    clock.advance(headerNoteTime - 1)
    expect(notes()).toEqual([note(noHeader, other)])
    clock.advance(1)
    expect([notes(), refused()]).toEqual([[], 3])
  })

  it('says nothing of checks that end at once, and no database counts them', async () => {
    const { client, send, db1, counts, proxy, refused, notes, clock } = await behindBalancer()
    const ended = await client(balancer)
    ended.socket.end()
    await ended.ended
    const reset = await client(balancer)
    reset.socket.resetAndDestroy()
    await eventually(() => expect(clock.pending()).toBe(0))
    expect(db1.sockets).toEqual([])
    for (const [index, words] of [own, ownLine, proxyHeader(anna)].entries()) {
      const check = await send(words)
      await db1.accepts(index + 1)
      check.socket.end()
      await check.ended
    }
    for (const index of [0, 1, 2]) {
      db1.greet(index)
      await eventually(() => expect(db1.heard[index]?.includes(placeholderLogin())).toBe(true))
      db1.welcome(index)
    }
    await counts({ active: 0 })
    await eventually(() => expect(proxy.counts().logins).toEqual({ pending: 0, broken: 0 }))
    expect([refused(), notes(), [...proxy.counts().refused]]).toEqual([0, [], []])
  })

  it('lets no client claim another address by a second header', async () => {
    const { send, hears, db1, clock } = await behindBalancer()
    const words = [proxyHeader(anna), proxyHeader(ben), Buffer.from('PROXY TCP4 10.9.0.2 10.0.0.1 1 2\r\n')]
    const client = await send(Buffer.concat(words))
    await hears(0, proxyHeader(anna))
    db1.greet(0)
    await client.sees('5.5.5')
    clock.advance(60_000)
    await client.ended
    await hears(0, Buffer.concat([proxyHeader(anna), placeholderLogin()]))
  })

  it('reads no header of anybody else', async () => {
    const { send, hears, db1, refused, notes, clock } = await behindBalancer()
    const client = await send(proxyHeader(anna), other)
    const { localPort, remotePort } = client.socket
    const ends = {
      remoteAddress: other,
      remotePort: localPort,
      localAddress: '127.0.0.1',
      localPort: remotePort,
    }
    await hears(0, proxyHeader(ends))
    db1.greet(0)
    await client.sees('5.5.5')
    clock.advance(60_000)
    await client.ended
    await hears(0, Buffer.concat([proxyHeader(ends), placeholderLogin()]))
    expect([refused(), notes()]).toEqual([0, []])
  })

  it('joins others without a header, and at once', async () => {
    const { client, clock } = await withEcho()
    const plain = await client(other)
    await plain.sees('db1 greets')
    plain.socket.write('proxy unknown\r\n')
    await plain.sees('PROXY UNKNOWN')
    expect(clock.pending()).toBe(0)
  })

  it('tells clients that are refused later why, also those that it named', async () => {
    const { client, enter } = await withEcho()
    enter('OFFLINE')
    const named = await client(balancer)
    named.socket.write(proxyHeader(anna))
    expect(refusalIn(await named.ended).message).toContain('OFFLINE')
  })

  it('reads no header without the option', async () => {
    const { client, proxy } = await withEcho({ balancerNetworks: [] })
    const plain = await client(balancer)
    plain.socket.write('proxy unknown\r\n')
    await plain.sees('PROXY UNKNOWN\r\n')
    expect(proxy.notes(['primary'])).toEqual([])
  })

  it('leaves the header to others where the database is not to be told', async () => {
    const { send, hears, db1 } = await behindBalancer({ proxyProtocol: false })
    const client = await send(proxyHeader(anna))
    await db1.accepts(1)
    db1.greet(0)
    await client.sees('5.5.5')
    await hears(0, Buffer.alloc(0))
  })

  it('ends those that wait for their header when it closes', async () => {
    const { proxy, client, clock } = await withEcho()
    const socket = await client(balancer)
    await eventually(() => expect(clock.pending()).toBe(1))
    proxy.close()
    await socket.ended
  })
})
