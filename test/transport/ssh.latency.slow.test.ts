import { readFile } from 'node:fs/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { connectSsh } from '../../src/transport/ssh.ts'
import type { Transport } from '../../src/transport/transport.ts'
import { type DelayingProxy, startDelayingProxy } from '../support/delayingProxy.ts'
import { type SshServer, startSshServer } from '../support/sshServer.ts'

let server: SshServer
let proxy: DelayingProxy
let transport: Transport

afterEach(disconnect)

async function disconnect(): Promise<void> {
  await transport.close()
  await proxy.close()
  await server.close()
}

async function connect(): Promise<void> {
  server = await startSshServer()
  proxy = await startDelayingProxy({ to: server, delay: 100 })
  transport = await connectSsh({
    host: 'db1',
    address: proxy.address,
    ssh: {
      port: proxy.port,
      user: 'ops',
      become: false,
      identity: server.clientKeyPath,
      hostKey: server.hostKeyFingerprint,
    },
    env: { user: 'ops', home: '/nowhere' },
    readFile: (path) => readFile(path),
  })
}

describe('an SSH connection', () => {
  it('needs five round trips after TCP until the shell runs: banner, key exchange, login, channel, shell', async () => {
    const counts: number[] = []
    for (const isLast of [false, false, true]) {
      await connect()
      counts.push(proxy.turns())
      if (!isLast) await disconnect()
    }
    // On a busy machine two messages may share a round trip, or one may need two.
    expect(Math.min(...counts)).toBeLessThanOrEqual(5)
  })

  it('needs one round trip for all concurrent requests', async () => {
    await connect()
    const before = proxy.turns()
    const chain = transport.chain?.() ?? transport
    const done = [
      transport.run('true'),
      chain.run('echo 1'),
      transport.run('cat', { stdin: '2' }),
      chain.run('echo 3'),
    ]
    expect((await Promise.all(done)).map(({ stdout }) => stdout.raw())).toEqual(['', '1\n', '2', '3\n'])
    expect(proxy.turns() - before).toBe(1)
  })
})
