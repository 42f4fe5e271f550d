import { existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectSsh } from '../../src/transport/ssh.ts'
import type { ListeningPlace, Transport } from '../../src/transport/transport.ts'
import { eventually } from '../support/eventually.ts'
import { servePlain } from '../support/loopbackServer.ts'
import { rawResult } from '../support/rawResult.ts'
import { hasSshd, type Sshd, startSshd } from '../support/sshd.ts'

let sshd: Sshd

const wanted = ({ port, identity, knownHosts, folder } = sshd) => ({
  host: 'db1',
  address: '127.0.0.1',
  ssh: { port, identity, knownHosts, become: true, timeout: 10_000 },
  env: { home: folder, user: 'root' },
})

const connect = ({ to = sshd, sleep }: { to?: Sshd; sleep?: () => Promise<void> } = {}): Promise<Transport> =>
  connectSsh({
    ...wanted(to),
    readFile: (path) => readFile(path),
    ...(sleep === undefined ? {} : { sleep }),
  })

describe.skipIf(!hasSshd)('OpenSSH (needs root and /usr/sbin/sshd)', () => {
  beforeAll(async () => {
    sshd = await startSshd('127.0.0.1')
  })

  afterAll(() => sshd?.close())

  it('is known by a hashed key, logs in, runs and writes, with MaxSessions 1', async () => {
    const transport = await connect()
    expect(rawResult(await transport.run('id -u; cat; exit 4', { stdin: 'data' }))).toEqual({
      code: 4,
      stdout: '0\ndata',
      stderr: '',
    })
    const path = join(sshd.folder, 'uploaded')
    await transport.upload({
      path,
      content: Buffer.alloc(20_000_000, 7),
      mode: 0o640,
      owner: 'daemon:daemon',
    })
    expect(await stat(path)).toMatchObject({ size: 20_000_000, uid: 1, gid: 1, mode: 0o100640 })
    await transport.close()
  })

  it('reports why it forwards no connection (AllowTcpForwarding no)', async () => {
    const transport = await connect()
    for (const place of [{ address: '127.0.0.1', port: sshd.port }, { socket: '/run/api.sock' }]) {
      expect(await transport.dial?.(place)).toBeInstanceOf(Error)
    }
    // The shell is not disturbed.
    expect((await transport.run('echo on')).stdout.raw()).toBe('on\n')
    await transport.close()
  })

  it('forwards connections to listeners on the host', async () => {
    const other = await startSshd('127.0.0.1', { forwarding: true })
    const path = join(other.folder, 'api.sock')
    const servers = [
      await servePlain((_message, answer) => answer.end('on the socket'), { path }),
      await servePlain((_message, answer) => answer.end('over TCP')),
    ]
    const transport = await connect({ to: other })
    const ask = async (place: ListeningPlace): Promise<string> => {
      const stream = await transport.dial?.(place)
      if (!(stream instanceof Duplex)) return 'no connection'
      stream.write('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
      return (await text(stream)).split('\r\n').at(-1) ?? ''
    }
    const port = servers[1]?.port ?? 0
    const places = [{ socket: path }, { address: '127.0.0.1', port }, { socket: `${path}2` }]
    expect(await Promise.all(places.map(ask))).toEqual(['on the socket', 'over TCP', 'no connection'])
    expect((await transport.run('echo on')).stdout.raw()).toBe('on\n')
    await transport.close()
    for (const server of [...servers, other]) await server.close()
  })

  it('ends the loop on the host when the connection ends', async () => {
    const transport = await connect()
    const pid = Number((await transport.run('echo $$')).stdout)
    expect(existsSync(`/proc/${pid}`)).toBe(true)
    await transport.close()
    await eventually(() => expect(existsSync(`/proc/${pid}`)).toBe(false))
  })

  it('ends the loop on the host when a run times out', async () => {
    const transport = await connect()
    const pid = Number((await transport.run('echo $$')).stdout)
    await expect(transport.run('sleep 1', { timeout: 100 })).rejects.toMatchObject({ code: 'timeout' })
    await eventually(() => expect(existsSync(`/proc/${pid}`)).toBe(false))
  })

  it('that drops connections for a moment is tried again (MaxStartups 2:100:3)', async () => {
    const letGo = await sshd.hold(2)
    let slept = 0
    const transport = await connect({
      sleep: async () => {
        slept += 1
        await letGo()
      },
    })
    expect(slept).toBeGreaterThan(0)
    expect((await transport.run('echo in')).stdout.raw()).toBe('in\n')
    await transport.close()
  })

  it('that keeps dropping connections fails after four attempts with a likely reason', async () => {
    const letGo = await sshd.hold(2)
    let slept = 0
    const refused = connect({
      sleep: async () => {
        slept += 1
      },
    })
    await expect(refused).rejects.toMatchObject({ code: 'no-ssh-banner' })
    await expect(refused).rejects.toMatchObject({ fix: expect.stringContaining('MaxStartups') })
    expect(slept).toBe(3)
    await letGo()
  })
})
