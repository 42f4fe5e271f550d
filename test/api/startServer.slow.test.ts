import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Agent, request as httpsRequest } from 'node:https'
import { connect as connectTcp, createServer } from 'node:net'
import { join } from 'node:path'
import { type ConnectionOptions, connect } from 'node:tls'
import { pino } from 'pino'
import { describe, expect, it, onTestFinished } from 'vitest'
import { hashPassword } from '../../src/accounts/passwordHash.ts'
import { formatUserFile } from '../../src/accounts/userFile.ts'
import type { MetricFamily } from '../../src/api/metricFamilies.ts'
import { StartError } from '../../src/api/startError.ts'
import { manager } from '../../src/components/manager/manager.ts'
import type { ServerSettings } from '../../src/contracts/serverSettings.ts'
import { Secret } from '../../src/secrets/secret.ts'
import { asNobody } from '../support/asNobody.ts'
import { fetchAt, portOf } from '../support/https.ts'
import { createServerCertificate } from '../support/serverCertificate.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'
import { basic, testCost } from '../support/testApi.ts'
import { certificate, settingsIn, start } from '../support/testServer.ts'

const ca = certificate.chain
/** For every kind of cipher; most of TLS 1.2 are for a key of one type. */
const rsaCertificate = createServerCertificate(undefined, 'rsa')
const sure = '?i-am-sure=true'
const slowBody = `POST /api/v2/createAdminUser?i-am-sure=true HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 40\r\n\r\n{`
const json = { 'content-type': 'application/json' }

const credentials = (user: string, pass: string): string =>
  JSON.stringify({ payloadType: 'credentials', user, pass })

