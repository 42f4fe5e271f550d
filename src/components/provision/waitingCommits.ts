import { resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { StartError } from '../../api/startError.ts'
import type { ServerSettings } from '../../contracts/serverSettings.ts'
import { containsGtids, type GtidSet, gtidText, readMysqlGtids, uniteGtids } from '../databases/gtidSet.ts'
import { findUncommitted } from './binaryLog.ts'
import type { OwnDatabase } from './engine.ts'
import { findDatabase } from './hostDatabase.ts'
import { askServer, asOwner, type Program, runProgram, startProgram } from './program.ts'

/**
 * Milliseconds within which a server that works tells what it has committed, and within which its log is read; and for which
 * nothing may be committed before it is killed.
 */
const limits = { tell: 3000, read: 20_000, still: 300 }

/** State of a MySQL before it is killed: what its engine has committed, and where its logs are. */
export type Committed = Pick<OwnDatabase, 'folder' | 'owner'> & {
  readonly gtids: GtidSet
  /** Path of the list of its logs. */
  readonly index: string
}

/** Counts the sessions whose commits wait for a replica; releases before 8.0.26 have the second name. */
const waitingSessions = `(SELECT MAX(variable_value) FROM performance_schema.global_status
WHERE variable_name IN ('Rpl_semi_sync_source_wait_sessions', 'Rpl_semi_sync_master_wait_sessions'))`

const state = `SELECT REPLACE(@@GLOBAL.gtid_executed, '\\n', ''), @@GLOBAL.binlog_order_commits, @@GLOBAL.log_bin_index, ${waitingSessions} > 0`

/**
 * Reads what the MySQL of a manager's host has committed. Undefined for a MariaDB, which removes by itself what it had not, and
 * where no commit waits for a replica. Rejects with a `StartError`, also where commits go on: what is committed between this and
 * the kill would be cut off, too.
 */
export async function readCommitted(
  settings: Pick<ServerSettings, 'services' | 'member'>,
): Promise<Committed | undefined> {
  const own = await findDatabase(settings)
  if (own.engine.client !== 'mysql') return undefined
  // time: one that hangs is killed without that.
  const signal = AbortSignal.timeout(limits.tell)
  const tell = async (): Promise<readonly string[]> =>
    (await askServer(own, state, { signal })).trimEnd().split('\t')
  const [first, , , waited] = await tell()
  // time: a replica that is there acknowledges in less.
  await wait(limits.still)
  const [executed = '', isInOrder, index = '', waits] = await tell()
  if (waited !== '1' || waits !== '1') return undefined
  const gtids = readMysqlGtids(executed)
  if (gtids === null || isInOrder !== '1' || executed !== first) {
    throw new StartError('what it has committed cannot be told from what waits')
  }
  const { folder, owner } = own
  return { gtids, index: resolve(folder, index), folder, owner }
}

/**
 * Removes from the log of a MySQL that was killed what its engine had not committed, as commits that wait for a replica: it would
 * commit that when it starts. All is done by the rights of its owner. Returns the GTIDs, none for none. Rejects with a
 * `StartError`, and then nothing was removed, also where `isStopped` is false in the last moment.
 */
export async function removeWaiting(
  { gtids, index, folder, owner }: Committed,
  isStopped: () => Promise<boolean>,
): Promise<string> {
  const run = (...program: Program): Promise<string> => runProgram(asOwner(owner, program))
  const last = (await run('tail', '-n', '1', '--', index)).trimEnd()
  const path = resolve(folder, last)
  // time: the server is stopped meanwhile.
  const signal = AbortSignal.timeout(limits.read)
  const { child, ended } = await startProgram(asOwner(owner, ['cat', '--', path]), {
    ...{ input: 'ignore', output: 'pipe', signal },
  })
  if (!child.stdout) throw new Error('the program has no output')
  const isCommitted = (gtid: string): boolean => {
    const one = readMysqlGtids(gtid)
    return one === null || containsGtids(gtids, one)
  }
  const found = await findUncommitted(child.stdout, isCommitted)
  if (!found) {
    // Where that is found out early, the rest is not read. One that has no more to say may be about to fail.
    if (!child.stdout.readableEnded) child.kill()
    await ended.catch((error: unknown) => {
      if (signal.aborted || child.signalCode === null) throw error
    })
    return ''
  }
  await ended
  if (!(await isStopped())) throw new StartError('it was started by somebody else meanwhile')
  await run('truncate', `--size=${found.at}`, '--', path)
  await run('sync', '--', path)
  return gtidText(uniteGtids(found.gtids.flatMap((it) => readMysqlGtids(it) ?? [])))
}
