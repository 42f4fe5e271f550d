import type { DatabaseType } from '../../contracts/choices.ts'
import type { DatabaseSettings, ServerSettings } from '../../contracts/serverSettings.ts'
import { type Connection, type Dial, placeOf } from './connection.ts'
import { DatabaseError } from './databaseError.ts'
import type { Channel, Dialect, Position } from './dialect.ts'
import { databaseTypeOf, dialects } from './dialects.ts'
import { dialServer, proofOf, readPassword } from './dialServer.ts'
import { keepConnection, type ReadLimits } from './keepConnection.ts'
import { withTimeout } from './withTimeout.ts'

type ReplicationLimits = ReadLimits & {
  /** Milliseconds after which a change that the server does not end is given up for lost. */
  readonly change: number
}

/** The replication of one database server; everything rejects with a `DatabaseError`. */
export type Replication = {
  /** Its channels, none where it is no replica. */
  channels(): Promise<readonly Channel[]>
  /** Position of its own binary log; null where it writes none. */
  position(): Promise<Position | null>
  /** Starts both threads of a channel; resolves when the server has done it, however long that takes. */
  start(channel: string): Promise<void>
  /** Stops both threads of a channel; the server first ends what cannot be rolled back. */
  stop(channel: string): Promise<void>
  /** Makes a stopped channel forget how far it has come; with GTIDs the server still knows what it has. */
  reset(channel: string): Promise<void>
  /** Ends its connections. */
  close(): void
}

async function refuseOtherKind(
  opened: Connection,
  options: { dialect: Dialect; place: string },
): Promise<void> {
  const { dialect, place } = options
  const [row] = await opened.query('SELECT VERSION() AS version')
  const version = row?.version ?? ''
  const { title } = dialects[databaseTypeOf(version)]
  if (title === dialect.title) return
  throw new DatabaseError({
    code: 'refused',
    message: `The database ${place} is ${title} (${version}), not ${dialect.title}. Correct datasource-type.`,
  })
}

/** Speaks of replication with a server of this kind. Nothing is opened before the first call. */
export function createReplication(options: {
  readonly type: DatabaseType
  readonly dial: Dial
  readonly limits: ReplicationLimits
  /** Name of the server for messages. */
  readonly place: string
}): Replication {
  const { limits, place } = options
  const dialect = dialects[options.type]
  const end = new AbortController()
  const dial: Dial = async (signal) => {
    const opened = await options.dial(signal)
    try {
      await refuseOtherKind(opened, { dialect, place })
      return opened
    } catch (error) {
      opened.close()
      throw error
    }
  }
  const kept = keepConnection({ dial, limits, place })

  const late = (): DatabaseError =>
    new DatabaseError({ code: 'timeout', message: `The database ${place} did not answer in time.` })

  /** Runs on a connection of its own, since the server does nothing else on it until it is done. */
  async function change(statement: string): Promise<void> {
    const attempt = new AbortController()
    // Not AbortSignal.any: Node.js 20 keeps what was made of a signal for as long as that signal lives.
    const stop = (): void => attempt.abort()
    end.signal.addEventListener('abort', stop)
    if (end.signal.aborted) stop()
    const dialled = dial(attempt.signal)
    try {
      const opened = await withTimeout({ milliseconds: limits.connect, work: dialled, late })
      const work = opened
        // So that a name in quotes means the same whatever the server's own sql_mode is.
        .query("SET SESSION sql_mode = ''")
        .then(() => opened.query(statement))
      await withTimeout({ milliseconds: limits.change, work, late })
    } finally {
      // Only then: a login that is broken off is what servers count against this host (max_connect_errors).
      dialled
        .then((opened) => opened.close())
        .catch(() => undefined)
        .finally(() => end.signal.removeEventListener('abort', stop))
    }
  }

  return {
    channels: async () => (await kept.read(dialect.channels)).map((row) => dialect.readChannel(row)),
    position: async () => {
      const [first, second] = dialect.position
      const [log] = await kept.read(first)
      if (!log) return null
      const [more = {}] = await kept.read(second)
      return dialect.readPosition(log, more)
    },
    start: (channel) => change(dialect.start(channel)),
    stop: (channel) => change(dialect.stop(channel)),
    reset: (channel) => change(dialect.reset(channel)),
    close: () => {
      kept.close()
      end.abort()
    },
  }
}

/**
 * Opens the replication of the host's own database, by its settings. The password is read for every connection, so
 * that a new one holds without a restart. Throws a `StartError` where there is none now.
 */
export function openReplication(
  options: Pick<ServerSettings, 'databaseProof'> & {
    readonly database: DatabaseSettings
    readonly secretsFile: string
    readonly limits: ReplicationLimits
  },
): Replication {
  const { database, secretsFile, limits } = options
  const secret = { file: secretsFile, option: 'replication-password' }
  readPassword(secret)
  const place = placeOf(database)
  const dial = dialServer({
    ...{ server: database, user: database.user, secret, purpose: 'replication' },
    proof: proofOf(options),
  })
  return createReplication({ type: database.type, limits, place, dial })
}
