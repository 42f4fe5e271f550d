import type { DatabaseSettings } from '../../contracts/serverSettings.ts'
import { connect } from './connect.ts'
import { placeOf } from './connection.ts'
import { DatabaseError } from './databaseError.ts'
import { readPassword } from './readPassword.ts'
import { createReplication, type Replication, type ReplicationLimits } from './replication.ts'

/**
 * The replication of the host's own database, as the settings say. The password is read for every connection, so
 * that a new one holds without a restart. Throws a `StartError` where there is none now.
 */
export function openReplication(options: {
  readonly database: DatabaseSettings
  readonly secretsFile: string
  readonly limits: ReplicationLimits
}): Replication {
  const { database, secretsFile, limits } = options
  const { type, host, port, user } = database
  const secret = { file: secretsFile, option: 'replication-password' }
  readPassword(secret)
  return createReplication({
    type,
    limits,
    place: placeOf(database),
    dial: async (signal) => {
      try {
        return await connect(
          { host, port, user, password: readPassword(secret), purpose: 'replication' },
          signal,
        )
      } catch (error) {
        if (error instanceof DatabaseError) throw error
        throw new DatabaseError({
          code: 'refused',
          message: `The login at the database ${placeOf(database)} is not known: ${reason(error)}.`,
          cause: error,
        })
      }
    },
  })
}

const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error))
