import { createServer } from 'node:net'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { dial, dialError } from '../../src/transport/dial.ts'
import { attemptError } from '../../src/transport/sshErrors.ts'
import { failure } from '../support/transportFailure.ts'

const place = { host: 'ux3', address: '10.0.0.3', port: 22, timeout: 10_000 }
const told = (code: string): string =>
  dialError(place, Object.assign(new Error(`connect ${code}`), { code })).message

describe('a failed SSH connection', () => {
  it("is explained in words, never by the system's error code", () => {
    expect(told('EHOSTUNREACH')).toBe('no route to ux3 (10.0.0.3 port 22)')
    expect(told('ENETUNREACH')).toBe('no route to ux3 (10.0.0.3 port 22)')
    expect(told('EPIPE')).toBe(
      'the connection to ux3 (10.0.0.3 port 22) was lost: the other side closed the connection',
    )
    for (const code of ['ECONNRESET', 'ENOENT', 'EACCES', 'EADDRNOTAVAIL'])
      expect(told(code)).not.toContain(code)
  })

  it('names the configured timeout, not the remaining time of the last attempt', async () => {
    const server = createServer()
    const port = await new Promise<number>((resolve) => {
      server.listen(0, '127.0.0.1', () => {
        const address = server.address()
        resolve(typeof address === 'object' && address !== null ? address.port : 0)
      })
    })
    onTestFinished(() => void server.close())
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const late = failure(dial({ ...place, address: '127.0.0.1', port, left: 913 }))
    // Before the system can tell of the connection.
    vi.advanceTimersByTime(913)
    expect((await late).message).toBe(`ux3 did not answer at 127.0.0.1 port ${port} within 10 s`)
  })

  it.each([
    { offered: ['gssapi-with-mic', 'publickey'], withKerberos: true },
    { offered: ['gssapi-with-mic', 'password'], withKerberos: true },
    { offered: ['publickey'], withKerberos: false },
    { offered: ['password'], withKerberos: false },
  ])('leads to Kerberos only where the host offers it: $offered', ({ offered, withKerberos }) => {
    const at = { bannerReceived: true, handshakeDone: true, tried: [], skipped: [], partial: false }
    const { fix } = attemptError({ ...place, user: 'ops' }, { ...at, offered }, undefined)
    expect(fix?.includes('run kinit')).toBe(withKerberos)
  })
})