describe('a running API server', () => {
  it('responds over TLS, and on a socket that only its user can open', async () => {
    const settings = settingsIn(temporaryFolder())
    const server = await start(settings)
    expect(statSync(settings.socket).mode & 0o777).toBe(0o600)
    const place = { port: portOf(server), ca }
    expect((await fetchAt(place, { path: '/api/v2/ping' })).status).toBe(200)
    expect((await fetchAt(place, { path: '/api/v2/users' })).status).toBe(401)
    const overSocket = await fetchAt({ socketPath: settings.socket }, { path: '/api/v2/users' })
    expect(JSON.parse(overSocket.body).payload).toEqual([])
    await server.stop()
    expect(existsSync(settings.socket)).toBe(false)
  })

  it('shares its users with the other components at once', async () => {
    const folder = temporaryFolder()
    const [one, two] = [
      await start(settingsIn(folder)),
      await start(settingsIn(folder, { component: 'replicator' })),
    ]
    const [manager, replicator] = [
      { port: portOf(one), ca },
      { port: portOf(two), ca },
    ]
    const path = `/api/v2/createAdminUser${sure}`
    const first = await fetchAt(manager, {
      method: 'POST',
      path,
      headers: json,
      body: credentials('admin', 'first'),
    })
    expect(JSON.parse(first.body).payload.value).toBe(`https://127.0.0.1:${manager.port}/api/v2/user/admin`)
    const read = (password: string) =>
      fetchAt(replicator, {
        path: '/api/v2/user/admin',
        headers: { authorization: basic('admin', password) },
      })
    expect((await read('first')).status).toBe(200)

    const headers = { ...json, authorization: basic('admin', 'first') }
    await fetchAt(manager, { method: 'POST', path, headers, body: credentials('admin', 'second') })
    expect((await read('first')).status).toBe(401)
    expect((await read('second')).status).toBe(200)

    const hash = await hashPassword({ password: new Secret('third'), salt: Buffer.alloc(16), cost: testCost })
    writeFileSync(
      join(folder, 'other'),
      formatUserFile({ version: 1, users: [{ user: 'admin', access: 'full', hash }] }),
    )
    renameSync(join(folder, 'other'), join(folder, 'users.json'))
    expect((await read('second')).status).toBe(401)
    expect((await read('third')).status).toBe(200)
  })

  it('rejects requests that are too large, and keeps running', async () => {
    const server = await start(settingsIn(temporaryFolder()))
    const place = { port: portOf(server), ca }
    const path = `/api/v2/createAdminUser${sure}`
    const body = credentials('a', 'b').padEnd(65_537)
    expect((await fetchAt(place, { method: 'POST', path, headers: json, body })).status).toBe(413)
    const chunked = { ...json, 'transfer-encoding': 'chunked' }
    expect((await fetchAt(place, { method: 'POST', path, headers: chunked, body })).status).toBe(413)
    const large = await fetchAt(place, { path: '/api/v2/ping', headers: { 'x-large': 'x'.repeat(20_000) } })
    expect([large.status, JSON.parse(large.body).payload.code]).toEqual([431, 'headers-too-large'])
    expect((await fetchAt(place, { path: '/api/v2/ping' })).status).toBe(200)
  })

  it('responds with problems to invalid HTTP and to a missing or second Host header', async () => {
    const server = await start(settingsIn(temporaryFolder()))
    const ping = 'GET /api/v2/ping HTTP/1.1\r\n'
    const twoHosts = `${ping}Host: localhost\r\nHost: evil.example\r\n\r\n`
    for (const text of ['nonsense\r\n\r\n', `${ping}\r\n`, twoHosts]) {
      const socket = connect({ port: portOf(server), host: '127.0.0.1', ca })
      socket.end(text)
      const chunks: Buffer[] = []
      socket.on('data', (chunk: Buffer) => chunks.push(chunk))
      await once(socket, 'close')
      const answer = Buffer.concat(chunks).toString()
      expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
      expect(answer).toContain('"code":"bad-request"')
    }
  })

  it('responds to an expectation other than 100-continue', async () => {
    const server = await start(settingsIn(temporaryFolder()))
    const headers = { expect: 'something' }
    const answer = await fetchAt({ port: portOf(server), ca }, { path: '/api/v2/users', headers })
    expect([answer.status, JSON.parse(answer.body).payload.code]).toEqual([401, 'no-user'])
  })

  it('logs where it listens', async () => {
    const lines: string[] = []
    const log = pino({ level: 'info' }, { write: (line: string) => lines.push(line) })
    const settings = settingsIn(temporaryFolder())
    const server = await start(settings, log)
    expect(lines.map((it) => JSON.parse(it).msg)).toEqual([
      `listening at ${settings.socket}`,
      `listening at https://127.0.0.1:${portOf(server)}`,
    ])
  })

  it('keeps an audit log, and logs if it keeps none', async () => {
    const lines: string[] = []
    const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(JSON.parse(line).msg) })
    const settings = settingsIn(temporaryFolder())
    const place = { socketPath: settings.socket }
    const request = { method: 'POST', path: `/api/v2/createAdminUser${sure}`, headers: json }
    const server = await start(settings, log)
    await fetchAt(place, { ...request, body: credentials('admin', 'x') })
    await server.stop()
    const line = JSON.parse(readFileSync(settings.auditFile ?? '', 'utf8'))
    expect(line).toMatchObject({ cluster: 'alpha', host: 'db1', component: 'manager', caller: 'socket' })
    expect(lines).toEqual([])
    const { auditFile: _auditFile, ...older } = settings
    await start(older, log)
    expect((await fetchAt(place, { ...request, body: credentials('admin', 'y') })).status).toBe(200)
    expect(lines).toEqual(['no audit log: auditFile is not set in the settings'])
  })

  it('includes the metrics of its component', async () => {
    const settings = settingsIn(temporaryFolder())
    const family: MetricFamily = {
      name: 'muster_manager_x',
      type: 'gauge',
      help: 'X.',
      samples: [{ value: 7 }],
    }
    await start(settings, undefined, { api: { ...manager, metrics: () => [family] } })
    const answer = await fetchAt({ socketPath: settings.socket }, { path: '/metrics' })
    expect(answer.body).toContain('\nmuster_manager_x 7\n')
  })

  it.each<[string, ConnectionOptions, string | undefined]>([
    ['TLS 1.3', { minVersion: 'TLSv1.3' }, undefined],
    ['TLS 1.2 with GCM', { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-RSA-AES128-GCM-SHA256' }, undefined],
    ['TLS 1.2 with ChaCha20', { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-RSA-CHACHA20-POLY1305' }, undefined],
    [
      'TLS 1.2 with CBC',
      { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-RSA-AES128-SHA256:ECDHE-RSA-AES256-SHA:AES128-SHA' },
      'handshake failure',
    ],
    [
      'TLS 1.2 without forward secrecy',
      { maxVersion: 'TLSv1.2', ciphers: 'AES128-GCM-SHA256' },
      'handshake failure',
    ],
    [
      'TLS 1.1',
      { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' },
      'protocol version',
    ],
  ])('accepts or refuses a client with %s', async (_name, options, alert) => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'key.pem'), rsaCertificate.key)
    writeFileSync(join(folder, 'chain.pem'), rsaCertificate.chain)
    const server = await start(settingsIn(folder))
    const outcome = await new Promise<string>((resolve) => {
      const socket = connect({
        port: portOf(server),
        host: '127.0.0.1',
        ca: rsaCertificate.chain,
        ...options,
      })
      socket.once('secureConnect', () => resolve(socket.getProtocol() ?? ''))
      socket.once('error', (error) => resolve(`refused: ${error.message}`))
      onTestFinished(() => void socket.destroy())
    })
    if (alert === undefined) expect(outcome).toMatch(/^TLSv1\.[23]$/)
    else expect(outcome).toMatch(new RegExp(`^refused: .*alert ${alert}`))
  })

  /** A call of a user whose headers are there, and whose body is not whole yet. */
  async function callUnderWay(port: number) {
    const path = `/api/v2/createAdminUser${sure}`
    const first = { path, method: 'POST', headers: json, body: credentials('chief', 'y') }
    expect((await fetchAt({ port, ca }, first)).status).toBe(200)
    const authorization = basic('chief', 'y')
    // The login is verified before, over the same connection: the next call is a known caller's at once.
    const agent = new Agent({ keepAlive: true, maxSockets: 1, ca })
    onTestFinished(() => agent.destroy())
    const verified = httpsRequest({
      host: '127.0.0.1',
      port,
      path: '/api/v2/users',
      headers: { authorization },
      agent,
    })
    verified.end()
    const [users] = await once(verified, 'response')
    expect(users.statusCode).toBe(200)
    users.resume()
    await once(users, 'end')
    const body = credentials('admin', 'x')
    const headers = {
      ...json,
      authorization,
      'content-length': String(body.length),
      expect: '100-continue',
    }
    const request = httpsRequest({ host: '127.0.0.1', port, agent, path, method: 'POST', headers })
    request.flushHeaders()
    await once(request, 'continue')
    return { request, body }
  }

  it('closes connections without a login at once when it stops, while a call of a user goes on', async () => {
    const server = await start(settingsIn(temporaryFolder()))
    const port = portOf(server)
    const { request, body } = await callUnderWay(port)
    const silent = connectTcp({ port, host: '127.0.0.1' })
    await once(silent, 'connect')
    const strangers = await Promise.all(
      ['', 'GET /api/v2/ping HTTP/1.1\r\nHost: localhost\r\n', slowBody].map(async (words) => {
        const socket = connect({ port, host: '127.0.0.1', ca })
        await once(socket, 'secureConnect')
        if (words !== '') await new Promise((resolve) => socket.write(words, resolve))
        return socket
      }),
    )
    // Answered, and kept open for another request.
    const idle = connect({ port, host: '127.0.0.1', ca })
    idle.write('GET /api/v2/ping HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await once(idle, 'data')
    const all = [silent, ...strangers, idle]
    const closed = all.map((socket) => {
      socket.on('error', () => undefined)
      socket.resume()
      return new Promise((resolve) => socket.once('close', resolve))
    })
    const stopped = server.stop()
    await Promise.all(closed)
    request.end(body)
    const [answer] = await once(request, 'response')
    expect(answer.statusCode).toBe(200)
    answer.resume()
    await stopped
  })

  /** A call that has come, and whose password is checked against this hash. */
  async function callBeingChecked(hash: string) {
    const settings = settingsIn(temporaryFolder())
    writeFileSync(
      settings.usersFile,
      formatUserFile({ version: 1, users: [{ user: 'admin', access: 'full', hash }] }),
    )
    const server = await start(settings)
    const headers = { authorization: basic('admin', 'right'), expect: '100-continue' }
    const place = { host: '127.0.0.1', port: portOf(server), ca, agent: false }
    const call = httpsRequest({ ...place, path: '/api/v2/users', headers })
    call.end()
    await once(call, 'continue')
    return { server, call }
  }

  it('answers a call whose login is being checked when it stops', async () => {
    const cost = { ln: 14, r: 8, p: 1 }
    const { server, call } = await callBeingChecked(
      await hashPassword({ password: new Secret('right'), salt: Buffer.alloc(16), cost }),
    )
    const stopped = server.stop()
    const [answer] = await once(call, 'response')
    expect(answer.statusCode).toBe(200)
    answer.resume()
    await stopped
  })

  it('waits a second at most for a login that is being checked when it stops', async () => {
    // It takes several seconds.
    const { server, call } = await callBeingChecked(
      `$scrypt$ln=14,r=8,p=99$${'A'.repeat(22)}$${'A'.repeat(43)}`,
    )
    const failed = once(call, 'response').catch(({ code }) => code)
    await server.stop()
    expect(await failed).toBe('ECONNRESET')
  })

  it('finishes requests of pages by people who logged in before it stops, and no others', async () => {
    const responses = new Map<string, ServerResponse>()
    const pages = {
      isFor: (target: string) => target.startsWith('/dashboard/'),
      handle: (request: IncomingMessage, response: ServerResponse, onKnown: () => void) => {
        responses.set(request.url ?? '', response)
        if (request.url === '/dashboard/known') onKnown()
        response.writeContinue()
      },
      close: () => undefined,
    }
    const server = await start(settingsIn(temporaryFolder()), undefined, {
      api: { ...manager, pages: () => pages },
    })
    const ask = (path: string) => {
      const sent = httpsRequest({ host: '127.0.0.1', port: portOf(server), ca, path, agent: false })
      sent.end()
      return sent
    }
    const [known, stranger] = [ask('/dashboard/known'), ask('/dashboard/stranger')]
    await Promise.all([once(known, 'continue'), once(stranger, 'continue')])
    const cut = new Promise((resolve) => stranger.once('error', resolve))
    const stopped = server.stop()
    await cut
    responses.get('/dashboard/known')?.end('done')
    const [answer] = await once(known, 'response')
    expect(answer.statusCode).toBe(200)
    answer.resume()
    await stopped
  })

  it('finishes running calls before it stops, and accepts no new ones', async () => {
    const settings = settingsIn(temporaryFolder())
    const server = await start(settings)
    const place = { port: portOf(server), ca }
    const { request, body } = await callUnderWay(place.port)
    const stopped = server.stop()
    await expect
      .poll(() => fetchAt(place, { path: '/api/v2/ping' }).catch(({ code }) => code))
      .toBe('ECONNREFUSED')
    request.end(body)
    const [answer] = await once(request, 'response')
    expect(answer.statusCode).toBe(200)
    answer.resume()
    await stopped
  })
})

describe('an API server without a TCP listener', () => {
  it('responds on its socket, and needs no certificate', async () => {
    const folder = temporaryFolder()
    const tls = { key: '/nowhere/key.pem', chain: '/nowhere/chain.pem' }
    const settings = settingsIn(folder, { listen: null, tls })
    const server = await start(settings)
    expect(server.port).toBeUndefined()
    const ping = await fetchAt({ socketPath: settings.socket }, { path: '/api/v2/ping' })
    expect(ping.status).toBe(200)
    const metrics = await fetchAt({ socketPath: settings.socket }, { path: '/metrics' })
    expect(metrics.body).not.toContain('certificate')
  })
})

describe('an API server that cannot start', () => {
  const failure = async (settings: ServerSettings): Promise<string> => {
    const error = await start(settings).catch((caught) => caught)
    expect(error).toBeInstanceOf(StartError)
    return String(error.message)
  }

  it('reports that its port is in use, and removes its socket', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    onTestFinished(() => void other.close())
    const address = other.address()
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0
    const settings = settingsIn(temporaryFolder(), { listen: { address: '127.0.0.1', port } })
    expect(await failure(settings)).toBe(
      `cannot listen on 127.0.0.1:${port}: another program uses this port; stop it or choose another port`,
    )
    expect(existsSync(settings.socket)).toBe(false)
  })

  it('reports that the host does not have its address', async () => {
    const settings = settingsIn(temporaryFolder(), { listen: { address: '192.0.2.1', port: 0 } })
    expect(await failure(settings)).toBe(
      'cannot listen on 192.0.2.1:0: this host does not have the address 192.0.2.1',
    )
  })

  it('reports which file is missing or invalid, or that key and certificate do not match', async () => {
    const folder = temporaryFolder()
    const settings = settingsIn(folder)
    const { key, chain } = settings.tls
    writeFileSync(key, createServerCertificate().key)
    expect(await failure(settings)).toBe(`the private key ${key} does not match the certificate ${chain}`)
    writeFileSync(key, 'nonsense')
    expect(await failure(settings)).toBe(`${key} is not a private key in PEM format`)
    const missing = { key: join(folder, 'missing'), chain }
    expect(await failure({ ...settings, tls: missing })).toBe(
      `cannot read the private key ${missing.key}: no such file or folder`,
    )
  })

  it('reports that it may not read its key', async () => {
    const settings = settingsIn(temporaryFolder())
    chmodSync(settings.tls.key, 0o000)
    expect(await asNobody(() => failure(settings))).toBe(
      `cannot read the private key ${settings.tls.key}: permission denied`,
    )
  })

  it('reports that another server uses its socket', async () => {
    const settings = settingsIn(temporaryFolder())
    await start(settings)
    expect(await failure(settings)).toBe(
      `cannot create the socket ${settings.socket}: another muster-api uses it; stop it first`,
    )
    expect((await fetchAt({ socketPath: settings.socket }, { path: '/api/v2/ping' })).status).toBe(200)
  })

  it('does not replace a file that is not a socket, and refuses a path that is too long', async () => {
    const folder = temporaryFolder()
    const socket = join(folder, 'precious')
    writeFileSync(socket, 'x')
    expect(await failure(settingsIn(folder, { socket }))).toBe(
      `cannot create the socket ${socket}: the path is a file, not a socket; move it away`,
    )
    expect(existsSync(socket)).toBe(true)
    const long = join(folder, 'x'.repeat(108))
    expect(await failure(settingsIn(folder, { socket: long }))).toContain(
      'is too long: the limit is 107 bytes',
    )
  })
})

describe('the socket of a killed API server', () => {
  it('is replaced at the next start', async () => {
    const settings = settingsIn(temporaryFolder())
    const program = `require('net').createServer().listen(${JSON.stringify(settings.socket)}, () => console.log('up'))`
    const other = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
    await once(other.stdout, 'data')
    other.kill('SIGKILL')
    await once(other, 'exit')
    expect(existsSync(settings.socket)).toBe(true)
    await start(settings)
    expect((await fetchAt({ socketPath: settings.socket }, { path: '/api/v2/ping' })).status).toBe(200)
  })
})
