import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { formatUserFile } from '../../src/accounts/userFile.ts'
import type { ActionResponse, SessionPayload } from '../../src/contracts/dashboard.ts'
import { makeSentinel } from '../lab/scenario/sentinel.ts'
import { eventually } from '../support/eventually.ts'
import { eventsIn } from '../support/testDashboard.ts'
import { changePassword } from './support/api.ts'
import { login } from './support/clusterFile.ts'
import { packageDirectory } from './support/operator.ts'
import { replaceFile } from './support/replaceFile.ts'
import { createWorld, type Host, type World } from './support/world.ts'

type Response = { readonly status: number; readonly body: unknown; readonly cookie: string | undefined }

const levels = { eve: 'read', olga: 'operate', ada: 'full' } as const
type User = keyof typeof levels

const hostText = ({ name, address, directory, ports, clusterPort, ssh }: Host): string => `  ${name}:
    address: ${address}
    ssh: ${JSON.stringify(ssh)}
    options:
      install-directory: ${directory}
      manager-rest-api-port: ${ports.manager}
      replicator-rest-api-port: ${ports.replicator}
      cluster-port: ${clusterPort}
`

/** Two installed hosts whose APIs listen on loopback alone, and `muster dashboard` as a program of its own. */
describe.skipIf(process.platform !== 'linux')('muster dashboard (needs Linux)', () => {
  const sentinel = makeSentinel()
  const passwords = new Map<string, string>(
    ['admin', ...Object.keys(levels)].map((user) => [user, `${sentinel.password}${user}`]),
  )
  let world: World
  let program: ChildProcess
  let ended: Promise<unknown[]>
  let token = ''
  let origin: URL
  let printed = ''

  const open = (
    path: string,
    more: { cookie?: string | undefined; host?: string; value?: unknown } = {},
  ): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const { cookie, host = origin.host, value } = more
      const sent = request(
        {
          ...{ host: '127.0.0.1', port: origin.port, path: `/dashboard/${path}`, agent: false },
          method: value === undefined ? 'GET' : 'POST',
          headers: {
            Host: host,
            ...(cookie === undefined ? {} : { Cookie: cookie }),
            ...(value === undefined
              ? {}
              : {
                  ...{ Origin: `http://${host}`, 'X-Muster-Dashboard': '1' },
                  'Content-Type': 'application/json',
                }),
          },
        },
        resolve,
      )
      sent.on('error', reject)
      sent.end(value === undefined ? undefined : JSON.stringify(value))
    })

  async function send(...asked: Parameters<typeof open>): Promise<Response> {
    const response = await open(...asked)
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString()
    const isJson = response.headers['content-type']?.startsWith('application/json') ?? false
    return {
      status: response.statusCode ?? 0,
      body: isJson ? JSON.parse(text) : text,
      cookie: response.headers['set-cookie']?.[0]?.split(';')[0],
    }
  }

  /** Cookie that the token was exchanged for; each login is in a session of its own beside it. */
  let opened: string | undefined

  async function logIn(user: User): Promise<string> {
    const value = { user, password: passwords.get(user) }
    const response = await send('login', { cookie: opened, value })
    expect(response, JSON.stringify(response.body)).toMatchObject({
      status: 200,
      body: { state: 'in', clusters: [{ name: 'alpha', user, access: levels[user] }] },
    })
    opened = response.cookie
    return response.cookie ?? ''
  }

  async function act(cookie: string, action: Readonly<Record<string, unknown>>) {
    const value = { cluster: 'alpha', host: 'db1', component: 'manager', params: {}, ...action }
    const { status, body } = await send('action', { cookie, value })
    return { status, body: body as ActionResponse & { readonly code?: string } }
  }

  const shun = {
    route: 'managerShun',
    params: { service: 'alpha', datasource: 'db2' },
    query: { peers: 'alone' },
  }
  const newUser = (user: string) => ({
    ...{ host: 'db2', route: 'createAdminUser' },
    payload: { user, pass: passwords.get('ada'), access: 'full' },
  })

  const auditFile = (host: string): string => join(world.host(host).directory, 'data/manager.audit.jsonl')

  const auditOf = (host: string): readonly Record<string, unknown>[] =>
    existsSync(auditFile(host))
      ? readFileSync(auditFile(host), 'utf8')
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => JSON.parse(line))
      : []

  beforeAll(async () => {
    world = await createWorld(2)
    for (const [user, password] of passwords) world.operator.env[`PASS_${user.toUpperCase()}`] = password
    world.operator.env.OTHER_PASS = makeSentinel().password
    const users = Object.entries(levels).map(
      ([user, access]) => `    ${user}: { access: ${access}, password: !env PASS_${user.toUpperCase()} }\n`,
    )
    world.operator.write(
      'alpha.yaml',
      `cluster: alpha
defaults:
  rest-api-admin-user: admin
  rest-api-admin-pass: !env PASS_ADMIN
  rest-api-users:
${users.join('')}  service-manager: process
  user: ${login}
  datasource-type: mariadb
  replication-user: repl
  replication-password: !env OTHER_PASS
  monitor-user: monitor
  monitor-password: !env OTHER_PASS
services:
  alpha: { topology: clustered, master: db1, members: [db1, db2] }
hosts:
${world.hosts.map(hostText).join('')}`,
    )
    const installed = await world.muster('install')
    expect(installed, `${installed.stdout}${installed.stderr}`).toMatchObject({ code: 0 })
    program = spawn(
      process.execPath,
      [join(packageDirectory, 'dist/muster.js'), 'dashboard', '--no-open', 'alpha.yaml'],
      { cwd: world.operator.directory, env: world.operator.env },
    )
    ended = once(program, 'close')
    for (const stream of [program.stdout, program.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        printed += text
      })
    await eventually(() => expect(printed).toContain('Ctrl-C ends it.'))
    const [, address = ''] = /(http:\S+)/.exec(printed) ?? []
    origin = new URL(address)
    token = origin.hash.replace('#token=', '')
  })
  afterAll(async () => {
    program?.kill('SIGKILL')
    await world?.close()
  })

  it('opens by the token of its address, once, and under its own name alone', async () => {
    expect((await send('login', { value: { user: 'ada', password: passwords.get('ada') } })).status).toBe(401)
    for (const host of [`127.0.0.1:${origin.port}`, `localhost:${origin.port}`, 'evil.example'])
      expect((await send('token', { value: { token }, host })).status, host).toBe(421)
    const exchanged = await send('token', { value: { token } })
    expect(exchanged).toMatchObject({ status: 200, body: { state: 'login', server: 'muster' } })
    opened = exchanged.cookie
    expect((await send('token', { value: { token } })).status).toBe(401)
    const { body } = await send('session')
    expect(body as SessionPayload).toMatchObject({ state: 'token', clusters: [] })
  })

  it('shows a cluster whose APIs listen on loopback, and lets each level do what it may, by name', async () => {
    const cookie = await logIn('eve')
    const events = await open('events', { cookie })
    let text = ''
    events.setEncoding('utf8').on('data', (more: string) => {
      text += more
    })
    events.on('error', () => undefined)
    await eventually(() => expect(eventsIn(text)[0]?.data).toMatchObject({ kind: 'snapshot' }))
    expect(eventsIn(text)[0]?.data.clusters).toMatchObject([
      { name: 'alpha', hosts: [{ name: 'db1' }, { name: 'db2' }] },
    ])
    expect(await act(cookie, shun)).toMatchObject({ status: 200, body: { status: 403 } })
    expect(auditOf('db1').at(-1)).toMatchObject({ user: 'eve', call: 'managerShun', status: 403 })

    events.destroy()
    const operating = await logIn('olga')
    expect(await act(operating, shun)).toMatchObject({ status: 200, body: { status: 200 } })
    expect(auditOf('db1').at(-1)).toMatchObject({ user: 'olga', call: 'managerShun', status: 200 })
  })

  it('makes nobody the first user of a host, which takes anybody from loopback, but for the level full', async () => {
    const file = join(world.host('db2').directory, 'data/users.json')
    const before = readFileSync(file, 'utf8')
    replaceFile(file, formatUserFile({ version: 1, users: [] }))
    for (const user of ['eve', 'olga'] as const) {
      const calls = auditOf('db2').length
      expect(await act(await logIn(user), newUser('mallory')), user).toMatchObject({
        status: 403,
        body: { code: 'access-level' },
      })
      expect(auditOf('db2').length, user).toBe(calls)
    }
    expect(await act(await logIn('ada'), newUser('ada'))).toMatchObject({
      status: 200,
      body: { status: 200 },
    })
    replaceFile(file, before)
  })

  it('ends a session within ten seconds after its user got another password', async () => {
    const cookie = await logIn('ada')
    const events = await open('events', { cookie })
    let text = ''
    events.setEncoding('utf8').on('data', (more: string) => {
      text += more
    })
    events.on('error', () => undefined)
    const isEnded = once(events, 'close')
    await eventually(() => expect(text).toContain('snapshot'))
    const direct = { ...world.host('db1'), address: '127.0.0.1' }
    const given = passwords.get('ada') ?? ''
    const ada = {
      operator: world.operator,
      host: direct,
      component: 'manager',
      user: 'ada',
      password: given,
    } as const
    expect(await changePassword(ada, makeSentinel().password)).toBe(200)
    const begun = performance.now()
    await isEnded
    expect(performance.now() - begun).toBeLessThan(25_000)
    expect(eventsIn(text).at(-1)?.data).toMatchObject({ kind: 'session' })
  })

  it('ends with code 0 by Ctrl-C, leaves no listener and no process, and printed no password', async () => {
    program.kill('SIGINT')
    expect(await ended).toEqual([0, null])
    await expect(send('session')).rejects.toThrow('ECONNREFUSED')
    for (const trace of sentinel.traces) expect(Buffer.from(printed).includes(trace)).toBe(false)
    expect(printed).not.toContain('error')
  })
})
