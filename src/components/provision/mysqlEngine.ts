import { randomUUID } from 'node:crypto'
import { statfsSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { quote } from '../../base/shellWords.ts'
import { systemErrorText } from '../../base/systemErrors.ts'
import { bytesText } from '../../base/words.ts'
import { quoteText } from '../databases/dialect.ts'
import type { Engine, OwnDatabase } from './engine.ts'
import { ownPrefix } from './folderScripts.ts'
import { askServer, asOwner, clientFor, runProgram, type Server, startProgram } from './program.ts'

/** Bytes that a copy needs for each one of the data: what is written meanwhile comes along. */
const spare = 1.1

/** Returns the folder in which a server may write files; `NULL` or nothing for none. */
const copyFolder = async (own: Server): Promise<string> =>
  (await askServer(own, 'SELECT @@secure_file_priv')).trimEnd()

/** Returns why a folder has no room for a copy of so many bytes; undefined where it has. */
export function obstacleOfFolder(folder: string, bytes: number): string | undefined {
  if (!isAbsolute(folder)) {
    return 'its secure_file_priv names no folder, in which it would copy its data: set that in its option file and restart it'
  }
  try {
    const { bavail, bsize } = statfsSync(folder)
    const needed = Math.ceil(bytes * spare)
    if (bavail * bsize >= needed) return undefined
    return `its ${folder} has ${bytesText(bavail * bsize)} free, and needs ${bytesText(needed)} for a copy of its data`
  } catch (error) {
    return `its ${folder}, which secure_file_priv names, cannot be read: ${systemErrorText(error)}`
  }
}

/** Has a server copy itself (MySQL 9.7 Reference Manual, "Cloning Data Locally"). */
async function clone(own: OwnDatabase, folder: string, signal: AbortSignal): Promise<void> {
  const { child, ended } = await startProgram(clientFor(own), { input: 'pipe', output: 'ignore' })
  child.stdin?.on('error', () => undefined).end(`CLONE LOCAL DATA DIRECTORY = ${quoteText(folder)}`)
  // The client ends its statement by that, too.
  const end = (): void => void child.kill('SIGINT')
  signal.addEventListener('abort', end, { once: true })
  try {
    await ended
  } catch (error) {
    throw signal.aborted ? signal.reason : error
  } finally {
    signal.removeEventListener('abort', end)
  }
}

/** MySQL with GTIDs, by its plugin `clone`. */
export const mysqlEngine: Engine = {
  server: 'mysqld',
  client: 'mysql',
  needs: { programs: ['mysql', 'mysqlbinlog', 'tar'], package: 'mysql-client-core' },
  channels: 'SHOW REPLICA STATUS',
  forget: 'RESET BINARY LOGS AND GTIDS',
  readGtids: async (own) => {
    const [state, channels] = await Promise.all([
      askServer(own, "SELECT @@server_uuid, REPLACE(@@GLOBAL.gtid_executed, '\\n', '')"),
      askServer(own, 'SELECT source_uuid FROM performance_schema.replication_connection_status'),
    ])
    const [id = '', written = ''] = state.trimEnd().split('\t')
    const [source] = channels.split('\n').filter((it) => /^[\da-f-]{36}$/.test(it))
    return { written, primary: source ?? id }
  },
  obstacle: async (own, bytes) => {
    const state = "SELECT plugin_status FROM information_schema.plugins WHERE plugin_name = 'clone'"
    if ((await askServer(own, state)).trimEnd() !== 'ACTIVE') {
      return "its plugin clone is not loaded: write plugin_load_add = mysql_clone.so into its option file and restart it, or run INSTALL PLUGIN clone SONAME 'mysql_clone.so' there while super_read_only is off"
    }
    return obstacleOfFolder(await copyFolder(own), bytes)
  },
  copy: async (own, { use, signal }) => {
    const above = await copyFolder(own)
    const remove = (): Promise<unknown> =>
      runProgram(asOwner(own.owner, ['sh', '-c', `rm -rf -- ${quote(above)}/${ownPrefix}*`]))
    // Of a run that was killed: one at a time has the lock of the host.
    await remove()
    const folder = join(above, `${ownPrefix}${randomUUID()}`)
    try {
      await clone(own, folder, signal)
      const packed = ['tar', '--create', '--file=-', `--directory=${folder}`, '.'] as const
      await use(await startProgram(asOwner(own.owner, packed), { input: 'ignore', output: 'pipe' }))
    } finally {
      await remove()
    }
  },
  // tar ends at the mark in its archive, before the stream has: its pipe would break.
  unpack: (folder) => {
    const unpack = `tar --extract --file=- --directory=${quote(folder)} --no-same-owner`
    return ['sh', '-c', `${unpack} && cat > /dev/null`]
  },
  // Recovery as of a crash happens at its start, and its position is in a table.
  prepare: async () => '',
  begin: async (own) => {
    await askServer(own, 'SET GLOBAL super_read_only = 1; STOP REPLICA; RESET REPLICA ALL')
  },
  statements: (source, ranges) => {
    const gtids = ranges.map(([from, to]) => `:${from}-${to}`).join('')
    return {
      script: `mysqlbinlog --no-defaults --verbose --include-gtids=${source}${gtids} "$@" > part`,
      marks: ranges.map(([, to]) => `GTID_NEXT= '${source}:${to}'`),
    }
  },
}
