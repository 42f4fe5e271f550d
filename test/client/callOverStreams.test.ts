import { X509Certificate } from 'node:crypto'
import { connect } from 'node:net'
import type { Duplex } from 'node:stream'
import { afterEach, describe, expect, it } from 'vitest'
import type { CallRequest } from '../../src/client/call.ts'
import { callOverStreams, type Dial } from '../../src/client/callOverStreams.ts'
import { makeAuthority, makeLeaf } from '../support/clientCertificate.ts'
import { type LoopbackServer, servePlain, serveTls } from '../support/loopbackServer.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'

const authority = makeAuthority()
const leaf = makeLeaf(authority, { names: ['127.0.0.1'] })
const fingerprint = new X509Certificate(leaf.cert).fingerprint256
const open: LoopbackServer[] = []
const keep = async <Server extends LoopbackServer>(server: Promise<Server>): Promise<Server> => {
  const started = await server
  open.push(started)
  return started
}

afterEach(async () => {
  for (const server of open.splice(0)) await server.close()
})

const at = (port: number, more: Partial<CallRequest> = {}): CallRequest => ({
  id: 'a',
  method: 'GET',
  path: '/api/v2/ping',
  target: { address: '0.0.0.0', port, authorities: [authority.certificate] },
  timeout: 5000,
  ...more,
})

/** Opens real connections and remembers them. */
function dialler(): { dial: Dial; opened: Duplex[]; asked: unknown[] } {
  const opened: Duplex[] = []
  const asked: unknown[] = []
  return {
    opened,
    asked,
    dial: (place) =>
      new Promise((resolve) => {
        asked.push(place)
        const socket =
          'socket' in place
            ? connect({ path: place.socket })
            : connect({ port: place.port, host: place.address })
        socket.on('error', resolve)
        socket.once('connect', () => resolve(socket))
        opened.push(socket)
      }),
  }
}

describe('callOverStreams', () => {
  it('makes a POST only if it may arrive twice', async () => {
    const seen: unknown[] = []
    const server = await keep(
      serveTls(leaf, ({ method }, answer) => {
        seen.push(method)
        answer.end('ok')
      }),
    )
    const { dial } = dialler()
    expect(await callOverStreams([at(server.port, { method: 'POST' })], dial)).toBeUndefined()
    expect(seen).toEqual([])
    const repeatable = at(server.port, { method: 'POST', repeatable: true })
    expect(await callOverStreams([repeatable], dial)).toEqual([{ id: 'a', status: 200, body: 'ok' }])
    expect(seen).toEqual(['POST'])
  })

  it('makes the calls of a server over one connection, and each call of a socket over its own', async () => {
    const seen: string[] = []
    const server = await keep(
      serveTls(leaf, ({ url, socket, headers }, answer) => {
        seen.push(`${url} ${socket.remotePort} ${headers.authorization}`)
        answer.writeHead(200, { 'Content-Type': 'application/json' }).end('{"at":1}')
      }),
    )
    const path = `${temporaryFolder()}/api.sock`
    await keep(servePlain(({ url }, answer) => answer.writeHead(401).end(url), { path }))
    const { dial, opened, asked } = dialler()
    const credentials = { user: 'admin', password: 'é:' }
    const results = await callOverStreams(
      [
        at(server.port, { id: '1', path: '/1', credentials }),
        at(1, { id: '2', path: '/2', target: { socket: path } }),
        at(server.port, { id: '3', path: '/3' }),
        at(1, { id: '4', path: '/4', target: { socket: path } }),
      ],
      dial,
    )
    expect(results).toEqual([
      { id: '1', status: 200, body: { at: 1 } },
      { id: '2', status: 401, body: '/2' },
      { id: '3', status: 200, body: { at: 1 } },
      { id: '4', status: 401, body: '/4' },
    ])
    expect(asked).toEqual([{ address: '127.0.0.1', port: server.port }, { socket: path }, { socket: path }])
    const [first, second] = seen.map((line) => line.split(' '))
    expect([first?.[0], second?.[0]]).toEqual(['/1', '/3'])
    expect(first?.[1]).toBe(second?.[1])
    expect(seen[0]).toContain(`Basic ${Buffer.from('admin:é:').toString('base64')}`)
    expect(opened.every((stream) => stream.destroyed)).toBe(true)
  })

  it('accepts only the pinned certificate of a trusted authority', async () => {
    const server = await keep(serveTls(leaf, (_message, answer) => answer.end('up')))
    const { certificate } = authority
    const target = { address: '127.0.0.1', port: server.port, authorities: [certificate] }
    const { dial } = dialler()
    const demanding = (demanded: string): CallRequest =>
      at(1, { target: { ...target, certificate: demanded } })
    expect(await callOverStreams([demanding(fingerprint)], dial)).toEqual([
      { id: 'a', status: 200, body: 'up', certificate: fingerprint },
    ])
    expect(await callOverStreams([demanding(`00:${fingerprint.slice(3)}`)], dial)).toBeUndefined()
    const elsewhere = { ...target, authorities: [makeAuthority().certificate] }
    expect(await callOverStreams([at(1, { target: elsewhere })], dial)).toBeUndefined()
  })

  it.each([
    ['it is not ready', 503],
    ['it breaks off', 'cut'],
  ])('leaves the calls to the host if %s', async (_what, how) => {
    const server = await keep(
      serveTls(leaf, ({ socket }, answer) => {
        if (typeof how === 'number') answer.writeHead(how).end()
        else socket.destroy()
      }),
    )
    const { dial, opened } = dialler()
    expect(await callOverStreams([at(server.port), at(server.port, { id: 'b' })], dial)).toBeUndefined()
    expect(opened.every((stream) => stream.destroyed)).toBe(true)
  })

  it('returns 503 of a component that is not ready, which no repetition would change', async () => {
    const server = await keep(
      serveTls(leaf, (_message, answer) =>
        answer.writeHead(503, { 'Content-Type': 'text/plain' }).end('unready\n'),
      ),
    )
    expect(await callOverStreams([at(server.port, { path: '/health/ready' })], dialler().dial)).toMatchObject(
      [{ status: 503, body: 'unready\n' }],
    )
  })

  it('leaves the calls to the host if one of its servers is unreachable, and makes none', async () => {
    let called = 0
    const server = await keep(
      serveTls(leaf, (_message, answer) => {
        called += 1
        answer.end()
      }),
    )
    const { dial, opened } = dialler()
    const refusing: Dial = async (place) => ('socket' in place ? new Error('prohibited') : dial(place))
    expect(
      await callOverStreams([at(server.port), at(1, { target: { socket: '/x' } })], refusing),
    ).toBeUndefined()
    expect(called).toBe(0)
    expect(opened.every((stream) => stream.destroyed)).toBe(true)
  })

  it('never makes a call that changes something or asks for certificates', async () => {
    const { dial, asked } = dialler()
    expect(await callOverStreams([at(1, { method: 'POST' })], dial)).toBeUndefined()
    expect(await callOverStreams([at(1), at(1, { show: 'certificates' })], dial)).toBeUndefined()
    expect(asked).toEqual([])
  })
})
