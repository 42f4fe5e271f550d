import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { StartError } from '../../api/startError.ts'
import { kernelPort } from '../../base/address.ts'
import type { ServerSettings } from '../../contracts/serverSettings.ts'
import { sourcesOf } from './dataSources.ts'

const programs: ReadonlySet<string> = new Set(['mariadbd', 'mysqld'])

/** Milliseconds until a process is gone that was killed. */
const endLimit = 10_000

/** Returns what `read` returns; undefined where that process, or that of its files, is gone. */
function unlessGone<Result>(read: () => Result): Result | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** Returns the links of the sockets that listen at a port (proc(5), state 0A). */
function listeningSockets(port: number): ReadonlySet<string> {
  const rows = new RegExp(
    `^ *\\d+: [0-9A-F]+:${kernelPort(port)} \\S+ 0A \\S+ \\S+ \\S+ +\\d+ +\\d+ (\\d+) `,
    'gm',
  )
  const tables = ['tcp', 'tcp6'].map((name) => unlessGone(() => readFileSync(`/proc/net/${name}`, 'latin1')))
  return new Set(
    tables.flatMap((table) => [...(table ?? '').matchAll(rows)].map(([, inode]) => `socket:[${inode}]`)),
  )
}

const nameOf = (pid: number): string | undefined =>
  unlessGone(() => readFileSync(`/proc/${pid}/comm`, 'utf8').trimEnd())

/** Returns the database servers that listen at a port. */
function serversAt(port: number): readonly number[] {
  const sockets = listeningSockets(port)
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && programs.has(nameOf(pid) ?? ''))
    .filter((pid) => {
      const files = unlessGone(() => readdirSync(`/proc/${pid}/fd`)) ?? []
      return files.some((it) => sockets.has(unlessGone(() => readlinkSync(`/proc/${pid}/fd/${it}`)) ?? ''))
    })
}

/** Returns the service of systemd whose main process it is; undefined for none. */
function unitOf(pid: number): string | undefined {
  const groups = unlessGone(() => readFileSync(`/proc/${pid}/cgroup`, 'utf8')) ?? ''
  const unit = /^(?:0:|\d+:name=systemd):\/system\.slice\/(?:[^/]+\/)*([^/]+\.service)$/m.exec(groups)?.[1]
  if (unit === undefined) return undefined
  const show = ['show', '--property=MainPID', '--value', '--', unit]
  const main = unlessGone(() => execFileSync('systemctl', show, { encoding: 'utf8', stdio: 'pipe' }))
  return Number(main) === pid ? unit : undefined
}

/**
 * Kills the database server of a manager's host and starts its unit again, where the settings name one, exactly one listens at
 * its port, and a service of systemd runs it. Throws a `StartError` otherwise, and then nothing was done.
 */
export async function crashOwnServer({ services, member }: Pick<ServerSettings, 'services' | 'member'>) {
  const own =
    services &&
    sourcesOf(services).find((it) => it.service === member?.service && it.name === member.datasource)
  if (!own) throw new StartError('the settings name no database of this host')
  const [pid, ...others] = serversAt(own.port)
  if (pid === undefined) throw new StartError(`no MariaDB or MySQL listens at port ${own.port} of this host`)
  if (others.length > 0) throw new StartError(`several servers listen at port ${own.port} of this host`)
  const unit = unitOf(pid)
  if (unit === undefined) {
    throw new StartError(
      `the server at port ${own.port} (process ${pid}) is no service of systemd: kill it, and start it`,
    )
  }
  process.kill(pid, 'SIGKILL')
  const end = performance.now() + endLimit
  while (programs.has(nameOf(pid) ?? '') && performance.now() < end) await wait(20)
  execFileSync('systemctl', ['start', '--no-block', '--', unit], { stdio: ['ignore', 'inherit', 'inherit'] })
  process.stdout.write(`killed the server at port ${own.port} (process ${pid}) and started ${unit}\n`)
}
