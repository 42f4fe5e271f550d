import { readFileSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import { request } from 'node:https'
import { join } from 'node:path'
import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import { hashPassword } from '../../../../src/accounts/passwordHash.ts'
import { formatUserFile, type UserRecord } from '../../../../src/accounts/userFile.ts'
import { type Authority, createAuthority } from '../../../../src/certificates/authority.ts'
import { openManager } from '../../../../src/components/manager/manager.ts'
import type { DashboardHost, ServerSettings } from '../../../../src/contracts/serverSettings.ts'
import { Secret } from '../../../../src/secrets/secret.ts'
import { hostFiles } from '../../../support/hostFiles.ts'
import { temporaryFolder } from '../../../support/temporaryFolder.ts'
import { testCost } from '../../../support/testApi.ts'
import { smallAssets } from '../../../support/testDashboard.ts'
import { settingsIn, start } from '../../../support/testServer.ts'
import { installed } from '../support.ts'

const now = new Date()
let created: Promise<Authority> | undefined
const authorityOf = (): Promise<Authority> => {
  created ??= createAuthority({ cluster: 'alpha', now })
  return created
}

const tlsOf = async (name: string) => hostFiles(name, { authority: await authorityOf() })

/** Users of the host by name: `ada` with the level full, `eve` with read; both have the password `right`. */
export async function usersWith(password: string): Promise<readonly UserRecord[]> {
  const hash = await hashPassword({ password: new Secret(password), salt: Buffer.alloc(16), cost: testCost })
  return [
    { user: 'ada', access: 'full', hash },
    { user: 'eve', access: 'read', hash },
  ]
}

/** A host whose manager has its channel at that port; null for one without a channel. */
export const shownHost = (name: string, port: number | null): DashboardHost => ({
  ...{ name, address: name, names: [name], certificateWarningDays: 30 },
  ...(port !== null && { channel: { address: '127.0.0.1', port } }),
  apis: [{ component: 'manager', listen: null }],
})

/** A manager with all of its server, whose dashboard shows these hosts. */
export async function startManager(
  name: string,
  more: {
    readonly dashboard?: readonly DashboardHost[]
    readonly peers?: readonly string[]
    readonly settings?: Partial<ServerSettings>
    readonly timing?: NonNullable<Parameters<typeof openManager>[1]['timing']>
  } = {},
) {
  const folder = temporaryFolder()
  const lines: string[] = []
  const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) })
  const settings = settingsIn(folder, {
    ...{ host: name, tls: await tlsOf(name), allowedHosts: [name], services: installed },
    stateFile: join(folder, 'manager.json'),
    member: { service: 'alpha', datasource: name, witness: false },
    channel: { address: '127.0.0.1', port: 0 },
    peers: (more.peers ?? ['none']).map((it) => ({ name: it, names: [it] })),
    ...(more.dashboard ? { dashboard: more.dashboard } : {}),
    ...more.settings,
  })
  const setUsers = (users: readonly UserRecord[]): void =>
    writeFileSync(settings.usersFile, formatUserFile({ version: 1, users }), { mode: 0o600 })
  setUsers(await usersWith('right'))
  const opened = openManager(settings, {
    ...{ log, assets: smallAssets },
    ...(more.timing ? { timing: more.timing } : {}),
  })
  onTestFinished(() => opened.close())
  const server = await start(settings, log, { api: opened.api })
  const port = server.port ?? 0
  const ca = (await authorityOf()).certificate

  const open = (path: string, headers: OutgoingHttpHeaders, body?: string): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const sent = request(
        {
          ...{ host: '127.0.0.1', port, path, ca, servername: name, agent: false },
          method: body === undefined ? 'GET' : 'POST',
          headers: { Host: `${name}:${port}`, ...headers },
        },
        resolve,
      )
      sent.on('error', reject)
      sent.end(body)
    })

  async function read(response: IncomingMessage) {
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString()
    const isJson = response.headers['content-type']?.startsWith('application/json') ?? false
    return {
      ...{ status: response.statusCode ?? 0, headers: response.headers, text },
      body: isJson ? JSON.parse(text) : undefined,
    }
  }

  const cookieOf = (cookie: string | undefined): OutgoingHttpHeaders =>
    cookie === undefined ? {} : { Cookie: cookie }
  const get = async (path: string, cookie?: string) => read(await open(path, cookieOf(cookie)))
  const post = async (path: string, value: unknown, cookie?: string) =>
    read(
      await open(
        path,
        {
          Origin: `https://${name}:${port}`,
          'Content-Type': 'application/json',
          'X-Muster-Dashboard': '1',
          ...cookieOf(cookie),
        },
        JSON.stringify(value),
      ),
    )

  return {
    ...{ port, channelPort: server.channelPort ?? 0, lines, settings, setUsers, get, post },
    stop: () => server.stop(),
    audit: (): readonly Record<string, unknown>[] =>
      readFileSync(settings.auditFile ?? '', 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line)),
    /** Logs in, and returns the cookie. */
    async logIn(user: string, password = 'right'): Promise<string> {
      const { headers, text } = await post('/dashboard/login', { user, password })
      const [cookie = ''] = headers['set-cookie']?.[0]?.split(';') ?? []
      if (cookie === '') throw new Error(`no login: ${text}`)
      return cookie
    },
    /** Opens the event stream, and collects its text. */
    async openEvents(cookie: string) {
      const response = await open('/dashboard/events', { Cookie: cookie })
      const stream = { text: '', isEnded: false, response }
      response.on('data', (chunk: Buffer) => {
        stream.text += chunk.toString()
      })
      response.on('close', () => {
        stream.isEnded = true
      })
      response.on('error', () => undefined)
      return stream
    },
  }
}
