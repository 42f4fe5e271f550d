import { X509Certificate } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import {
  type CallClock,
  type CallRequest,
  CallRequestError,
  callAll,
  parseCallRequests,
  parseCallResults,
} from '../../src/client/call.ts'
import { makeAuthority, makeLeaf } from '../support/clientCertificate.ts'
import { bodyOf, type LoopbackServer, servePlain, serveTls } from '../support/loopbackServer.ts'
import { freePort } from '../support/ports.ts'

const authority = makeAuthority()
const leaf = makeLeaf(authority, { names: ['127.0.0.1', 'db1'] })
const folders: string[] = []
const open: LoopbackServer[] = []
const keep = async (server: Promise<LoopbackServer>): Promise<LoopbackServer> => {
  const started = await server
  open.push(started)
  return started
}

afterEach(async () => {
  for (const server of open.splice(0)) await server.close()
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true })
})

const temporary = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'call-'))
  folders.push(folder)
  return folder
}

const to = (port: number, more: Partial<CallRequest> = {}): CallRequest => ({
  id: 'a',
  method: 'GET',
  path: '/api/v2/ping',
  target: { address: '127.0.0.1', port, authorities: [authority.certificate] },
  timeout: 5000,
  ...more,
})

/** A clock of its own: waiting advances it and does nothing but what the test wants to happen meanwhile. */
const fakeClock = (meanwhile: (waits: number) => Promise<unknown> = async () => {}) => {
  const waits: number[] = []
  let now = 0
  const clock: CallClock = {
    now: () => now,
    wait: async (milliseconds) => {
      now += milliseconds
      waits.push(milliseconds)
      await meanwhile(waits.length)
    },
  }
  return { clock, waits }
}

