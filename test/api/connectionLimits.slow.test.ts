import { spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { connect, Socket } from 'node:net'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { pino } from 'pino'
import { describe, expect, it, onTestFinished } from 'vitest'
import { hashPassword } from '../../src/accounts/passwordHash.ts'
import { formatUserFile } from '../../src/accounts/userFile.ts'
import { type ConnectionLimits, limitConnections, markVerified } from '../../src/api/connectionLimits.ts'
import { Secret } from '../../src/secrets/secret.ts'
import { fetchAt, portOf } from '../support/https.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'
import { adminLogin, testCost } from '../support/testApi.ts'
import { certificate, settingsIn, start } from '../support/testServer.ts'

const isRoot = process.geteuid?.() === 0

async function server(connections: ConnectionLimits, address = '127.0.0.1') {
  const folder = temporaryFolder()
  const hash = await hashPassword({ password: new Secret('right'), salt: Buffer.alloc(16), cost: testCost })
  const text = formatUserFile({ version: 1, users: [{ user: 'admin', access: 'full', hash }] })
  writeFileSync(join(folder, 'users.json'), text)
  const refused: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void refused.push(JSON.parse(line).origin) })
  const running = await start(settingsIn(folder, { listen: { address, port: 0 } }), log, { connections })
  return { port: portOf(running), refused }
}

/** Opens idle TCP connections and keeps them. */
async function idle(port: number, count: number): Promise<readonly Socket[]> {
  const open = async (): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined)
    onTestFinished(() => void socket.destroy())
    await once(socket, 'connect')
    return socket
  }
  return Promise.all(Array.from({ length: count }, open))
}

const isOpen = (socket: Socket): boolean => !socket.destroyed && socket.readable

