import { connect } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { callHost } from '../../src/deployment/callHost.ts'
import { layoutOf } from '../../src/deployment/layout.ts'
import { StepError } from '../../src/deployment/stepError.ts'
import type { Transport } from '../../src/transport/transport.ts'
import { fakeTransport } from '../support/fakeTransport.ts'
import { type LoopbackServer, servePlain } from '../support/loopbackServer.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'

const layout = layoutOf('/opt/muster')
const account = { user: 'root', isOther: false }
const open: LoopbackServer[] = []

afterEach(async () => {
  for (const server of open.splice(0)) await server.close()
})

/** A host whose own program answers with "by the host", and whose connection may lead on to its socket. */
function host(dial?: NonNullable<Transport['dial']>) {
  const result = { stdout: JSON.stringify([{ id: 'manager', status: 200, body: 'by the host' }]) }
  const transport = fakeTransport({ expect: [{ script: / call$/, result }] })
  return { scripts: transport.scripts, transport: { ...transport, ...(dial && { dial }) } }
}

const requests = (path: string) => [
  { id: 'manager', method: 'GET' as const, path: '/api/v2/ping', target: { socket: path }, timeout: 25_000 },
]

describe('callHost', () => {
  it('calls over the connection, and starts no program on the host', async () => {
    const path = `${temporaryFolder()}/manager.sock`
    open.push(await servePlain((_message, answer) => answer.end('over the connection'), { path }))
    const { transport, scripts } = host(async () => connect(path))
    const options = { transport, layout, account, timeout: 25_000, requests: requests(path), running: true }
    expect(await callHost(options)).toEqual([{ id: 'manager', status: 200, body: 'over the connection' }])
    expect(scripts).toEqual([])
    expect(await callHost({ ...options, running: false })).toMatchObject([{ body: 'by the host' }])
  })

  it.each([
    ['the transport cannot forward', undefined],
    ['the host denies forwarding', async () => new Error('administratively prohibited')],
  ])('lets the host call if %s', async (_what, dial) => {
    const { transport, scripts } = host(dial)
    const results = await callHost({
      transport,
      layout,
      account,
      timeout: 25_000,
      requests: requests('/x'),
      running: true,
    })
    expect(results).toMatchObject([{ body: 'by the host' }])
    expect(scripts).toHaveLength(1)
  })

  it('does not open a socket of another user as root', async () => {
    const dialled: unknown[] = []
    const { transport, scripts } = host(async (place) => {
      dialled.push(place)
      return new Error('not here')
    })
    const other = { user: 'muster-alpha', isOther: true }
    const options = { transport, layout, account: other, timeout: 25_000, running: true }
    expect(await callHost({ ...options, requests: requests('/x') })).toMatchObject([{ body: 'by the host' }])
    expect(dialled).toEqual([])
    expect(scripts.join()).toMatch(
      /setpriv --reuid=muster-alpha --regid=\$\(id -g muster-alpha\) --clear-groups --no-new-privs -- \/opt\/muster\/current\/node /,
    )
    // A port is nobody's file.
    const target = { address: '127.0.0.1', port: 8090, authorities: [] }
    await callHost({ ...options, requests: requests('/x').map((request) => ({ ...request, target })) })
    expect(dialled).toEqual([{ address: '127.0.0.1', port: 8090 }])
  })

  it('fails with one printable line if the output is not from muster-api', async () => {
    const result = { stdout: 'junk \u001b[2Jnot json\nerror db2: forged' }
    const transport = fakeTransport({ expect: [{ script: / call$/, result }] })
    const options = { transport, layout, account, timeout: 25_000, requests: requests('/x'), running: true }
    const error = await callHost(options).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(StepError)
    expect(error).toMatchObject({
      host: 'db1',
      code: 'bad-answer',
      message:
        'the host returned unexpected output for calls of its APIs: junk \\x1b[2Jnot json / error db2: forged',
    })
  })
})
