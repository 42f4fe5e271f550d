import { setMaxListeners } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import type { CommandContext } from '../../src/cli/context.ts'
import { writeClusterRecord } from '../../src/client/registry.ts'
import { tapi } from '../../src/tapi/tapi.ts'
import { makeAuthority, makeLeaf } from '../support/clientCertificate.ts'
import { bodyOf, type LoopbackServer, serveTls } from '../support/loopbackServer.ts'

/** A password with everything that a shell, a header, a URL and a terminal may trip over. */
export const sentinel = '\'"\\$#%:@ é'

export const authority = makeAuthority()
export const leaf = makeLeaf(authority, { names: ['127.0.0.1', 'localhost', 'db1'] })

export type Seen = {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly login: string | undefined
  readonly body: string
}

export type FakeApi = LoopbackServer & {
  readonly seen: Seen[]
  /** User name to password; empty: nobody has been created yet. */
  readonly users: Map<string, string>
}

const send = (answer: ServerResponse, status: number, payloadType: string, payload: unknown): void => {
  answer.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8' })
  answer.end(JSON.stringify({ payloadType, payloadVersion: '1', payload }))
}

const fail = (answer: ServerResponse, status: number, code: string, title: string, detail: string): void =>
  send(answer, status, 'ErrorPayload', { status, code, title, detail, requestId: 'r-1', errors: [] })

const loginOf = (message: IncomingMessage): string | undefined => {
  const [, encoded] = /^Basic (.*)$/.exec(message.headers.authorization ?? '') ?? []
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString('utf8')
}

/** A server that answers the calls of contract.md as an installed one does, with made-up values. */
export async function fakeApi(users: Record<string, string> = {}): Promise<FakeApi> {
  const seen: Seen[] = []
  const known = new Map(Object.entries(users))
  const server = await serveTls(leaf, async (message, answer) => {
    const { method, url = '' } = message
    const login = loginOf(message)
    const body = await bodyOf(message)
    seen.push({ method, url, login, body })
    const [user = '', ...rest] = (login ?? '').split(':')
    const isKnown = login !== undefined && known.get(user) === rest.join(':')
    if (url === '/api/v2/ping') {
      const date = 'Mon Mar 10 10:12:18 UTC 2025'
      const ping = { message: 'Ping test', date, hostName: 'db1', pid: 4711, jvmUptime: 7_384_000 }
      return send(answer, 200, 'PingPayload', ping)
    }
    if (url.startsWith('/api/v2/createAdminUser')) {
      if (known.size > 0 && !isKnown) {
        return fail(answer, 401, 'login-required', 'This call needs a user and a password', 'Send them.')
      }
      const { payload } = JSON.parse(body)
      known.set(payload.user, payload.pass)
      return send(answer, 200, 'StringPayload', {
        value: `https://${message.headers.host}/api/v2/user/${payload.user}`,
      })
    }
    if (known.size === 0) {
      return fail(answer, 401, 'no-user', 'This host has no user yet', 'Create one.')
    }
    if (!isKnown) {
      return fail(answer, 401, 'login-refused', 'The user or the password is wrong', 'Try another.')
    }
    if (url === '/api/v2/version') {
      return send(answer, 200, 'VersionPayload', { version: '1.2.3', component: 'manager', node: 'v24.1.0' })
    }
    if (url.startsWith('/api/v2/user/')) {
      const name = decodeURIComponent(url.slice('/api/v2/user/'.length))
      if (known.has(name)) {
        return send(answer, 200, 'CredentialsPayload', { user: name, pass: '**obfuscated**', access: 'full' })
      }
    }
    if (method === 'POST' && url === '/api/v2/manager/reset?i-am-sure=true') {
      return send(answer, 200, 'BooleanPayload', { value: true, changed: true })
    }
    if (method === 'POST') {
      return send(answer, 400, 'ErrorPayload', {
        status: 400,
        code: 'not-confirmed',
        title: 'This call makes changes and was not confirmed',
        detail: 'Repeat it with the query member i-am-sure=true.',
        requestId: 'r-1',
        errors: [{ path: '?i-am-sure', message: 'is missing' }],
      })
    }
    return fail(
      answer,
      404,
      'not-found',
      'The resource does not exist',
      `There is nothing at ${url}.\u001b[31m`,
    )
  })
  return { ...server, seen, users: known }
}

export type Run = {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
  /** What was asked, in order, of a terminal in raw mode. */
  readonly raw: readonly boolean[]
}

export type RunOptions = {
  readonly env?: Record<string, string>
  /** Standard input as a pipe that ends. */
  readonly stdin?: string
  /** Standard input as a terminal: what is typed, piece by piece, each as soon as a question is out. */
  readonly typed?: readonly string[]
  readonly signal?: AbortSignal
  /** Width of the terminal that standard output is; it is none unless given. */
  readonly columns?: number
  /** The current folder, unless it is the user's home. */
  readonly cwd?: string
  readonly machine?: { readonly name: string; readonly addresses: readonly string[] }
}

/** A folder that stands for a user's home, and tapi run in it. */
export async function workplace() {
  const home = await mkdtemp(join(tmpdir(), 'tapi-'))
  const dir = join(home, 'config', 'muster', 'clusters')
  const folderOf = (cluster: string): string => join(home, 'srv', cluster)
  const record = async (
    cluster: string,
    hosts: readonly { name: string; address: string; apis: readonly object[] }[],
  ) => {
    await mkdir(folderOf(cluster), { recursive: true })
    return writeClusterRecord({
      dir,
      cluster: {
        version: 1,
        cluster,
        directory: folderOf(cluster),
        authorities: [authority.certificate],
        hosts: hosts as never,
      },
    })
  }
  return {
    home,
    dir,
    record,
    folderOf,
    file: async (name: string, content: string, mode = 0o600) => {
      await writeFile(join(home, name), content, { mode })
      return join(home, name)
    },
    run: (argv: readonly string[], options: RunOptions = {}) => run(home, argv, options),
    remove: () => rm(home, { recursive: true }),
  }
}

async function run(home: string, argv: readonly string[], options: RunOptions): Promise<Run> {
  const pieces = [...(options.typed ?? [])]
  const raw: boolean[] = []
  const stdin = Object.assign(new PassThrough(), {
    isTTY: options.typed !== undefined,
    setRawMode: (on: boolean) => raw.push(on),
  })
  let stdout = ''
  let stderr = ''
  const signal = options.signal ?? new AbortController().signal
  // As the programs do: each call listens.
  setMaxListeners(0, signal)
  if (options.typed === undefined) stdin.end(options.stdin ?? '')
  const context: CommandContext = {
    stdin,
    stdout: {
      write: (text) => (stdout += text),
      columns: options.columns,
      isTTY: options.columns !== undefined,
    },
    stderr: {
      write: (text) => {
        stderr += text
        if (/(: |\] |\? )$/.test(text)) {
          const piece = pieces.shift()
          if (piece !== undefined) stdin.write(piece)
        }
      },
    },
    env: { XDG_CONFIG_HOME: join(home, 'config'), ...options.env },
    cwd: options.cwd ?? home,
    now: () => new Date(0),
    signal,
    packageDirectory: '/nowhere',
    version: '9.9.9',
  }
  const machine = options.machine ?? { name: 'workstation', addresses: ['127.0.0.1', '::1'] }
  const code = await tapi({ argv, context, machine })
  return { code, stdout, stderr, raw }
}