/** A process of another user that opens idle connections and keeps them. */
async function idleAs(uid: number, port: number, count: number): Promise<void> {
  const program = `
    let open = 0
    for (let at = 0; at < ${count}; at++) {
      const s = require('node:net').connect(${port}, '127.0.0.1', () => { if (++open === ${count}) console.log('open') })
      s.on('error', () => {})
    }
    setTimeout(() => {}, 60000)`
  const stdio = ['ignore', 'pipe', 'ignore'] as const
  const child = spawn(process.execPath, ['-e', program], {
    uid,
    gid: uid,
    cwd: '/',
    env: {},
    stdio: [...stdio],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  if (child.stdout) await once(child.stdout, 'data')
}

describe('connections to a listener', () => {
  it('are limited: the oldest silent ones of the address with most connections are closed', async () => {
    const { port, refused } = await server({ remote: 4, perAddress: 4, local: 3 })
    const first = await idle(port, 3)
    const next = await idle(port, 3)
    await expect.poll(() => refused.length).toBe(3)
    await expect.poll(() => first.some(isOpen)).toBe(false)
    expect(next.every(isOpen)).toBe(true)
  })

  it('let a caller in beside callers of its address that end no handshake or ask nothing', async () => {
    const { port, refused } = await server({ remote: 4, perAddress: 4, local: 4 })
    await idle(port, 2)
    for (let index = 0; index < 2; index += 1) {
      const secure = connectTls({ port, host: '127.0.0.1', ca: certificate.chain, servername: 'localhost' })
      onTestFinished(() => void secure.destroy())
      secure.on('error', () => undefined)
      await once(secure, 'secureConnect')
    }
    const place = { port, ca: certificate.chain }
    for (let attempt = 0; attempt < 4; attempt += 1) {
      const headers = { authorization: adminLogin }
      expect((await fetchAt(place, { path: '/api/v2/users', headers })).status).toBe(200)
      await idle(port, 1)
    }
    expect(refused).not.toEqual([])
  })

  it('stay open if a login was verified over them, whoever else connects', async () => {
    const { port, refused } = await server({ remote: 4, perAddress: 4, local: 3 })
    await idle(port, 2)
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    onTestFinished(() => agent.destroy())
    const call = (): Promise<{ status: number | undefined; reused: boolean }> =>
      new Promise((resolve, reject) => {
        const headers = { authorization: adminLogin }
        const options = {
          host: '127.0.0.1',
          port,
          path: '/api/v2/users',
          ca: certificate.chain,
          headers,
          agent,
        }
        const sent = request(options, (answer) => {
          answer.resume().on('end', () => resolve({ status: answer.statusCode, reused: sent.reusedSocket }))
        })
        sent.on('error', reject).end()
      })
    expect(await call()).toEqual({ status: 200, reused: false })
    await idle(port, 20)
    await expect.poll(() => refused.length).toBeGreaterThanOrEqual(20)
    expect(await call()).toEqual({ status: 200, reused: true })
  })

  it.skipIf(!isRoot)(
    'leave room for root while another user of the host opens all it can (needs root)',
    async () => {
      const { port, refused } = await server({ remote: 4, perAddress: 4, local: 20 })
      await idleAs(1234, port, 60)
      await expect.poll(() => refused.length).toBe(20)
      expect(new Set(refused)).toEqual(new Set(['uid 1234']))
      const place = { port, ca: certificate.chain }
      for (let attempt = 0; attempt < 5; attempt += 1) {
        expect(
          (await fetchAt(place, { path: '/api/v2/users', headers: { authorization: adminLogin } })).status,
        ).toBe(200)
      }
    },
  )

  it.skipIf(!isRoot)(
    'of one user are no more than half of the room while another comes (needs root)',
    async () => {
      const { port, refused } = await server({ remote: 4, perAddress: 4, local: 20 })
      await idleAs(1234, port, 20)
      const own = await idle(port, 10)
      await expect.poll(() => refused.length).toBe(10)
      expect(new Set(refused)).toEqual(new Set(['uid 1234']))
      expect(own.every(isOpen)).toBe(true)
    },
  )
})

describe('connections from other hosts', () => {
  /** A listener to which connections of these addresses come. */
  function listener(limits: ConnectionLimits) {
    const server = new EventEmitter()
    const refused: string[] = []
    let port = 1024
    limitConnections(server, limits, (origin) => refused.push(origin))
    const come = (remoteAddress: string): Socket => {
      const socket = new Socket()
      port += 1
      const ends = { remoteAddress, remotePort: port, localAddress: '192.0.2.1', localPort: 8090 }
      for (const [name, value] of Object.entries(ends)) Object.defineProperty(socket, name, { value })
      server.emit('connection', socket)
      return socket
    }
    /** Lets a request come; what it returns is the response. */
    const asks = (socket: Socket): EventEmitter => {
      const response = new EventEmitter()
      server.emit('request', { socket }, response)
      return response
    }
    return { come, asks, refused }
  }

  it('are limited per address, IPv6 per network, and leave room for other addresses', () => {
    const { come, refused } = listener({ remote: 100, perAddress: 3, local: 1 })
    for (let index = 0; index < 10; index += 1) come(`2001:db8::${index}`)
    expect(refused).toEqual(Array(7).fill('2001:db8:0:0::/64'))
    expect(come('2001:db8:0:1::1').destroyed).toBe(false)
  })

  it('are closed for the address with most of them: oldest first, never one with a verified login', () => {
    const { come, refused } = listener({ remote: 10, perAddress: 8, local: 1 })
    const administrator = come('10.0.0.6')
    markVerified(administrator)
    const flood = Array.from({ length: 7 }, () => come('10.0.0.6'))
    come('10.0.0.1')
    come('10.0.0.2')
    expect(refused).toEqual([])
    expect(come('10.0.0.3').destroyed).toBe(false)
    expect(flood.map(({ destroyed }) => destroyed)).toEqual([true, ...Array(6).fill(false)])
    for (let index = 0; index < 20; index += 1) expect(come('10.0.0.6').destroyed).toBe(false)
    for (let index = 4; index < 9; index += 1) expect(come(`10.0.0.${index}`).destroyed).toBe(false)
    expect(administrator.destroyed).toBe(false)
  })

  it('are closed before those that wait for a request again, and these before one that is answered', () => {
    const { come, asks } = listener({ remote: 10, perAddress: 3, local: 1 })
    const [answered, again, silent] = [come('10.0.0.6'), come('10.0.0.6'), come('10.0.0.6')]
    asks(answered)
    asks(again).emit('close')
    const next = come('10.0.0.6')
    expect([silent.destroyed, again.destroyed]).toEqual([true, false])
    asks(next)
    const last = come('10.0.0.6')
    expect([again.destroyed, next.destroyed]).toEqual([true, false])
    asks(last)
    expect(come('10.0.0.6').destroyed).toBe(true)
    expect([answered, next, last].some(({ destroyed }) => destroyed)).toBe(false)
  })

  it('free their place when they close', async () => {
    const { come } = listener({ remote: 2, perAddress: 2, local: 1 })
    const [first, second] = [come('10.0.0.6'), come('10.0.0.6')]
    first.destroy()
    await once(first, 'close')
    come('10.0.0.6')
    expect(second.destroyed).toBe(false)
    come('10.0.0.6')
    expect(second.destroyed).toBe(true)
  })
})
