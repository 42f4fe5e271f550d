import { randomBytes } from 'node:crypto'
import { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Authority, createAuthority } from '../../../src/certificates/authority.ts'
import { openReceiving, openSending } from '../../../src/components/provision/hostStreams.ts'
import { hostFiles } from '../../support/hostFiles.ts'
import { temporaryFolder } from '../../support/temporaryFolder.ts'
import { settingsIn, start } from '../../support/testServer.ts'

const now = new Date()
const id = '5b1c2c8e-0f5e-4b3c-8a51-0d7c1f7c9a11'
let authority: Authority
beforeAll(async () => {
  authority = await createAuthority({ cluster: 'alpha', now })
})

const tlsOf = (name: string) => hostFiles(name, { authority })

/** The manager of db2, and ways to send from its host and to receive as another. */
async function world() {
  const settings = settingsIn(temporaryFolder(), {
    ...{ host: 'db2', tls: await tlsOf('db2'), allowedHosts: ['db2'] },
    channel: { address: '127.0.0.1', port: 0 },
    peers: ['db1', 'db3'].map((name) => ({ name, names: [name] })),
  })
  const server = await start(settings)
  const managers = [{ name: 'db2', names: ['db2'], address: '127.0.0.1', port: server.channelPort ?? 0 }]
  return {
    send: async (source: Readable, { to = 'db1', patience = 30_000 } = {}) =>
      pipeline(source, await openSending(settings, { id, to, patience })),
    receive: async (sink: Writable, { as = 'db1', patience = 30_000 } = {}) => {
      const own = { managers, tls: await tlsOf(as) }
      return pipeline(await openReceiving(own, { id, from: 'db2', patience }), sink)
    },
  }
}

/** A place for what is received. */
function collected() {
  const chunks: Buffer[] = []
  const sink = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(chunk)
      done()
    },
  })
  return { sink, bytes: () => Buffer.concat(chunks) }
}

describe('a stream between two hosts', () => {
  it('arrives whole', async () => {
    const { send, receive } = await world()
    const { sink, bytes } = collected()
    const sent = randomBytes(5_000_000)
    await Promise.all([receive(sink), send(Readable.from([sent]))])
    expect(bytes().equals(sent)).toBe(true)
  })

  it('ends at both ends where the one that takes it is gone', async () => {
    const { send, receive } = await world()
    const sink = new Writable({ write: (_chunk, _encoding, done) => done(new Error('full')) })
    const endless = Readable.from(
      (function* () {
        for (;;) yield Buffer.alloc(65_536)
      })(),
    )
    const ends = await Promise.allSettled([receive(sink), send(endless)])
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  })

  it('goes to no other host than the one that it is for', async () => {
    const { send, receive } = await world()
    const { sink, bytes } = collected()
    const ends = await Promise.allSettled([
      receive(sink, { as: 'db3', patience: 500 }),
      send(Readable.from(['secret']), { patience: 500 }),
    ])
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(bytes().length).toBe(0)
  })

  it('is for hosts of the cluster alone', async () => {
    const { receive } = await world()
    await expect(receive(collected().sink, { as: 'db9' })).rejects.toThrow(/answered 401/)
  })
})
