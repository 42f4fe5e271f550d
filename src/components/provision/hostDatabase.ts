import { lstatSync, readdirSync, statfsSync, statSync } from 'node:fs'
import { isAbsolute, join, normalize, resolve } from 'node:path'
import { StartError } from '../../api/startError.ts'
import { systemErrorText } from '../../base/systemErrors.ts'
import type { HostDatabase, ServerGtids } from '../../contracts/provisioning.ts'
import type { ServerSettings } from '../../contracts/serverSettings.ts'
import { gtidText } from '../databases/gtidSet.ts'
import { ownSource, serverAt, unitOf } from '../localServer.ts'
import type { Engine, OwnDatabase } from './engine.ts'
import { ownPrefix } from './folderScripts.ts'
import { mariadbEngine } from './mariadbEngine.ts'
import { mysqlEngine } from './mysqlEngine.ts'
import { ownTransactions } from './ownTransactions.ts'
import { runProgram, systemctl } from './program.ts'

/** Options of a server, from what `mariadbd --verbose --help` and `mysqld --verbose --help` print: `datadir   /var/lib/mysql/`. */
export function readOptions(printed: string): ReadonlyMap<string, string> {
  const [, table = ''] = printed.split(/^-+ -+$/m)
  const rows = table.split('\n').flatMap((line) => {
    const [, name, value] = /^([a-z][a-z0-9-]*) +(\S.*)$/.exec(line) ?? []
    return name === undefined || value === undefined || value === '(No default value)'
      ? []
      : [[name, value.trimEnd()] as const]
  })
  return new Map(rows)
}

/** Options of folders whose files a backup has, but would put into the data folder. */
const dataOptions = [
  'innodb-data-home-dir',
  'innodb-log-group-home-dir',
  'innodb-undo-directory',
  'aria-log-dir-path',
] as const

type Places = Pick<OwnDatabase, 'folder' | 'socket' | 'logsElsewhere'>

/** Returns the places that the options of a server name. Throws a `StartError` for those that nobody can swap. */
export function placesOf(options: ReadonlyMap<string, string>): Places {
  const folder = resolve(options.get('datadir') ?? '')
  if (!options.has('datadir') || folder === '/') throw new StartError('the option files name no data folder')
  const inside = (path: string): string => normalize(isAbsolute(path) ? path : join(folder, path))
  const elsewhere = dataOptions.filter((it) => resolve(inside(options.get(it) ?? '.')) !== folder)
  if (elsewhere.length > 0) {
    throw new StartError(`data outside of ${folder} is not supported: the server has ${elsewhere.join(', ')}`)
  }
  if (options.get('innodb-data-file-path')?.includes('/')) {
    throw new StartError(`data outside of ${folder} is not supported: the server has innodb-data-file-path`)
  }
  const logs = ['log-bin', 'relay-log'].flatMap((it) => options.get(it) ?? []).map(inside)
  return {
    folder,
    socket: inside(options.get('socket') ?? ''),
    logsElsewhere: [...new Set(logs.filter((it) => !it.startsWith(`${folder}/`)))],
  }
}

/** Logs of replication in a data folder; a backup has none of them. */
const isLog = (name: string): boolean => /\.\d{6}$/.test(name)

/** Bytes of the files below a folder that a backup has. */
function bytesIn(folder: string): number {
  const sizes = readdirSync(folder, { withFileTypes: true }).map((entry) => {
    if (entry.name.startsWith(ownPrefix) || isLog(entry.name)) return 0
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return bytesIn(path)
    // A table may be dropped meanwhile.
    return entry.isFile() ? (lstatSync(path, { throwIfNoEntry: false })?.size ?? 0) : 0
  })
  return sizes.reduce((sum, it) => sum + it, 0)
}

/** Names of the unit of a server that does not run. */
const usualUnits = ['mariadb.service', 'mysql.service', 'mysqld.service'] as const

