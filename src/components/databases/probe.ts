import { monitorPrivileges } from '../../contracts/databaseAccounts.ts'
import type { Dial, Row } from './connection.ts'
import { DatabaseError, lacksPrivilege } from './databaseError.ts'
import type { Channel, Position } from './dialect.ts'
import { databaseTypeOf, dialects } from './dialects.ts'
import { keepConnection, type ReadLimits } from './keepConnection.ts'

/** What a server tells an account that may see its replication and nothing else. */
export type ServerReading = {
  /** What it replicates from others; none where it is nobody's replica. */
  readonly channels: readonly Channel[]
  /** Where its own binary log stands; null where it writes none, and for a replica, which is not asked. */
  readonly position: Position | null
}

/** One server that is looked at again and again. */
export type Probe = {
  /** Whether it answers after a login, and what it tells. Rejects with a `DatabaseError`. */
  read(): Promise<ServerReading>
  /** Ends its connection; what is under way is rejected. */
  close(): void
}

/** Looks at a server over one kept connection, of whichever kind the server says it is. Nothing is opened before the first look. */
export function createProbe(options: {
  readonly dial: Dial
  readonly limits: ReadLimits
  /** How messages name the server. */
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
