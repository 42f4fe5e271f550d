import { connect, type DialLimits } from './connect.ts'
import { type AccountPurpose, type DatabaseAccount, type Dial, placeOf } from './connection.ts'
import { DatabaseError } from './databaseError.ts'
import { readPassword } from './readPassword.ts'

const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/**
 * What opens connections to a server with an account whose password the secrets file holds. It is read for every
 * connection, so that a new one holds without a restart.
 */
export const dialServer =
  (options: {
    readonly server: Pick<DatabaseAccount, 'host' | 'port'>
    readonly user: string
    readonly secret: { readonly file: string; readonly option: string }
    readonly purpose: AccountPurpose
    readonly limits?: DialLimits
  }): Dial =>
  async (signal) => {
    const { server, user, secret, purpose, limits } = options
    const { host, port } = server
    try {
      const account = { host, port, user, password: readPassword(secret), purpose }
      return await connect(account, signal, limits)
    } catch (error) {
      if (error instanceof DatabaseError) throw error
      throw new DatabaseError({
        code: 'refused',
        message: `The login at the database ${placeOf(server)} is not known: ${reason(error)}.`,
        cause: error,
      })
    }
  }
