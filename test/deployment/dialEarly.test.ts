import { Duplex } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { dialEarly } from '../../src/deployment/dialEarly.ts'
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

const apis = hostConfig()
  .apis.slice(0, 2)
  .map((api, index) => ({ ...api, enabled: index === 0, address: '0.0.0.0', port: 8090 }))
const host = { apis, installDirectory: '/opt/muster' }
const manager = { address: '127.0.0.1', port: 8090 }
const sockets = ['manager', 'connector'].map((name) => ({ socket: `/opt/muster/run/${name}.sock` }))

describe('dialEarly', () => {
  it('dials where enabled APIs listen and their sockets, once, and closes what nobody asked for', async () => {
    const { transport, dialled, opened, closed } = leading()
    const early = dialEarly(transport, host)
    expect(dialled).toEqual([sockets[0], manager, sockets[1]])
    expect(await early.dial?.(manager)).toBe(opened[1])
    // A second one is another connection.
    expect(await early.dial?.(manager)).toBe(opened[3])
    expect(await early.dial?.({ socket: '/run/a.sock' })).toBe(opened[4])
    await early.close()
    expect(closed()).toBe(true)
    const gone = [true, false, true, false, false]
    expect(opened.map((one) => one instanceof Error || one.destroyed)).toEqual(gone)
  })

  it('dials anew where the early connection is over, and tells why there was none', async () => {
    const { transport, opened } = leading()
    const early = dialEarly(transport, host)
    await new Promise((done) => setImmediate(done))
    for (const one of opened) if (one instanceof Duplex) one.destroy()
    expect(await early.dial?.(manager)).toBe(opened[3])

    const refused = leading(() => new Error('administratively prohibited'))
    expect(await dialEarly(refused.transport, host).dial?.(manager)).toBeInstanceOf(Error)
    expect(refused.dialled).toHaveLength(3)
  })

  it('leaves a transport alone that leads nowhere else', () => {
    const transport = fakeTransport({})
    expect(dialEarly(transport, host)).toBe(transport)
  })
})