describe('callAll', () => {
  it('makes all calls in parallel and returns the results in the order of the requests', async () => {
    let release = () => {}
    const second = new Promise<void>((resolve) => {
      release = resolve
    })
    const server = await keep(
      serveTls(leaf, async (message, answer) => {
        if (message.url === '/first') await second
        else release()
        answer.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ at: message.url }))
      }),
    )
    const calls = [
      to(server.port, { id: '1', path: '/first' }),
      to(server.port, { id: '2', path: '/second' }),
    ]
    expect(await callAll(calls)).toEqual([
      { id: '1', status: 200, body: { at: '/first' } },
      { id: '2', status: 200, body: { at: '/second' } },
    ])
  })

  it('sends credentials and body, uses the server name if given, and calls 0.0.0.0 as loopback', async () => {
    const seen: unknown[] = []
    const server = await keep(
      serveTls(leaf, async (message, answer) => {
        seen.push(message.headers.host, message.headers.authorization, await bodyOf(message))
        answer.writeHead(401).end('no')
      }),
    )
    const { certificate } = authority
    const target = { address: '0.0.0.0', port: server.port, servername: 'db1', authorities: [certificate] }
    const credentials = { user: 'admin', password: 'é:' }
    const call = to(server.port, { method: 'POST', target, credentials, body: [1] })
    expect(await callAll([call])).toEqual([{ id: 'a', status: 401, body: 'no' }])
    expect(seen).toEqual([`db1:${server.port}`, `Basic ${Buffer.from('admin:é:').toString('base64')}`, '[1]'])
  })

  it('reports each failure by its code and does not affect the other calls', async () => {
    const server = await keep(serveTls(leaf, (_message, answer) => answer.end('fine')))
    const port = await freePort()
    const elsewhere = { address: '127.0.0.1', port: server.port, authorities: [makeAuthority().certificate] }
    const results = await callAll([
      to(port, { id: 'refused' }),
      to(server.port, { id: 'fine' }),
      to(server.port, { id: 'untrusted', target: elsewhere }),
    ])
    expect(results).toEqual([
      {
        id: 'refused',
        error: {
          code: 'refused',
          message: `The connection to https://127.0.0.1:${port} was refused: nothing listens there.`,
        },
      },
      { id: 'fine', status: 200, body: 'fine' },
      { id: 'untrusted', error: { code: 'certificate-untrusted', message: expect.any(String) } },
    ])
  })

  it('waits for a socket that does not exist yet and until a 503 ends', async () => {
    const path = join(await temporary(), 'api.sock')
    const statuses = [503, 503, 200]
    const { clock, waits } = fakeClock(async (count) => {
      if (count === 2) {
        await keep(
          servePlain((_message, answer) => answer.writeHead(statuses.shift() ?? 500).end(), { path }),
        )
      }
    })
    const results = await callAll([to(1, { target: { socket: path }, retryUntil: 10_000 })], clock)
    expect(results).toEqual([{ id: 'a', status: 200, body: '' }])
    expect(waits).toEqual([100, 100, 100, 100])
  })

  it('stops retrying at the deadline, and does not retry without one', async () => {
    const port = await freePort()
    const bounded = fakeClock()
    expect(await callAll([to(port, { retryUntil: 350 })], bounded.clock)).toMatchObject([
      { error: { code: 'refused' } },
    ])
    expect(bounded.waits).toEqual([100, 100, 100])
    const none = fakeClock()
    await callAll([to(port)], none.clock)
    expect(none.waits).toEqual([])
  })

  it('repeats a GET after a broken connection, and never a POST', async () => {
    let count = 0
    const server = await keep(
      serveTls(leaf, (message, answer) => {
        count += 1
        if (count === 1 || message.method === 'POST') message.socket.destroy()
        else answer.end('up')
      }),
    )
    const { clock } = fakeClock()
    expect(await callAll([to(server.port, { retryUntil: 5000 })], clock)).toMatchObject([{ body: 'up' }])
    const post = to(server.port, { method: 'POST', retryUntil: 5000 })
    expect(await callAll([post], clock)).toMatchObject([{ error: { code: 'reset' } }])
    expect(count).toBe(3)
  })

  it('waits for the pinned certificate, whichever authority signed the previous one', async () => {
    const elsewhere = makeAuthority()
    const before = [
      makeLeaf(elsewhere, { names: ['127.0.0.1'] }),
      makeLeaf(authority, { names: ['127.0.0.1'] }),
    ]
    const server = await serveTls(before[0] ?? leaf, (_message, answer) => answer.end('up'))
    await keep(Promise.resolve(server))
    const certificate = new X509Certificate(leaf.cert).fingerprint256
    const target = {
      address: '127.0.0.1',
      port: server.port,
      authorities: [authority.certificate],
      certificate,
    }
    const call = to(server.port, { target, retryUntil: 350 })
    const { clock, waits } = fakeClock(async (count) => server.show(before[count] ?? leaf))
    expect(await callAll([call], clock)).toEqual([{ id: 'a', status: 200, body: 'up', certificate }])
    expect(waits).toEqual([100, 100])

    const [, other = leaf] = before
    server.show(other)
    const serial = new X509Certificate(other.cert).serialNumber
    expect(await callAll([call], fakeClock().clock)).toEqual([
      {
        id: 'a',
        error: {
          code: 'certificate-other',
          message: `https://127.0.0.1:${server.port} does not use its new certificate but the one with serial number ${serial}.`,
        },
      },
    ])
  })

  it('does not retry a refused login or an untrusted certificate', async () => {
    const server = await keep(serveTls(leaf, (_message, answer) => answer.writeHead(401).end()))
    const { clock, waits } = fakeClock()
    const target = { address: '127.0.0.1', port: server.port, authorities: [makeAuthority().certificate] }
    await callAll(
      [to(server.port, { retryUntil: 5000 }), to(1, { id: 'b', target, retryUntil: 5000 })],
      clock,
    )
    expect(waits).toEqual([])
  })
})

const read = (...results: readonly unknown[]) => parseCallResults(JSON.stringify(results))

