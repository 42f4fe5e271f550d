import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StartError } from '../../api/startError.ts'
import type { Engine } from './engine.ts'
import { askServer, asOwner, runProgram, startProgram } from './program.ts'

/** MariaDB, by mariadb-backup. */
export const mariadbEngine: Engine = {
  server: 'mariadbd',
  client: 'mariadb',
  needs: { programs: ['mariadb-backup', 'mbstream'], package: 'mariadb-backup' },
  channels: 'SHOW ALL SLAVES STATUS',
  forget: 'RESET MASTER',
  readGtids: async (own) => {
    const [state, channels] = await Promise.all([
      askServer(own, 'SELECT @@server_id, @@gtid_binlog_state'),
      askServer(own, `${mariadbEngine.channels}\\G`, { more: ['--column-names'] }),
    ])
    const [id = '', written = ''] = state.trimEnd().split('\t')
    const [, source] = /^ *Master_Server_Id: ([1-9]\d*)$/m.exec(channels) ?? []
    return { written, primary: source ?? id }
  },
  obstacle: async () => undefined,
  copy: async ({ socket }, { use }) => {
    const folder = mkdtempSync(join(tmpdir(), 'muster-backup-'))
    try {
      await use(
        await startProgram(
          ['mariadb-backup', '--backup', '--stream=xbstream', `--socket=${socket}`, `--target-dir=${folder}`],
          { input: 'ignore', output: 'pipe' },
        ),
      )
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
  unpack: (folder) => ['mbstream', '--extract', `--directory=${folder}`],
  prepare: async ({ owner }, folder, signal) => {
    const prepare = ['mariadb-backup', '--prepare', `--target-dir=${folder}`] as const
    await runProgram(asOwner(owner, prepare), { signal })
    return readPosition(folder)
  },
  begin: async (own, position) => {
    const logs = await askServer(own, 'SET GLOBAL read_only = 1; STOP ALL SLAVES; SELECT @@log_bin')
    const reset = logs.trim() === '1' ? `${mariadbEngine.forget}; ` : ''
    await askServer(own, `${reset}SET GLOBAL gtid_slave_pos = '${position}'`)
  },
  // Exactly those, or more, where the log was purged.
  statements: (source, ranges) => {
    const [domain = '', server = ''] = source.split('-')
    const [from, to] = [ranges[0]?.[0] ?? 1, ranges.at(-1)?.[1] ?? 0]
    const all = ['--no-defaults', '--verbose', '--loose-skip-gtid-strict-mode', `--server-id=${server}`]
    const exact = [...all, `--do-domain-ids=${domain}`]
    const ways = [from > 1 ? [...exact, `--start-position=${source}-${from - 1}`] : exact, all]
    return {
      script: ways.map((options) => `mariadb-binlog ${options.join(' ')} "$@" > part`).join(' || '),
      marks: [`\tGTID ${source}-${to} `],
    }
  },
}

/** Files with the position of a backup: of MariaDB 11, and before. */
const positionFiles = ['mariadb_backup_binlog_info', 'xtrabackup_binlog_info'] as const

/** Bytes of such a file at most. */
const mostOfPosition = 64 * 1024

/** Returns the text of a file of somebody else, never of a link; undefined where it cannot be read. */
function textOf(path: string): string | undefined {
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    try {
      const bytes = Buffer.alloc(mostOfPosition)
      return bytes.toString('utf8', 0, readSync(file, bytes))
    } finally {
      closeSync(file)
    }
  } catch {
    return undefined
  }
}

/** Returns the GTIDs of the transactions that a backup has. Throws a `StartError` where it names none. */
export function readPosition(folder: string): string {
  for (const name of positionFiles) {
    const [, , gtids] = textOf(join(folder, name))?.trim().split('\t') ?? []
    if (gtids !== undefined && /^\d+-\d+-\d+(?:,\d+-\d+-\d+)*$/.test(gtids)) return gtids
  }
  throw new StartError('the backup names no GTIDs: the server that it is from writes no binary log')
}
