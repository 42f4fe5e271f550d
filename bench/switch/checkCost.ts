import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { eventually } from '../../test/lab/support/eventually.ts'
import { type Mariadb, makeReplica, mariadbLab } from '../../test/support/mariadb.ts'
import { createMonitor } from '../../test/support/mariadbPair.ts'
import { monitorSettings } from '../../test/support/monitorSettings.ts'

const rounds = 5
/** Milliseconds of one round. */
const span = 10_000
const sizes = [3, 50] as const

type Source = { readonly name: string; readonly host: string; readonly port: number; readonly role: string }

/** Milliseconds that all threads of a process were on a core (proc(5), /proc/PID/task/TID/schedstat). */
const onCore = (pid: number): number =>
  readdirSync(`/proc/${pid}/task`)
    .map((thread) => Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]))
    .reduce((sum, one) => sum + one, 0) / 1e6

function get(socketPath: string, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request({ socketPath, path, agent: false, headers: { host: 'localhost' } }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('end', () => resolve(Buffer.concat(chunks).toString()))
      answer.on('error', reject)
    })
    sent.on('error', reject)
    sent.end()
  })
}

/** Checks of all data sources so far that passed. */
async function passed(socket: string): Promise<number> {
  const text = await get(socket, '/metrics')
  return [...text.matchAll(/^muster_manager_checks_total\{[^}]*result="passed"[^}]*\} (\d+)$/gm)]
    .map(([, count]) => Number(count))
    .reduce((sum, one) => sum + one, 0)
}

function startManager(
  folder: string,
  datasources: readonly Source[],
): { child: ChildProcess; socket: string } {
  mkdirSync(join(folder, 'state'), { recursive: true })
  const socket = join(folder, 'manager.sock')
  const file = (name: string, content: unknown): string => {
    writeFileSync(join(folder, name), JSON.stringify(content), { mode: 0o600 })
    return join(folder, name)
  }
  const settings = {
    version: 1,
    cluster: 'bench',
    host: 'db1',
    component: 'manager',
    listen: null,
    socket,
    tls: { key: '/nowhere', chain: '/nowhere' },
    usersFile: join(folder, 'users.json'),
    allowedHosts: [],
    remoteBootstrap: false,
    logLevel: 'error',
    services: { services: [{ name: 'alpha', datasources }] },
    stateFile: join(folder, 'state', 'manager.json'),
    member: { service: 'alpha', datasource: 'db1', witness: false },
    monitor: monitorSettings,
    secretsFile: file('secrets.json', { 'monitor-password': 'watching' }),
  }
  const child = spawn(
    process.execPath,
    ['dist/muster-api.cjs', 'serve', '--settings', file('manager.json', settings)],
    { stdio: ['ignore', 'inherit', 'inherit'] },
  )
  return { child, socket }
}

async function measure(datasources: readonly Source[]): Promise<{ perCheck: number; checks: number }[]> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-bench-'))
  const { child, socket } = startManager(folder, datasources)
  try {
    await eventually('a manager that checks all', async () => {
      const text = await get(socket, '/metrics')
      const online = /^muster_manager_datasource_state\{[^}]*state="ONLINE"[^}]*\} 1$/gm
      if ([...text.matchAll(online)].length !== datasources.length) return false
      return true
    })
    // The compilers of Node.js have done their work.
    await delay(span)
    const results: { perCheck: number; checks: number }[] = []
    for (let round = 0; round < rounds; round += 1) {
      const before = { cpu: onCore(child.pid ?? 0), checks: await passed(socket) }
      await delay(span)
      const checks = (await passed(socket)) - before.checks
      results.push({ perCheck: (onCore(child.pid ?? 0) - before.cpu) / checks, checks })
    }
    return results
  } finally {
    child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
}

async function replicate(primary: Mariadb, replica: Mariadb): Promise<void> {
  const [at] = await primary.sql('SELECT @@gtid_binlog_pos AS gtid')
  await replica.sql('RESET MASTER', `SET GLOBAL gtid_slave_pos = '${at?.gtid}'`)
  await makeReplica({ primary, replica })
  await replica.sql('SET GLOBAL read_only = 1', 'START SLAVE')
}

/**
 * Returns the milliseconds of a core that a manager needs for one check of a data source, all that it does meanwhile
 * included, with 3 and with 50 data sources. A primary and two replicas stand for all: each server listens on many
 * addresses of loopback, and each address is a data source.
 */
export async function checkCost(): Promise<unknown> {
  const lab = await mariadbLab()
  try {
    const addresses = Array.from({ length: 25 }, (_, index) => `127.0.0.${index + 1}`)
    const options = [`--bind-address=${addresses.join(',')}`]
    const [primary, one, two] = await Promise.all([0, 1, 2].map(() => lab.server({ options })))
    if (!primary || !one || !two) throw new Error('three servers are needed')
    for (const it of [primary, one, two]) await createMonitor(it, 'watching', '%')
    await primary.sql('CREATE DATABASE t')
    for (const it of [one, two]) await replicate(primary, it)
    const replicas = addresses.flatMap((host) =>
      [one, two].map((it): Omit<Source, 'name'> => ({ host, port: it.port, role: 'replica' })),
    )
    const all = [{ host: '127.0.0.1', port: primary.port, role: 'primary' }, ...replicas].map(
      (it, index): Source => ({ name: `db${index + 1}`, ...it }),
    )
    const results = new Map<number, Awaited<ReturnType<typeof measure>>>()
    for (const size of sizes) results.set(size, await measure(all.slice(0, size)))
    return Object.fromEntries(
      [...results].map(([size, found]) => {
        const sorted = found.map(({ perCheck }) => perCheck).toSorted((a, b) => a - b)
        const rounded = (value: number | undefined): number => Number(value?.toFixed(3))
        return [
          `${size} data sources`,
          {
            median: rounded(sorted[Math.floor(sorted.length / 2)]),
            least: rounded(sorted[0]),
            most: rounded(sorted.at(-1)),
            checks: found.reduce((sum, { checks }) => sum + checks, 0),
            rounds: found.length,
          },
        ]
      }),
    )
  } finally {
    await lab.end()
  }
}