describe('parseCallResults', () => {
  it('reads the output of muster-api call', () => {
    const results = [
      { id: 'a', status: 200, body: { x: [1] }, certificate: 'AB:CD', certificates: ['PEM'] },
      { id: 'b', error: { code: 'refused', message: 'nothing listens' }, certificates: [] },
      { id: 'c', error: { code: 'ended', message: 'it ended' } },
    ]
    expect(read(...results)).toEqual(results)
    expect(read()).toEqual([])
  })

  it('keeps the message of an error code that only a later release knows', () => {
    expect(read({ id: 'a', error: { code: 'new-word', message: 'why' }, more: 1 })).toEqual([
      { id: 'a', error: { code: 'failed', message: 'why' } },
    ])
  })

  it.each([
    ['no JSON', 'junk not json'],
    ['no list', '{"id":"a","status":200}'],
    ['a result without an id', '[{"status":200}]'],
    ['a status in words', '[{"id":"a","status":"200"}]'],
    ['a status that is none', '[{"id":"a","status":1e9}]'],
    ['an error in words', '[{"id":"a","error":"refused"}]'],
    ['an error without words', '[{"id":"a","error":{"code":"refused"}}]'],
    ['certificates that are no texts', '[{"id":"a","status":200,"certificates":[1]}]'],
    ['nothing', 'null'],
  ])('returns nothing if the host sends %s', (_what, text) => {
    expect(parseCallResults(text)).toBeUndefined()
  })
})

const pem = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'
const call: CallRequest = {
  id: 'manager',
  method: 'POST',
  path: '/api/v2/createAdminUser?i-am-sure=true',
  target: { address: '10.0.0.11', port: 8090, servername: 'db1', certificate: 'AB:CD', authorities: [pem] },
  credentials: { user: 'admin', password: '\'"\\$#%:@ é' },
  body: { a: null },
  timeout: 1000,
  retryUntil: 0,
  show: 'certificates',
}
const text = (...changes: object[]) => JSON.stringify(changes.map((change) => ({ ...call, ...change })))

describe('parseCallRequests', () => {
  it('reads every member, and ignores unknown ones', () => {
    expect(parseCallRequests(text({ later: true }))).toEqual([call])
    expect(parseCallRequests(text({ show: 'later' }))[0]).not.toHaveProperty('show')
    const short = { id: 'x', method: 'GET', path: '/', target: { socket: '/run/x.sock' }, timeout: 1 }
    expect(parseCallRequests(JSON.stringify([short]))).toEqual([short])
    expect(parseCallRequests('[]')).toEqual([])
  })

  const invalid: readonly [string, string][] = [
    ['not JSON: hunter2', 'Standard input is not valid JSON; it must be an array of calls.'],
    ['{}', 'Standard input must be a JSON array of calls.'],
    ['[null]', 'Call 1 must be a JSON object.'],
    [text({}, {}), 'Two calls have the id "manager".'],
    [text({ id: '' }), 'The member id of call 1 must be text, not empty.'],
    [text({}, { id: 'b', method: 'PUT' }), 'The method of call 2 must be GET or POST.'],
    [text({ path: 'ping' }), 'The path of call 1 must begin with a slash.'],
    [text({ timeout: '1s' }), 'The member timeout of call 1 must be a number of milliseconds, 0 or more.'],
    [
      text({ retryUntil: -1 }),
      'The member retryUntil of call 1 must be a number of milliseconds, 0 or more.',
    ],
    [text({ target: [] }), 'The target of call 1 must be a JSON object.'],
    [text({ target: { socket: 1 } }), 'The member socket of the target of call 1 must be text, not empty.'],
    [
      text({ target: { address: 'a', port: 0, authorities: [pem] } }),
      'The port of the target of call 1 must be a whole number from 1 to 65535.',
    ],
    [
      text({ target: { address: 'a', port: 1, authorities: [] } }),
      'The authorities of the target of call 1 must be a list of PEM certificates, not empty.',
    ],
    [
      text({ target: { address: 1, port: 1, authorities: [pem] } }),
      'The member address of the target of call 1 must be text, not empty.',
    ],
    [text({ credentials: 'hunter2' }), 'The credentials of call 1 must be a JSON object.'],
    [
      text({ credentials: { user: 'admin', password: ['hunter2'] } }),
      'The member password of the credentials of call 1 must be text, not empty.',
    ],
  ]
  it.each(invalid.map(([input, message]) => [message, input]))('rejects: %s', (message, input) => {
    expect(() => parseCallRequests(input)).toThrow(new CallRequestError(message))
  })
})
