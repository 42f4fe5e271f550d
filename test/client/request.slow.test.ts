import { chmod, mkdtemp, rm } from 'node:fs/promises'
import type { RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { acceptQuality } from '../../src/api/response.ts'
import { ClientError } from '../../src/client/clientError.ts'
import type { Endpoint, Trust } from '../../src/client/endpoint.ts'
import { type ApiRequest, request, responseLimit } from '../../src/client/request.ts'
import { commonRoutes } from '../../src/contracts/commonRoutes.ts'
import { Secret } from '../../src/secrets/secret.ts'
import { asNobody } from '../support/asNobody.ts'
import { makeAuthority, makeLeaf } from '../support/clientCertificate.ts'
import { bodyOf, type LoopbackServer, servePlain, serveTcp, serveTls } from '../support/loopbackServer.ts'
import { freePort } from '../support/ports.ts'

const day = 86_400_000
const authority = makeAuthority()
const stranger = makeAuthority('another authority')
const leaf = makeLeaf(authority, { names: ['localhost', '127.0.0.1', '::1', 'db1.example.org'] })
const trusted: Trust = { kind: 'authorities', certificates: [authority.certificate] }

const open: { close(): Promise<void> }[] = []
const keep = async (server: Promise<LoopbackServer>): Promise<LoopbackServer> => {
  open.push(await server)
  return server
}

afterEach(async () => {
  for (const { close } of open.splice(0)) await close()
})

const tcp = (port: number, more: Partial<Endpoint & { kind: 'tcp' }> = {}): Endpoint => ({
  kind: 'tcp',
  address: '127.0.0.1',
  port,
  names: ['127.0.0.1'],
  trust: trusted,
  ...more,
})

const call = (endpoint: Endpoint, more: Partial<ApiRequest> = {}) =>
  request({ endpoint, method: 'GET', path: '/api/v2/ping', timeout: 5000, ...more })

const failure = async (promise: Promise<unknown>) => {
  const error = await promise.then(
    () => undefined,
    (caught: unknown) => caught,
  )
  if (!(error instanceof ClientError)) throw new Error(`expected a ClientError, got ${String(error)}`)
  return { code: error.code, message: error.message, fix: error.fix }
}

const hello: RequestListener = (_message, answer) => {
  answer.setHeader('Content-Type', 'application/json; charset=utf-8')
  answer.end('{"ok":"é"}')
}

describe('an API request', () => {
  it('returns JSON parsed and every other body as text', async () => {
    const json = await keep(serveTls(leaf, hello))
    expect(await call(tcp(json.port))).toMatchObject({ status: 200, body: { ok: 'é' } })
    const text = await keep(
      serveTls(leaf, (_message, answer) => {
        answer.writeHead(503, { 'Content-Type': 'text/plain', 'Retry-After': '7' }).end('{"not":"parsed"}')
      }),
    )
    const answer = await call(tcp(text.port))
    expect(answer).toMatchObject({ status: 503, body: '{"not":"parsed"}' })
    expect(answer.headers['retry-after']).toBe('7')
  })

  it('sends method, path, Host, body and a Basic header in UTF-8 and NFC', async () => {
    const seen: unknown[] = []
    const server = await keep(
      serveTls(leaf, async (message, answer) => {
        const { host, authorization, accept } = message.headers
        const type = message.headers['content-type']
        seen.push({ method: message.method, url: message.url, host, authorization, accept, type })
        seen.push(await bodyOf(message))
        answer.end()
      }),
    )
    await call(tcp(server.port, { names: ['db1.example.org'] }), {
      method: 'POST',
      path: '/api/v2/x?a=b',
      body: { a: 'é' },
      // Both written with a combining accent, e + U+0301, which NFC makes one character.
      credentials: { user: 'ade\u0301le', password: new Secret('\'"\\$#%:@ e\u0301') },
    })
    expect(seen).toEqual([
      {
        method: 'POST',
        url: '/api/v2/x?a=b',
        host: `db1.example.org:${server.port}`,
        authorization: `Basic ${Buffer.from('adéle:\'"\\$#%:@ é').toString('base64')}`,
        accept: 'application/json, text/plain, text/html',
        type: 'application/json',
      },
      '{"a":"é"}',
    ])
  })

  it('accepts every media type that calls return', async () => {
    let accept: string | undefined
    const server = await keep(
      serveTls(leaf, (message, answer) => {
        accept = message.headers.accept
        answer.end()
      }),
    )
    await call(tcp(server.port))
    for (const { path, response } of Object.values(commonRoutes)) {
      const form = response.kind === 'text' ? response.mediaType : 'application/json'
      expect([path, acceptQuality(accept, form)]).toEqual([path, 1])
    }
  })

  it('sends neither Authorization nor a body by default', async () => {
    const seen: unknown[] = []
    const server = await keep(
      serveTls(leaf, async (message, answer) => {
        seen.push(
          'authorization' in message.headers,
          'content-type' in message.headers,
          await bodyOf(message),
        )
        answer.end()
      }),
    )
    await call(tcp(server.port))
    expect(seen).toEqual([false, false, ''])
  })

  it('uses plain HTTP over a Unix socket, with the host localhost', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'client-'))
    try {
      const path = join(folder, 'api.sock')
      await keep(servePlain((message, answer) => answer.end(message.headers.host), { path }))
      expect(await call({ kind: 'socket', path })).toMatchObject({ status: 200, body: 'localhost' })
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it('does not follow a redirect', async () => {
    const server = await keep(
      serveTls(leaf, (_message, answer) => answer.writeHead(302, { Location: '/other' }).end()),
    )
    expect((await call(tcp(server.port))).status).toBe(302)
  })
})

describe('the certificate check of an API request', () => {
  it('accepts any of several names, and addresses as IP addresses of the certificate', async () => {
    const server = await keep(serveTls(leaf, hello))
    expect((await call(tcp(server.port, { names: ['db9', 'db1.example.org'] }))).status).toBe(200)
    expect((await call(tcp(server.port, { names: ['::1'] }))).status).toBe(200)
  })

  it('refuses another authority', async () => {
    const server = await keep(serveTls(makeLeaf(stranger, { names: ['127.0.0.1'] }), hello))
    expect(await failure(call(tcp(server.port)))).toEqual({
      code: 'certificate-untrusted',
      message: `The certificate of https://127.0.0.1:${server.port} is not signed by an authority that this call trusts.`,
      fix: 'Use the certificate of the authority that signed it.',
    })
  })

  it('does not trust our authority through the system, and nobody with an empty list', async () => {
    const server = await keep(serveTls(leaf, hello))
    const nobody: Trust = { kind: 'authorities', certificates: [] }
    expect((await failure(call(tcp(server.port, { trust: { kind: 'system' } })))).code).toBe(
      'certificate-untrusted',
    )
    expect((await failure(call(tcp(server.port, { trust: nobody })))).code).toBe('certificate-untrusted')
  })

  it('refuses a certificate for other names, also an IP address written as a DNS name', async () => {
    const server = await keep(serveTls(makeLeaf(authority, { names: ['db2', '10.0.0.12'] }), hello))
    expect(await failure(call(tcp(server.port)))).toEqual({
      code: 'certificate-names',
      message: `The certificate of https://127.0.0.1:${server.port} is for DNS:db2, IP Address:10.0.0.12, not for 127.0.0.1.`,
      fix: 'Call the host by a name in its certificate, or install a certificate with this name.',
    })
  })

  it('refuses an expired certificate and one that is not valid yet', async () => {
    const from = Date.now() - 20 * day
    const old = makeLeaf(authority, { names: ['127.0.0.1'], from, to: from + day })
    const young = makeLeaf(authority, {
      names: ['127.0.0.1'],
      from: Date.now() + day,
      to: Date.now() + 2 * day,
    })
    const first = await keep(serveTls(old, hello))
    const second = await keep(serveTls(young, hello))
    expect((await failure(call(tcp(first.port)))).code).toBe('certificate-expired')
    expect((await failure(call(tcp(second.port)))).code).toBe('certificate-not-yet-valid')
  })

  it('accepts a given authority as the anchor, even if another one signed it', async () => {
    const middle = makeAuthority('intermediate', stranger)
    const server = await keep(serveTls(makeLeaf(middle, { names: ['127.0.0.1'] }), hello))
    const trust: Trust = { kind: 'authorities', certificates: [middle.certificate] }
    expect((await call(tcp(server.port, { trust }))).status).toBe(200)
  })

  it('reports an authority that is not PEM', async () => {
    const broken = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'
    const trust: Trust = { kind: 'authorities', certificates: [broken] }
    expect((await failure(call(tcp(await freePort(), { trust })))).code).toBe('bad-authority')
  })

  it('accepts any certificate if trust is any', async () => {
    const server = await keep(serveTls(makeLeaf(stranger, { names: ['elsewhere'] }), hello))
    expect((await call(tcp(server.port, { trust: { kind: 'any' } }))).status).toBe(200)
  })
})

describe('an API request fails with an explanation for', () => {
  it('a port where nobody listens', async () => {
    const port = await freePort()
    expect(await failure(call(tcp(port)))).toEqual({
      code: 'refused',
      message: `The connection to https://127.0.0.1:${port} was refused: nothing listens there.`,
      fix: 'Check the address and the port, and that the API runs and listens on that address.',
    })
  })

  it('a socket that does not exist', async () => {
    const path = join(tmpdir(), 'no-such-folder', 'api.sock')
    expect(await failure(call({ kind: 'socket', path }))).toMatchObject({
      code: 'no-socket',
      message: `Nothing listens at the socket ${path}.`,
    })
  })

  it('a host name that does not exist', async () => {
    const endpoint = tcp(1, { address: 'no-such-host.invalid', names: ['no-such-host.invalid'] })
    expect(await failure(call(endpoint))).toMatchObject({ code: 'name-not-found' })
  })

  it('a server that never completes the handshake, and one that never responds', async () => {
    const mute = await keep(serveTcp(() => {}))
    const slow = await keep(serveTls(leaf, () => {}))
    const [handshake, answer] = await Promise.all([
      failure(call(tcp(mute.port), { timeout: 50 })),
      failure(call(tcp(slow.port), { timeout: 1000 })),
    ])
    expect(handshake).toMatchObject({
      code: 'timeout',
      message: `Could not connect to https://127.0.0.1:${mute.port} within 0.05 s.`,
    })
    expect(answer).toMatchObject({
      code: 'timeout',
      message: `https://127.0.0.1:${slow.port} did not answer within 1 s.`,
    })
  })

  it('a response that stops before its end, at the deadline', async () => {
    const server = await keep(
      serveTls(leaf, (_message, answer) => {
        answer.writeHead(200, { 'Content-Length': '10' })
        answer.write('half')
      }),
    )
    expect((await failure(call(tcp(server.port), { timeout: 300 }))).code).toBe('timeout')
  })

  it('a connection that is closed before or within the response', async () => {
    const before = await keep(serveTls(leaf, (message) => message.socket.destroy()))
    expect((await failure(call(tcp(before.port)))).code).toBe('reset')
    const within = await keep(
      serveTls(leaf, (message, answer) => {
        answer.writeHead(200, { 'Content-Length': '10' })
        answer.write('half', () => message.socket.destroy())
      }),
    )
    expect((await failure(call(tcp(within.port)))).code).toBe('reset')
  })

  it('a server that does not use TLS', async () => {
    const server = await keep(servePlain(hello))
    expect(await failure(call(tcp(server.port)))).toMatchObject({ code: 'tls' })
  })

  it('a server that does not use HTTP', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'client-'))
    try {
      const server = await keep(serveTcp((socket) => socket.end('SSH-2.0-x\r\n')))
      expect((await failure(call(tcp(server.port)))).code).toBe('tls')
      const path = join(folder, 'x.sock')
      await keep(serveTcp((socket) => socket.end('SSH-2.0-x\r\n\r\n'), { path }))
      expect((await failure(call({ kind: 'socket', path }))).code).toBe('bad-answer')
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it('invalid JSON, without quoting it', async () => {
    const server = await keep(
      serveTls(leaf, (_message, answer) => {
        answer.writeHead(200, { 'Content-Type': 'application/problem+json' }).end('{"pass": hunter2')
      }),
    )
    const error = await failure(call(tcp(server.port)))
    expect(error.code).toBe('bad-answer')
    expect(error.message).toBe(
      `https://127.0.0.1:${server.port} returned application/problem+json that is not valid JSON or is too large.`,
    )
  })

  it('a response larger than 8 MiB', async () => {
    const server = await keep(
      serveTls(leaf, (_message, answer) => {
        answer.on('error', () => {})
        answer.end(Buffer.alloc(responseLimit + 1))
      }),
    )
    expect((await failure(call(tcp(server.port)))).code).toBe('too-large')
  })

  it('an invalid path', async () => {
    for (const path of ['ping', '/a b', '/é', '/a\r\nHost: x']) {
      expect((await failure(call(tcp(1), { path }))).code).toBe('bad-request')
    }
  })

  it('an interruption before and during the call', async () => {
    const abort = new AbortController()
    const server = await keep(serveTls(leaf, () => abort.abort()))
    expect((await failure(call(tcp(server.port), { signal: abort.signal }))).code).toBe('interrupted')
    expect((await failure(call(tcp(server.port), { signal: AbortSignal.abort() }))).code).toBe('interrupted')
  })

  it('a socket that it may not open', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'client-'))
    try {
      const path = join(folder, 'api.sock')
      await keep(servePlain(hello, { path }))
      await chmod(path, 0)
      const refused = await asNobody(() => failure(call({ kind: 'socket', path })))
      expect(refused.code).toBe('socket-forbidden')
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
