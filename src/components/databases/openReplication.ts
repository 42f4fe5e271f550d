import type { DatabaseSettings } from '../../contracts/serverSettings.ts'
import { placeOf } from './connection.ts'
import { dialServer } from './dialServer.ts'
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
  const secret = { file: secretsFile, option: 'replication-password' }
  readPassword(secret)
  const place = placeOf(database)
  const dial = dialServer({ server: database, user: database.user, secret, purpose: 'replication' })
  return createReplication({ type: database.type, limits, place, dial })
}
