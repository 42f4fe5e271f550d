import { Duplex } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { preconnect } from '../../src/deployment/preconnect.ts'
import type { ListeningPlace } from '../../src/transport/transport.ts'
import { hostConfig } from '../support/deploymentValues.ts'
import { fakeTransport } from '../support/fakeTransport.ts'

const stream = (): Duplex => new Duplex({ read: () => {}, write: (_chunk, _encoding, done) => done() })

/** A host whose connections are remembered. */
function leading(answer: (place: ListeningPlace) => Duplex | Error = stream) {
  const dialled: ListeningPlace[] = []
  const opened: (Duplex | Error)[] = []
  const dial = async (place: ListeningPlace): Promise<Duplex | Error> => {
    dialled.push(place)
    const made = answer(place)
    opened.push(made)
    return made
  }
  const transport = fakeTransport({})
  return { transport: { ...transport, dial }, dialled, opened, closed: transport.closed }
}

const apis = hostConfig().apis.map((api, index) => ({
  ...api,
  enabled: index !== 1,
  address: '0.0.0.0',
  port: 8090 + index,
}))
const host = { apis }
const manager = { address: '127.0.0.1', port: 8090 }
const replicator = { ...manager, port: 8092 }

describe('preconnect', () => {
  it('connects once to each enabled API and closes unused connections', async () => {
    const { transport, dialled, opened, closed } = leading()
    const early = preconnect(transport, host)
    // No socket: a folder of the service user leads where that user likes.
    expect(dialled).toEqual([manager, replicator])
    expect(await early.dial?.(manager)).toBe(opened[0])
    // A second one is another connection.
    expect(await early.dial?.(manager)).toBe(opened[2])
    expect(await early.dial?.({ socket: '/run/a.sock' })).toBe(opened[3])
    await early.close()
    expect(closed()).toBe(true)
    const gone = [false, true, false, false]
    expect(opened.map((one) => one instanceof Error || one.destroyed)).toEqual(gone)
  })

  it('connects again if the early connection ended, and returns its error', async () => {
    const { transport, opened } = leading()
    const early = preconnect(transport, host)
    await new Promise((done) => setImmediate(done))
    for (const one of opened) if (one instanceof Duplex) one.destroy()
    expect(await early.dial?.(manager)).toBe(opened[2])

    const refused = leading(() => new Error('administratively prohibited'))
    expect(await preconnect(refused.transport, host).dial?.(manager)).toBeInstanceOf(Error)
    expect(refused.dialled).toHaveLength(2)
  })

  it('returns a transport without forwarding unchanged', () => {
    const transport = fakeTransport({})
    expect(preconnect(transport, host)).toBe(transport)
  })
})
