import type { ChildProcess } from 'node:child_process'
import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs'
import { get } from 'node:https'
import { join } from 'node:path'
import { hashPassword } from '../../src/accounts/passwordHash.ts'
import { formatUserFile } from '../../src/accounts/userFile.ts'
import { createAuthority } from '../../src/certificates/authority.ts'
import { createHostStores } from '../../src/certificates/hostStores.ts'
import { generatePassword } from '../../src/certificates/password.ts'
import type { Component } from '../../src/contracts/component.ts'
import type { ServerSettings } from '../../src/contracts/serverSettings.ts'
import { Secret } from '../../src/secrets/secret.ts'
import { type BareAnswer, bareServer } from './bareServer.ts'
import { childOf, firstLine, freePort, onFirstCore, program, untilItAnswers } from './processes.ts'

/** A server that answers the same question with the same bytes; `pid` is the process that does the work. */
export type RunningServer = { readonly name: string; readonly port: number; readonly pid: number }

export const path = '/api/v2/user/admin'
const password = 'bench-Zo3hFq8sLw'
export const authorization = `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`

export type Answer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** One call on a connection of its own. */
export const ask = (
  port: number,
  headers: Readonly<Record<string, string>> = { authorization },
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path, headers, agent: false, rejectUnauthorized: false }
    get(options, (message) => {
      let body = ''
      message.setEncoding('utf8').on('data', (text: string) => {
        body += text
      })
      const all = message.headers as Record<string, string>
      message.on('end', () => resolve({ status: message.statusCode ?? 0, headers: all, body }))
    }).on('error', reject)
  })

/** Key, certificate and user file of a host, as an installation makes them. */
export async function makeHost(folder: string): Promise<{ readonly key: string; readonly chain: string }> {
  const now = new Date()
  const authority = await createAuthority({ cluster: 'bench', now })
  const locks = { alias: 'tls', keystorePassword: generatePassword(), truststorePassword: generatePassword() }
  const host = { names: ['db1'], addresses: ['127.0.0.1'] }
  const stores = await createHostStores({ authority, ...host, ...locks, lifetimeDays: 365, now })
  const key = stores.key.reveal()
  writeFileSync(join(folder, 'key.pem'), key, { mode: 0o600 })
  writeFileSync(join(folder, 'chain.pem'), stores.chain)
  const hash = await hashPassword({ password: new Secret(password), salt: Buffer.alloc(16) })
  const users = [{ user: 'admin', access: 'full', hash }] as const
  writeFileSync(join(folder, 'users.json'), formatUserFile({ version: 1, users }), { mode: 0o600 })
  return { key, chain: stores.chain }
}

/** Starts a component as its unit does (templates/muster-component.service), with a runtime and flags for it. */
export async function startComponent(options: {
  readonly folder: string
  readonly component: Component
  readonly node: readonly string[]
}): Promise<RunningServer & { readonly child: ChildProcess }> {
  const { folder, component, node } = options
  const port = await freePort()
  const settings: ServerSettings = {
    version: 1,
    cluster: 'bench',
    host: 'db1',
    component,
    listen: { address: '127.0.0.1', port },
    socket: join(folder, `${component}.sock`),
    tls: { key: join(folder, 'key.pem'), chain: join(folder, 'chain.pem') },
    usersFile: join(folder, 'users.json'),
    auditFile: join(folder, `${component}.audit.jsonl`),
    allowedHosts: ['db1', '10.0.0.11'],
    remoteBootstrap: false,
    logLevel: 'info',
  }
  const file = join(folder, `${component}.json`)
  writeFileSync(file, JSON.stringify(settings))
  const env = { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '131072' }
  const output = openSync(join(folder, `${component}.log`), 'a')
  const child = onFirstCore([...node, 'dist/muster-api.cjs', 'serve', '--settings', file], { env, output })
  closeSync(output)
  await untilItAnswers(child, () => ask(port))
  return { name: 'muster', port, pid: child.pid ?? 0, child }
}

/** Headers that any HTTP server makes by itself. */
const ofConnection = ['date', 'connection', 'keep-alive']

/** Starts a bare node:https server that gives the answer of another one. */
export async function startBare(
  folder: string,
  tls: { readonly key: string; readonly chain: string },
  { status, headers, body }: Answer,
): Promise<RunningServer> {
  const own = Object.fromEntries(Object.entries(headers).filter(([name]) => !ofConnection.includes(name)))
  const answer: BareAnswer = { ...tls, status, headers: own, body }
  const file = join(folder, 'answer.json')
  writeFileSync(file, JSON.stringify(answer), { mode: 0o600 })
  const child = onFirstCore(program(bareServer, file))
  return { name: 'node:https', port: Number(await firstLine(child)), pid: child.pid ?? 0 }
}

const nginxText = (folder: string, port: number, { headers }: Answer): string => `daemon off;
${process.geteuid?.() === 0 ? 'user root;' : ''}
worker_processes 1;
pid ${folder}/nginx.pid;
error_log ${folder}/nginx.error.log;
events { worker_connections 1024; }
http {
  access_log ${folder}/nginx.access.log;
  client_body_temp_path ${folder}/nginx; proxy_temp_path ${folder}/nginx; fastcgi_temp_path ${folder}/nginx;
  uwsgi_temp_path ${folder}/nginx; scgi_temp_path ${folder}/nginx;
  keepalive_requests 1000000000;
  server {
    listen 127.0.0.1:${port} ssl;
    ssl_certificate ${folder}/chain.pem;
    ssl_certificate_key ${folder}/key.pem;
    ssl_protocols TLSv1.2 TLSv1.3;
    auth_basic "APIv2";
    auth_basic_user_file ${folder}/htpasswd;
    location = ${path} {
      alias ${folder}/answer.body;
      default_type "${headers['content-type']}";
      add_header Cache-Control "${headers['cache-control']}";
      add_header X-Content-Type-Options "${headers['x-content-type-options']}";
      add_header X-Request-Id $request_id;
    }
  }
}
`

/**
 * Starts nginx with auth_basic before a file with the same body. The password stands in its file as it is, so that
 * nginx hashes nothing; it reads that file for each request.
 */
export async function startNginx(folder: string, port: number, answer: Answer): Promise<RunningServer> {
  mkdirSync(join(folder, 'nginx'))
  writeFileSync(join(folder, 'answer.body'), answer.body)
  writeFileSync(join(folder, 'htpasswd'), `admin:{PLAIN}${password}\n`)
  const file = join(folder, 'nginx.conf')
  writeFileSync(file, nginxText(folder, port, answer))
  const child = onFirstCore([
    '/usr/sbin/nginx',
    '-p',
    folder,
    '-e',
    join(folder, 'nginx.error.log'),
    '-c',
    file,
  ])
  await untilItAnswers(child, () => ask(port))
  return { name: 'nginx', port, pid: childOf(child.pid ?? 0) }
}
