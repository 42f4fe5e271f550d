import { once } from 'node:events'
import { renameSync, writeFileSync } from 'node:fs'
import { Agent, request as tlsRequest } from 'node:https'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { pino } from 'pino'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { hashPassword } from '../../src/accounts/passwordHash.ts'
import { formatUserFile } from '../../src/accounts/userFile.ts'
import { commonCalls } from '../../src/api/calls/commonCalls.ts'
import { type ComponentApi, serve } from '../../src/api/serve.ts'
import type { RunningServer } from '../../src/api/startServer.ts'
import { type Authority, createAuthority } from '../../src/certificates/authority.ts'
import { issueLeaf } from '../../src/certificates/leaf.ts'
import { hostRoutes } from '../../src/contracts/hostRoutes.ts'
import { managerRoutes } from '../../src/contracts/managerRoutes.ts'
import type { ServerSettings } from '../../src/contracts/serverSettings.ts'
import { Secret } from '../../src/secrets/secret.ts'
import { eventually } from '../support/eventually.ts'
import { portOf } from '../support/https.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'
import { testCost } from '../support/testApi.ts'
import { settingsIn, start } from '../support/testServer.ts'

type Identity = { readonly key: string; readonly cert: string }

const day = 86_400_000
const now = new Date()

/** Certificates of the cluster alpha, and of strangers. */
async function makeCertificates() {
  const authority = await createAuthority({ cluster: 'alpha', now: new Date(now.getTime() - 30 * day) })
  // It has the very name of the cluster's.
  const impostor = await createAuthority({ cluster: 'alpha', now })
  const leaf = async (
    signer: Authority,
    names: readonly string[],
    more: { readonly addresses?: readonly string[]; readonly at?: Date } = {},
  ): Promise<Identity> => {
    const { addresses = [], at = now } = more
    const { key, chain } = await issueLeaf({ authority: signer, names, addresses, lifetimeDays: 2, now: at })
    return { key: key.reveal(), cert: chain }
  }
  return {
    authority,
    impostor,
    leaf,
    server: await leaf(authority, ['db1']),
    app1: await leaf(authority, ['app1']),
    byAddress: await leaf(authority, ['elsewhere'], { addresses: ['10.0.0.21'] }),
    other: await leaf(authority, ['app9']),
    forged: await leaf(impostor, ['app1']),
    expired: await leaf(authority, ['app1'], { at: new Date(now.getTime() - 9 * day) }),
  }
}

let made: Awaited<ReturnType<typeof makeCertificates>>
beforeAll(async () => {
  made = await makeCertificates()
})

const put = (path: string, content: string): void => {
  writeFileSync(`${path}.new`, content)
  renameSync(`${path}.new`, path)
}

async function serving(more: Partial<ServerSettings> = {}) {
  const folder = temporaryFolder()
  const authorities = join(folder, 'authorities.pem')
  const tls = { key: join(folder, 'key.pem'), chain: join(folder, 'chain.pem'), authorities }
  put(tls.key, made.server.key)
  put(tls.chain, made.server.cert)
  put(authorities, made.authority.certificate)
  const peers = [{ name: 'app1', names: ['app1', '10.0.0.21'] }]
  const channel = { address: '127.0.0.1', port: 0 }
  const settings = settingsIn(folder, { tls, channel, peers, allowedHosts: ['db1'], ...more })
  const hash = await hashPassword({ password: new Secret('right'), salt: Buffer.alloc(16), cost: testCost })
  put(settings.usersFile, formatUserFile({ version: 1, users: [{ user: 'admin', access: 'full', hash }] }))
  const callers: unknown[] = []
  const api: ComponentApi = {
    component: 'manager',
    served: commonCalls,
    peers: [
      serve(hostRoutes.routing, ({ caller }) => {
        callers.push(caller)
        return (stream) => stream.send('here')
      }),
    ],
  }
  const lines: { level: number; msg: string }[] = []
  const log = pino({ level: 'error' }, { write: (line: string) => lines.push(JSON.parse(line)) })
  const server = await start(settings, log, { api, certificateTiming: { settle: 20, interval: 20 } })
  return { server, settings, callers, authorities, errors: () => lines.map(({ msg }) => msg) }
}

