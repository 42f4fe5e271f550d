import { readText } from '../../api/serverFiles.ts'
import { StartError } from '../../api/startError.ts'
import { Secret } from '../../secrets/secret.ts'
import { connect, type DialLimits } from './connect.ts'
import { type AccountPurpose, type DatabaseAccount, type Dial, placeOf } from './connection.ts'
import { DatabaseError } from './databaseError.ts'

function parse(text: string, file: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The parser quotes what it could not read.
    throw new StartError(`the secrets ${file} are not JSON; install again to write them anew`)
  }
}

/**
 * Reads the password of an option in the secrets file, such as `replication-password`. Throws a `StartError`
 * that never quotes the file.
 */
export function readPassword(options: { readonly file: string; readonly option: string }): Secret {
  const { file, option } = options
  const content = parse(readText(file, 'the secrets'), file)
  if (typeof content === 'object' && content !== null && Object.hasOwn(content, option)) {
    const password: unknown = Reflect.get(content, option)
    if (typeof password === 'string') return new Secret(password)
  }
  throw new StartError(`the secrets ${file} hold no ${option}; set it and install again`)
}

const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/**
 * Returns a function that opens connections to a server with a password of the secrets file. It is read for every
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
