import { ProblemError } from '../../../api/problemError.ts'
import { DatabaseError } from '../../databases/databaseError.ts'
import type { SwitchReading, SwitchServer } from '../../databases/switchServer.ts'
import { type DataSource, sourcesOf } from '../dataSources.ts'
import { removableCommits } from '../replicationGraph.ts'
import type { ManagerLog } from '../serviceAssessments.ts'
import { nodeOf } from './nodes.ts'
import { repointSource } from './repointSource.ts'

/**
 * Makes a server read-only that was the writer. A commit on a source of semi-synchronous replication that nobody follows waits
 * for ever, and becomes a transaction of its own once its session is ended: so nobody is committing when sessions end.
 * Rejects with a `DatabaseError` where somebody is.
 */
async function endWrites(
  { manager }: Pick<Parameters<typeof repointSource>[0], 'manager'>,
  own: {
    readonly source: DataSource
    readonly server: SwitchServer
    readonly reading: Pick<SwitchReading, 'semiSync'>
  },
): Promise<void> {
  const { source, server, reading } = own
  const endSessions = async (): Promise<void> => server.kill((await server.sessions()).map(({ id }) => id))
  if (reading.semiSync.source) {
    try {
      await server.lockCommits()
    } catch (error) {
      await manager.check(source)
      const { known } = manager.health(source)
      if (known === null || removableCommits(known) > 0) throw error
      // Statements that run for long keep the lock away.
      await endSessions()
      await server.lockCommits()
    }
  }
  // Statements from its time as the writer would keep it from becoming read-only.
  await endSessions()
  await server.setReadOnly(true)
}

/**
 * Gives the server of this host the role in a service that it has, where its configuration file said otherwise at its
 * start, or where another one took its place while it was away. Nothing changes where a switch has its lock, or where
 * anything is different from what was decided by. Resolves to the error of a server that could not be changed.
 */
export async function keepOwnRole(
  means: Parameters<typeof repointSource>[0] & {
    readonly log: ManagerLog
    /** Ends this manager, and has its unit kill the server and start both; undefined where none does. */
    readonly crash: (() => void) | undefined
  },
  service: string,
): Promise<DatabaseError | ProblemError | undefined> {
  const { manager, open, log } = means
  // What is decided by may be as old as the row of checks.
  await Promise.allSettled(
    sourcesOf(manager.map()).flatMap((it) => (it.service === service ? [manager.check(it)] : [])),
  )
  const found = manager.ownOrder(service)
  if (!found || found.order.kind === 'wait') return undefined
  const { source, order } = found
  const { server } = nodeOf(open, source)
  const facts = { service, datasource: source.name }
  try {
    if (!(await server.lock(false))) return undefined
    if (order.kind === 'crash') {
      // No further look at it: its commits that wait may keep the log locked.
      if (!means.crash || !manager.noteCrash(service)) return undefined
      log.warn(
        facts,
        'has the server of this host killed: nothing else ends its commits that wait for a replica',
      )
      means.crash()
      return undefined
    }
    const reading = await server.read()
    const { known } = manager.health(source)
    const isSame =
      known !== null &&
      known.waitingCommits === reading.waitingCommits &&
      known.isWritable === reading.isWritable &&
      known.serverId === reading.serverId &&
      known.channels.length === reading.channels.length
    if (!isSame || manager.ownOrder(service)?.order.kind !== order.kind) return undefined
    if (order.kind === 'writable') {
      if (order.isSemiSyncSource) await server.setSemiSync({ source: true, replica: false })
      await server.setReadOnly(false)
      log.warn(facts, 'made the server of this host writable again: it was the writer before it was started')
    } else if (order.kind === 'semi-sync') {
      await server.setSemiSync({ source: true, replica: false })
      log.warn(facts, 'lets the commits of the server of this host wait for a replica again')
    } else {
      if (order.kind === 'read-only') await endWrites(means, { source, server, reading })
      if (reading.semiSync.source) await server.setSemiSync({ source: false, replica: true })
      if (order.kind === 'read-only') {
        log.warn(facts, 'made the server of this host read-only: another one is the writer')
      } else {
        // It takes the lock again, with that of the writer.
        server.close()
        await repointSource(means, { service, name: source.name }, order.to)
        log.warn(facts, 'let the server of this host follow the one that took its place')
      }
    }
  } catch (error) {
    if (!(error instanceof DatabaseError || error instanceof ProblemError)) throw error
    return error
  } finally {
    server.close()
  }
  await manager.check(source)
  return undefined
}
