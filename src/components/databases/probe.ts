import { monitorPrivileges } from '../../contracts/databaseAccounts.ts'
import type { Dial, Row } from './connection.ts'
import { DatabaseError, lacksPrivilege } from './databaseError.ts'
import type { Channel, Position } from './dialect.ts'
import { databaseTypeOf, dialects } from './dialects.ts'
import { keepConnection, type ReadLimits } from './keepConnection.ts'

/** Replication state of a server, as an account that may see nothing else reads it. */
export type ServerReading = {
  /** Its inbound channels; none where it is nobody's replica. */
  readonly channels: readonly Channel[]
  /** Position of its own binary log; null where it writes none, and for a replica, which is not asked. */
  readonly position: Position | null
}

/** One server that is looked at again and again. */
export type Probe = {
  /** Reads its replication after a login. Rejects with a `DatabaseError`. */
  read(): Promise<ServerReading>
  /** Ends its connection; what is under way is rejected. */
  close(): void
}

/** Reads a server over one kept connection, by the kind that the server names. Nothing is opened before the first reading. */
export function createProbe(options: {
  readonly dial: Dial
  readonly limits: ReadLimits
  /** Name of the server for messages. */
  readonly place: string
}): Probe {
  const kept = keepConnection(options)

  async function readAs(version: string): Promise<ServerReading> {
    const type = databaseTypeOf(version)
    const dialect = dialects[type]
    try {
      const channels = (await kept.read(dialect.channels)).map((row) => dialect.readChannel(row))
      if (channels.length > 0) return { channels, position: null }
      const [first, second] = dialect.position
      const [log] = await kept.read(first)
      if (!log) return { channels, position: null }
      const [more = {}]: readonly Row[] = await kept.read(second)
      return { channels, position: dialect.readPosition(log, more) }
    } catch (error) {
      if (!(error instanceof DatabaseError) || !lacksPrivilege(error)) throw error
      const { code, number = 0, message } = error
      const told = `${message} It needs ${monitorPrivileges(type)}.`
      throw new DatabaseError({ code, number, message: told, cause: error })
    }
  }

  return {
    read: async () => {
      // Every time: another server may have taken the place of this one.
      const [row] = await kept.read('SELECT VERSION() AS version')
      return readAs(row?.version ?? '')
    },
    close: () => kept.close(),
  }
}
