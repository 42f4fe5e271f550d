import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { isOwnAddress, originOf, peerNetwork, uidOfPeer } from '../../src/api/remoteAddress.ts'

const isRoot = process.geteuid?.() === 0

type Way = { readonly listen: string; readonly dial: string; readonly family: 4 | 6; readonly uid: number }

/** The server's side of a connection that a process of another user opens and keeps. */
async function accepted({ listen, dial, family, uid }: Way, then = ''): Promise<Socket> {
  const server = createServer({ allowHalfOpen: true })
  server.listen(0, listen)
  await once(server, 'listening')
  const bound = server.address()
  const port = typeof bound === 'object' ? bound?.port : undefined
  const program = `const s=require('node:net').connect({host:'${dial}',port:${port},family:${family},allowHalfOpen:true},()=>{${then}});s.on('error',()=>{});setTimeout(()=>{},60000)`
  const child = spawn(process.execPath, ['-e', program], { uid, gid: uid, stdio: 'ignore', cwd: '/' })
  const [socket]: Socket[] = await once(server, 'connection')
  onTestFinished(() => {
    child.kill('SIGKILL')
    socket?.destroy()
    server.close()
  })
  if (socket === undefined) throw new Error('nobody came')
  return socket
}

describe.skipIf(!isRoot)('the owner of a local connection (needs root)', () => {
  it.each([
    ['IPv4', { listen: '127.0.0.1', dial: '127.0.0.1', family: 4, uid: 1234 }],
    ['another address of loopback', { listen: '127.0.0.1', dial: '127.0.0.1', family: 4, uid: 1235 }],
    ['IPv6', { listen: '::1', dial: '::1', family: 6, uid: 1236 }],
    ['IPv4 to a listener of both', { listen: '::', dial: '127.0.0.1', family: 4, uid: 1237 }],
    ['IPv4 mapped into IPv6', { listen: '::', dial: '::ffff:127.0.0.1', family: 6, uid: 1238 }],
    ['root', { listen: '127.0.0.1', dial: '127.0.0.1', family: 4, uid: 0 }],
  ] as const)('is found in the system tables: %s', async (_name, way) => {
    expect(await originOf(await accepted(way))).toEqual({ name: `uid ${way.uid}`, isLocal: true })
  })

  it('is unknown, and never root, if its process has already closed it', async () => {
    for (const end of ['s.destroy()', 's.resetAndDestroy()', 's.end()']) {
      const socket = await accepted({ listen: '127.0.0.1', dial: '127.0.0.1', family: 4, uid: 1234 }, end)
      await new Promise((resolve) => {
        socket.on('error', resolve).on('end', resolve).on('close', resolve).resume()
      })
      const { name } = await originOf(socket)
      expect(['uid 1234', '127.0.0.1', 'gone']).toContain(name)
    }
  })
})

describe('a lookup in the connection tables', () => {
  const ends = { remoteAddress: '127.0.0.1', remotePort: 0xd431, localAddress: '127.0.0.1', localPort: 8090 }
  const row = (state: string, uid: number, inode: number): string =>
    `   3: 0100007F:D431 0100007F:1F9A ${state} 00000000:00000000 00:00000000 00000000 ${String(uid).padStart(5)}        0 ${inode} 1 0000000000000000 20 4 30 10 -1\n`

  it('returns the user of an established connection that a process holds', () => {
    expect(uidOfPeer(row('01', 1000, 4711), ends)).toBe(1000)
    expect(uidOfPeer(row('01', 4294967294, 4711), ends)).toBe(4294967294)
  })

  it('returns nobody if the kernel writes root because no process holds the connection', () => {
    for (const text of [row('06', 0, 0), row('04', 0, 0), row('01', 0, 0), '', 'sl  local_address']) {
      expect(uidOfPeer(text, ends)).toBeUndefined()
    }
  })

  it('returns nobody for another connection', () => {
    for (const other of [{ remotePort: 0xd432 }, { localPort: 8091 }, { remoteAddress: '127.0.0.2' }]) {
      expect(uidOfPeer(row('01', 1000, 4711), { ...ends, ...other })).toBeUndefined()
    }
  })
})

describe('isOwnAddress for peer', () => {
  it.each([
    ['127.0.0.1', '127.0.0.1', true],
    ['::1', '::1', true],
    ['10.9.8.7', '10.9.8.7', true],
    ['192.0.2.1', '10.9.8.7', false],
    ['2001:db8::1', '2001:db8::2', false],
  ])('%s at local address %s returns %s', (remoteAddress, localAddress, own) => {
    expect(isOwnAddress({ remoteAddress, localAddress, remotePort: 1, localPort: 2 })).toBe(own)
  })
})

describe('peerNetwork', () => {
  it.each([
    ['10.0.0.9', '10.0.0.9'],
    ['::ffff:10.0.0.9', '10.0.0.9'],
    ['::FFFF:10.0.0.9', '10.0.0.9'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002:ffff::', '2001:db8:1:2::/64'],
    ['2001:db8::1:0:0:9', '2001:db8:0:0::/64'],
    ['2001:db8:1:0:9::', '2001:db8:1:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['gone', 'gone'],
  ])('counts %s as %s', (address, network) => {
    expect(peerNetwork(address)).toBe(network)
  })
})