async function unitOfStopped(): Promise<string | undefined> {
  for (const unit of usualUnits) {
    const state = await systemctl('show', '--property=LoadState', '--value', '--', unit).catch(() => '')
    if (state.trim() === 'loaded') return unit
  }
  return undefined
}

/** Finds the server that is installed, and what it prints of its options. MariaDB has a link `mysqld` to its own, too. */
async function findEngine(): Promise<{ readonly engine: Engine; readonly printed: string }> {
  for (const engine of [mariadbEngine, mysqlEngine]) {
    try {
      return { engine, printed: await runProgram([engine.server, '--verbose', '--help']) }
    } catch (error) {
      const isAbsent = error instanceof StartError && error.message.includes('not installed')
      if (!isAbsent) throw error
    }
  }
  throw new StartError('this host has neither mariadbd nor mysqld')
}

/**
 * Reads the options and the version of the server of this host, whether it runs or not. Rejects with a `StartError` where they
 * are those of another server than that of the data source.
 */
export async function readServerOptions({ name, port }: ReturnType<typeof ownSource>): Promise<{
  readonly engine: Engine
  readonly options: ReadonlyMap<string, string>
  readonly version: string
}> {
  const { engine, printed } = await findEngine()
  const options = readOptions(printed)
  const optionsPort = Number(options.get('port') ?? 3306)
  if (optionsPort !== port) {
    throw new StartError(
      `the option files of this host are those of a server at port ${optionsPort}, and ${name} listens at ${port}`,
    )
  }
  const version = /Ver (\d[\w.]*(?:-MariaDB)?)/.exec(printed)?.[1] ?? ''
  return { engine, options, version }
}

/**
 * Finds the server of a manager's own host, whether it runs or not. Rejects with a `StartError` that says why it cannot be made
 * anew, or be what another one is made from.
 */
export async function findDatabase(
  settings: Pick<ServerSettings, 'services' | 'member'>,
): Promise<OwnDatabase> {
  const source = ownSource(settings)
  const { engine, options, version } = await readServerOptions(source)
  const places = placesOf(options)
  const { folder } = places
  for (const program of engine.needs.programs) {
    await runProgram(['sh', '-c', `command -v ${program}`]).catch(() => {
      throw new StartError(
        `this host has no ${program}: install the package ${engine.needs.package} of its distribution`,
      )
    })
  }
  const pid = serverAt(source.port)
  const unit = pid === undefined ? await unitOfStopped() : unitOf(pid)
  if (unit === undefined) throw new StartError(`the server of ${source.name} is no service of systemd`)
  try {
    const { uid, gid } = statSync(folder)
    if (uid === 0) throw new StartError(`the data folder ${folder} belongs to root`)
    return { ...places, engine, version, unit, owner: { uid, gid }, isRunning: pid !== undefined }
  } catch (error) {
    throw unreadable(folder, error)
  }
}

const unreadable = (folder: string, error: unknown): StartError =>
  error instanceof StartError
    ? error
    : new StartError(`the data folder ${folder} cannot be read: ${systemErrorText(error)}`, error)

/**
 * Returns what others may know of it, with the bytes that it has and, beside the GTIDs of another one, the transactions of its
 * own. Rejects with a `StartError`.
 */
export async function describeDatabase(
  own: OwnDatabase,
  other: ServerGtids | undefined,
): Promise<HostDatabase> {
  const { folder, version } = own
  const gtids = own.isRunning ? await own.engine.readGtids(own) : undefined
  const found = gtids && other && ownTransactions(gtids, other)
  try {
    const { bavail, bsize } = statfsSync(folder)
    const bytes = bytesIn(folder)
    const obstacle = own.isRunning ? await own.engine.obstacle(own, bytes) : 'its server does not run'
    return {
      ...{ folder, version, bytes, free: bavail * bsize },
      ...(obstacle !== undefined && { obstacle }),
      ...(gtids && { gtids }),
      ...(found && { own: gtidText(found) }),
    }
  } catch (error) {
    throw unreadable(folder, error)
  }
}
