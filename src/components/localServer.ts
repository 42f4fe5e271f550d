import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { StartError } from '../api/startError.ts'
import { kernelPort } from '../base/address.ts'
import type { ServerSettings } from '../contracts/serverSettings.ts'
import { type DataSource, sourcesOf } from './manager/dataSources.ts'

const programs: ReadonlySet<string> = new Set(['mariadbd', 'mysqld'])

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

/** Returns the name of the program of a process; undefined for one that is gone. */
export const programOf = (pid: number): string | undefined =>
  unlessGone(() => readFileSync(`/proc/${pid}/comm`, 'utf8').trimEnd())

/** Returns true if it is the process of a database server. */
export const isServer = (pid: number): boolean => programs.has(programOf(pid) ?? '')

/** Returns the process of the database server that listens at a port; undefined for none. Throws a `StartError`. */
export function serverAt(port: number): number | undefined {
  const sockets = listeningSockets(port)
  const [pid, ...others] = readdirSync('/proc')
    .map(Number)
    .filter((it) => Number.isInteger(it) && isServer(it))
    .filter((it) => {
      const files = unlessGone(() => readdirSync(`/proc/${it}/fd`)) ?? []
      return files.some((fd) => sockets.has(unlessGone(() => readlinkSync(`/proc/${it}/fd/${fd}`)) ?? ''))
    })
  if (others.length > 0) throw new StartError(`several servers listen at port ${port} of this host`)
  return pid
}

/** Returns the data source of a manager's own host. Throws a `StartError` where the settings name none. */
export function ownSource({ services, member }: Pick<ServerSettings, 'services' | 'member'>): DataSource {
  const own =
    services &&
    sourcesOf(services).find((it) => it.service === member?.service && it.name === member.datasource)
  if (!own) throw new StartError('the settings name no database of this host')
  return own
}

/** Returns the service of systemd whose main process it is; undefined for none. */
export function unitOf(pid: number): string | undefined {
  const groups = unlessGone(() => readFileSync(`/proc/${pid}/cgroup`, 'utf8')) ?? ''
  const unit = /^(?:0:|\d+:name=systemd):\/system\.slice\/(?:[^/]+\/)*([^/]+\.service)$/m.exec(groups)?.[1]
  if (unit === undefined) return undefined
  const show = ['show', '--property=MainPID', '--value', '--', unit]
  const main = unlessGone(() => execFileSync('systemctl', show, { encoding: 'utf8', stdio: 'pipe' }))
  return Number(main) === pid ? unit : undefined
}
