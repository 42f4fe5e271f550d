import { describe, expect, it } from 'vitest'
import type { Transport } from '../../src/transport/transport.ts'
import { untilStopped } from '../../src/transport/untilStopped.ts'
import { fakeTransport } from '../support/fakeTransport.ts'

/** A way to a host that opens, or fails, when the test says so. */
function way() {
  const stop = new AbortController()
  let open = (_: Transport): void => {}
  let fail = (_: Error): void => {}
  let dialled = 0
  const connect = (): Promise<Transport> =>
    untilStopped({ host: 'db1', signal: stop.signal }, () => {
      dialled += 1
      return new Promise((resolve, reject) => {
        open = resolve
        fail = reject
      })
    })
  return {
    stop: () => stop.abort(),
    open: (transport: Transport) => open(transport),
    fail: (error: Error) => fail(error),
    dialled: () => dialled,
    connect,
  }
}

const stopped = { name: 'TransportError', host: 'db1', code: 'stopped' }

describe('untilStopped', () => {
  it('is the way itself while nobody stops anything', async () => {
    const { connect, open, stop } = way()
    const transport = fakeTransport({})
    const connecting = connect()
    open(transport)
    expect(await connecting).toBe(transport)
    stop()
    expect(transport.closed()).toBe(false)
  })

  it('fails as the way fails', async () => {
    const { connect, fail } = way()
    const connecting = connect()
    fail(new Error('no answer'))
    await expect(connecting).rejects.toThrow('no answer')
  })

  it('waits no more when it is stopped, and closes what comes about all the same', async () => {
    const { connect, open, stop } = way()
    const connecting = connect()
    stop()
    await expect(connecting).rejects.toMatchObject(stopped)
    const transport = fakeTransport({})
    open(transport)
    await expect.poll(() => transport.closed()).toBe(true)
  })

  it('leaves alone what fails after it was stopped', async () => {
    const { connect, fail, stop } = way()
    const connecting = connect()
    stop()
    await expect(connecting).rejects.toMatchObject(stopped)
    fail(new Error('no answer'))
    // An unhandled rejection would fail the test.
    await new Promise((resolve) => setImmediate(resolve))
  })

  it('does not even begin once it is stopped', async () => {
    const { connect, stop, dialled } = way()
    stop()
    await expect(connect()).rejects.toMatchObject(stopped)
    expect(dialled()).toBe(0)
  })
})
