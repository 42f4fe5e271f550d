import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { proxySettings } from '../../test/support/proxySettings.ts'
import { barePipe } from './barePipe.ts'

/** A proxy in front of the backend, on a core of its own. */
export type RunningProxy = { readonly name: string; readonly port: number; readonly child: ChildProcess }

/** The core of the proxy, and that of everything else. */
export const cores = { proxy: 0, others: 1 }

const started = new Set<ChildProcess>()

/** Starts a program on one core; what it complains of is shown. */
export function pinned(core: number, command: readonly string[]): ChildProcess {
  const child = spawn('taskset', ['-c', String(core), ...command], { stdio: ['ignore', 'pipe', 'inherit'] })
  started.add(child)
  return child
}

/** Ends all programs that were started. */
export function endAll(): void {
  for (const child of started) child.kill('SIGKILL')
}

/** A function as a program of its own, see there. */
export const program = (main: () => void, ...args: readonly string[]): readonly string[] => [
  process.execPath,
  '-e',
  `(${main})()`,
  ...args,
]

/** The first line that a program prints. */
export async function firstLine(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('no pipe')
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`${child.spawnargs.slice(0, 4).join(' ')} ended with ${code}`)
  })
  const [line] = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), ended])
  ended.catch(() => undefined)
  return line
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}

async function untilItAnswers(port: number, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${child.spawnargs[3]} ended with ${child.exitCode}`)
    const socket = connect(port, '127.0.0.1')
    const isThere = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'close').then(() => false),
    ]).catch(() => false)
    socket.destroy()
    if (isThere) return
  }
}

const haproxyText = (port: number, target: number): string => `global
  nbthread 1
  maxconn 4096
defaults
  mode tcp
  timeout connect 5s
  timeout client 1m
  timeout server 1m
frontend clients
  bind 127.0.0.1:${port}
  default_backend databases
backend databases
  server db1 127.0.0.1:${target}
`

async function haproxy(folder: string, target: number): Promise<RunningProxy> {
  const port = await freePort()
  const file = join(folder, 'haproxy.cfg')
  writeFileSync(file, haproxyText(port, target))
  const child = pinned(cores.proxy, ['/usr/sbin/haproxy', '-db', '-f', file])
  await untilItAnswers(port, child)
  return { name: 'haproxy', port, child }
}

async function pipe(target: number): Promise<RunningProxy> {
  const child = pinned(cores.proxy, program(barePipe, String(target)))
  return { name: 'pipe', port: Number(await firstLine(child)), child }
}

async function connector(folder: string, target: number): Promise<RunningProxy> {
  const port = await freePort()
  mkdirSync(join(folder, 'state'))
  const datasources = [{ name: 'db1', host: '127.0.0.1', port: target, role: 'primary' }]
  const settings = {
    version: 1,
    cluster: 'bench',
    host: 'db1',
    component: 'connector',
    listen: null,
    socket: join(folder, 'connector.sock'),
    tls: { key: '/nowhere', chain: '/nowhere' },
    usersFile: join(folder, 'users.json'),
    allowedHosts: [],
    remoteBootstrap: false,
    logLevel: 'error',
    services: { services: [{ name: 'alpha', datasources }] },
    stateFile: join(folder, 'state', 'connector.json'),
    proxy: { ...proxySettings, port },
  }
  const file = join(folder, 'connector.json')
  writeFileSync(file, JSON.stringify(settings))
  const child = pinned(cores.proxy, [process.execPath, 'dist/muster-api.cjs', 'serve', '--settings', file])
  await untilItAnswers(port, child)
  return { name: 'connector', port, child }
}

/** All of them before the same backend. */
export const startProxies = (folder: string, target: number): Promise<readonly RunningProxy[]> =>
  Promise.all([haproxy(folder, target), pipe(target), connector(folder, target)])