type Asked = { readonly method?: string; readonly path?: string; readonly headers?: Record<string, string> }

/** Port of the channel. */
const channelOf = ({ channelPort = 0 }: RunningServer): number => channelPort

/** Status of a call of the channel with a certificate; what it goes on to send is left. */
function ask(server: RunningServer, identity: Identity | undefined, asked: Asked = {}): Promise<number> {
  const { method = 'GET', path = hostRoutes.routing.path, headers = {} } = asked
  return new Promise((resolve, reject) => {
    const call = tlsRequest({
      ...{ host: '127.0.0.1', port: channelOf(server), method, path, agent: false },
      headers: { host: 'db1', ...headers },
      ...{ ca: made.authority.certificate, servername: 'db1', ...identity },
    })
    call.on('response', (answer) => {
      resolve(answer.statusCode ?? 0)
      answer.on('error', () => undefined)
      call.destroy()
    })
    call.on('error', reject)
    call.end()
  })
}

/** Status of a call of the host app1 over a connection that is kept, and that connection. */
async function askOver(server: RunningServer, agent: Agent, path: string): Promise<[number, unknown]> {
  const call = tlsRequest({
    ...{ host: '127.0.0.1', port: channelOf(server), path, agent, headers: { host: 'db1' } },
    ...{ ca: made.authority.certificate, servername: 'db1', ...made.app1 },
  }).end()
  const [answer] = await once(call, 'response')
  const { socket, statusCode } = answer
  answer.resume()
  await once(answer, 'end')
  return [statusCode, socket]
}

