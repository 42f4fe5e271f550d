import { readFile } from 'node:fs/promises'
import { afterEach, describe, expect, it } from 'vitest'
import type { Destination } from '../../src/transport/destination.ts'
import { fingerprint } from '../../src/transport/knownHosts.ts'
import { createSshConnector } from '../../src/transport/ssh.ts'
import { makeKey, type SshServer, startSshServer } from '../support/sshServer.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()))
})

const to = (port: number): Destination => ({
  label: 'db1',
  jump: false,
  address: '127.0.0.1',
  port,
  user: 'nobody',
  keys: { first: [], files: [], agent: 'all', required: false },
  check: { files: [], names: ['127.0.0.1'] },
  timeout: 3000,
})
const read = (port: number, onSleep: () => void = () => undefined) =>
  createSshConnector({
    readFile: (path) => readFile(path),
    sleep: async () => onSleep(),
  }).hostKeysOf(to(port), [])

async function start(options: Parameters<typeof startSshServer>[0] = {}): Promise<SshServer> {
  const server = await startSshServer(options)
  closing.push(server.close)
  return server
}

describe('reading the keys of a server', () => {
  it('finds one of each type, those first that we prefer, and nobody logs in', async () => {
    const server = await start({ hostKeys: ['rsa', 'ecdsa', 'ed25519'] })
    const [rsa, ecdsa, ed25519] = server.hostKeyFingerprints
    expect((await read(server.port)).map(fingerprint)).toEqual([ed25519, ecdsa, rsa])
    expect(server.logins()).toEqual([])
    expect(server.connections()).toBe(4)
    await expect.poll(() => server.open()).toBe(0)
  })

  it('tries again what passes', async () => {
    const server = await start({ fault: 'reset-after-banner' })
    const keys = await read(server.port, () => server.setFault('none'))
    expect(keys.map(fingerprint)).toEqual([server.hostKeyFingerprint])
  })

  it('believes no server that shows a key and cannot sign with it', async () => {
    const shown = Buffer.from(makeKey('ed25519').public.split(' ')[1] ?? '', 'base64')
    const thief = await start({ shows: shown })
    const { port } = thief
    await expect(read(port)).rejects.toMatchObject({ host: 'db1' })
  })
})
