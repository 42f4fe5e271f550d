import { monitorPrivileges } from '../../contracts/databaseAccounts.ts'
import type { Dial, Row } from './connection.ts'
import { DatabaseError, lacksPrivilege } from './databaseError.ts'
import type { Channel, Position, ServerIdentity } from './dialect.ts'
import {
  databaseTypeOf,
  dialects,
  identityStatement,
  readIdentity,
  readStatus,
  type ServerStatus,
  statusStatement,
  variablesOf,
} from './dialects.ts'
import { type GtidSet, uniteGtids } from './gtidSet.ts'
import { keepConnection, type ReadLimits } from './keepConnection.ts'
import { type Omission, omissionsOf } from './omissions.ts'

/** State of a server and of its replication, as an account that may see nothing else reads it. */
export type ServerReading = ServerIdentity &
  ServerStatus & {
    /** GTIDs that it has; null where nothing is known of them. */
    readonly gtids: GtidSet | null
    /** Its inbound channels; none where it is nobody's replica. */
    readonly channels: readonly Channel[]
    /** Position of its own binary log; null where it writes none, and for a replica, which is not asked. */
    readonly position: Position | null
    /** Settings by which it leaves something out; of its binary log those of a replica are not asked for. */
    readonly omissions: readonly Omission[]
  }

/** Returns the GTIDs that a server has or has received; null where nothing is known of them. */
export function receivedGtids({
  gtids,
  channels,
}: Pick<ServerReading, 'gtids' | 'channels'>): GtidSet | null {
  const all = [gtids, ...channels.map((it) => it.receivedGtids)]
  const known = all.filter((it) => it !== null)
  return known.length === all.length ? uniteGtids(known) : null
}

/** Channels that are read of a server that names more: none of a cluster has as many. */
const mostChannels = 100

/** One server that is looked at again and again. */
export type Probe = {
  /** Reads its replication after a login. Rejects with a `DatabaseError`. */
  read(): Promise<ServerReading>
  /** Ends its connection; what is under way is rejected. */
  close(): void
}

/** Reads a server, by the kind that it names; `askPosition` asks where its log stands. */
export async function readServer(
  ask: (statement: string) => Promise<readonly Row[]>,
  askPosition: (statement: string, status: ServerStatus) => Promise<readonly Row[]> = (statement) =>
    ask(statement),
): Promise<ServerReading> {
  // Every time: another server may have taken the place of this one.
  const variables = await ask(identityStatement)
  const identity = readIdentity(variables)
  const type = databaseTypeOf(identity.version)
  const dialect = dialects[type]
  const status = readStatus(await ask(statusStatement))
  try {
    const [more = {}] = await ask(dialect.gtids)
    const gtids = dialect.readGtids(more)
    const rows = await ask(dialect.channels)
    const channels = rows.slice(0, mostChannels).map((row) => dialect.readChannel(row))
    const [log] = channels.length > 0 ? [] : await askPosition(dialect.position[0], status)
    const position = log ? dialect.readPosition(log, more) : null
    const omissions = omissionsOf({ channels: rows.slice(0, mostChannels), log, set: variablesOf(variables) })
    return { ...identity, ...status, gtids, channels, position, omissions }
  } catch (error) {
    if (!(error instanceof DatabaseError) || !lacksPrivilege(error)) throw error
    const { code, number = 0, message } = error
    const told = `${message} It needs ${monitorPrivileges(type)}.`
    throw new DatabaseError({ code, number, message: told, cause: error })
  }
}

/** Milliseconds for the position of a log: of a server with commits that wait for a replica, and of any other. */
const positionLimits = { waiting: 500, usual: 3000 }

/** Reads a server over one kept connection. Nothing is opened before the first reading. */
export function createProbe(options: {
  readonly dial: Dial
  readonly limits: ReadLimits
  /** Name of the server for messages. */
  readonly place: string
  /** Called when the server has ended the connection, or its host did. */
  readonly onLost?: () => void
}): Probe {
  const kept = keepConnection(options)
  /** Acknowledged commits when the log was found to be locked; undefined while it is not. */
  let lockedAt: number | null | undefined

  /**
   * Commits that wait for a replica keep the log locked, once more come behind them, for as long as none of them is
   * acknowledged: whoever asks where it stands waits with them, and the server keeps the connection. So that is asked once. A
   * server that hung may have got them just after it was asked what waits.
   */
  async function askPosition(statement: string, status: ServerStatus): Promise<readonly Row[]> {
    const { waitingCommits, acknowledged } = status
    if (waitingCommits === 0 || acknowledged !== lockedAt) lockedAt = undefined
    if (lockedAt !== undefined) return []
    try {
      return await kept.read(statement, waitingCommits === 0 ? positionLimits.usual : positionLimits.waiting)
    } catch (error) {
      if (!(error instanceof DatabaseError) || error.code !== 'timeout') throw error
      lockedAt = acknowledged
      return []
    }
  }

  return {
    read: () => readServer((statement) => kept.read(statement), askPosition),
    close: () => kept.close(),
  }
}