describe('the channel between hosts', () => {
  it('takes a host by its name or its address, and says who it is', async () => {
    const { server, callers } = await serving()
    expect(await ask(server, made.app1)).toBe(200)
    expect(await ask(server, made.byAddress)).toBe(200)
    expect(callers).toEqual([
      { kind: 'host', name: 'app1' },
      { kind: 'host', name: 'app1' },
    ])
  })

  it('ends the connections of everybody else, and takes no call of another host of the cluster', async () => {
    const { server, callers } = await serving()
    const login = { authorization: `Basic ${Buffer.from('admin:right').toString('base64')}` }
    expect(await ask(server, made.other)).toBe(401)
    expect(await ask(server, made.other, { path: '/api/v2/users', headers: login })).toBe(401)
    for (const identity of [undefined, made.forged, made.expired]) {
      await expect(ask(server, identity)).rejects.toMatchObject({
        code: expect.stringMatching(/^(ECONNRESET|EPIPE|ERR_SSL_)/),
      })
    }
    expect(callers).toEqual([])
  })

  it('takes the calls that need a login with one alone, and none that need none', async () => {
    const { server } = await serving()
    const login = { authorization: `Basic ${Buffer.from('admin:right').toString('base64')}` }
    expect(await ask(server, made.app1, { path: '/api/v2/users' })).toBe(401)
    expect(await ask(server, made.app1, { path: '/api/v2/users', headers: login })).toBe(200)
    const json = { 'content-type': 'application/json' }
    for (const path of ['deleteUser', 'unlock']) {
      const asked = { method: 'POST', path: `/api/v2/${path}?i-am-sure=true`, headers: json }
      expect([path, await ask(server, made.app1, asked)]).toEqual([path, 401])
    }
    for (const asked of [
      { path: '/health/live' },
      { path: '/health/ready' },
      { path: '/docs' },
      { path: '/muster/followed-routing' },
      { path: managerRoutes.managerServicesMap.path },
      { method: 'POST', path: '/muster/users?i-am-sure=true', headers: json },
      { method: 'POST', path: '/api/v2/createAdminUser?i-am-sure=true', headers: json },
    ]) {
      const status = await ask(server, made.app1, asked)
      expect([asked.path, status === 401 || status === 404], `${status}`).toEqual([asked.path, true])
    }
    expect(await ask(server, made.app1, { method: 'POST' })).toBe(405)
  })

  it('serves nothing of the hosts on the port of its API, and asks nobody for a certificate there', async () => {
    const { server } = await serving()
    const socket = connect({
      port: portOf(server),
      host: '127.0.0.1',
      rejectUnauthorized: false,
      ...made.app1,
    })
    await once(socket, 'secureConnect')
    expect(JSON.stringify(socket.getPeerCertificate())).toContain('db1')
    socket.write(`GET ${hostRoutes.routing.path} HTTP/1.1\r\nHost: db1\r\nConnection: close\r\n\r\n`)
    const [answer] = await once(socket, 'data')
    expect(String(answer)).toMatch(/^HTTP\/1.1 401 /)
    socket.destroy()
  })

  it('speaks nothing older than TLS 1.3', async () => {
    const { server } = await serving()
    const old = connect({
      ...{ port: channelOf(server), host: '127.0.0.1', rejectUnauthorized: false },
      ...({ maxVersion: 'TLSv1.2', ...made.app1 } as const),
    })
    const [error] = await once(old, 'error').catch((it: unknown) => [it])
    expect(error).toMatchObject({ code: 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION' })
  })

  it('resumes no session, so that no verdict outlives its connection', async () => {
    const { server } = await serving()
    const place = { port: channelOf(server), host: '127.0.0.1', rejectUnauthorized: false }
    const first = connect({ ...place, ...made.app1 })
    let session: Buffer | undefined
    first.on('session', (it) => {
      session = it
    })
    await once(first, 'secureConnect')
    first.write(`GET ${hostRoutes.routing.path} HTTP/1.1\r\nHost: db1\r\n\r\n`)
    await once(first, 'data')
    first.destroy()
    const second = connect({ ...place, ...made.app1, ...(session ? { session } : {}) })
    onTestFinished(() => void second.destroy())
    await once(second, 'secureConnect')
    expect(second.isSessionReused()).toBe(false)
  })

  it('trusts both authorities during a rotation, and the old one no more after it, without a restart', async () => {
    const { server, authorities } = await serving()
    const next = await createAuthority({ cluster: 'alpha', now, successorOf: made.authority })
    const moved = await made.leaf(next, ['app1'])
    await expect(ask(server, moved)).rejects.toThrow()

    put(authorities, made.authority.certificate + next.certificate)
    await eventually(async () => expect(await ask(server, moved)).toBe(200))
    expect(await ask(server, made.app1)).toBe(200)

    // So is a connection that it opened for other calls.
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    onTestFinished(() => agent.destroy())
    const live = await askOver(server, agent, '/api/v2/users')
    // A stream that the old authority opened ends when that is dropped.
    const held = tlsRequest({
      ...{ host: '127.0.0.1', port: channelOf(server), path: hostRoutes.routing.path, agent: false },
      ...{ headers: { host: 'db1' }, ca: made.authority.certificate, servername: 'db1', ...made.app1 },
    })
    held.end()
    const [answer] = await once(held, 'response')
    answer.resume()
    const ended = once(answer, 'end')
    put(authorities, next.certificate)
    await ended
    const [later, same] = await askOver(server, agent, hostRoutes.routing.path)
    expect([live[0], later, same === live[1]]).toEqual([401, 401, true])
    await expect(ask(server, made.app1)).rejects.toThrow()
    expect(await ask(server, moved)).toBe(200)
  })

  it('keeps the authorities that it has when the file of them breaks', async () => {
    const { server, authorities, errors } = await serving()
    put(authorities, 'no certificate')
    server.reloadCertificate()
    expect(errors()).toEqual([expect.stringContaining('authorities.pem')])
    expect(await ask(server, made.app1)).toBe(200)
    await expect(ask(server, made.forged)).rejects.toThrow()
  })
})
