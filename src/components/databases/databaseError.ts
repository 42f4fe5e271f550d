import { systemReason } from '../../base/systemErrors.ts'
import { type DatabaseAccount, placeOf } from './connection.ts'

/**
 * Ways in which a call of a database fails: it said no; it cannot be reached; it did not answer in time; it did not prove
 * itself; it has no replication, or none of that name; its replication runs and must be stopped first.
 */
export type DatabaseErrorCode =
  | 'refused'
  | 'unreachable'
  | 'timeout'
  | 'unproven'
  | 'not-configured'
  | 'no-channel'
  | 'running'

/** A call of a database that failed; the message is for people and holds neither password nor statement. */
export class DatabaseError extends Error {
  readonly code: DatabaseErrorCode
  /** The server's own error number, such as 1045; absent where the server itself said nothing. */
  readonly number?: number

  constructor(facts: {
    readonly code: DatabaseErrorCode
    readonly message: string
    readonly number?: number
    readonly cause?: unknown
  }) {
    super(facts.message, { cause: facts.cause })
    this.name = 'DatabaseError'
    this.code = facts.code
    if (facts.number !== undefined) this.number = facts.number
  }
}

/** Returns true if the account lacks a privilege: ER_SPECIFIC_ACCESS_DENIED, ER_TABLEACCESS_DENIED. */
export const lacksPrivilege = ({ number }: DatabaseError): boolean => number === 1227 || number === 1142

/** Meanings of the server's numbers for replication; the same in MariaDB and MySQL where both have them. */
const meanings: Readonly<Record<number, DatabaseErrorCode>> = {
  1198: 'running',
  1200: 'not-configured',
  1617: 'no-channel',
  3074: 'no-channel',
  3081: 'running',
}

function fixOf(number: number, account: DatabaseAccount): string {
  switch (number) {
    case 1045:
    case 1698:
      return account.purpose === undefined
        ? ''
        : ` Check ${account.purpose}-user and ${account.purpose}-password.`
    case 1142:
    case 1227:
      return ` Grant what is missing to the user '${account.user}' on this server.`
    case 1129:
      return (
        ' It works, but blocks this host after too many broken logins: run FLUSH HOSTS there, and raise ' +
        'max_connect_errors.'
      )
    default:
      return ''
  }
}

/** ER_ACCESS_DENIED_ERROR and ER_ACCESS_DENIED_NO_PASSWORD_ERROR. */
const isLoginRefusal = (number: number): boolean => number === 1045 || number === 1698

const member = (error: unknown, name: string): unknown =>
  typeof error === 'object' && error !== null ? Reflect.get(error, name) : undefined

/** Returns the error of the network or the client library as the end of a sentence. */
function reasonOf(code: string): readonly [DatabaseErrorCode, string] {
  switch (code) {
    case 'ECONNREFUSED':
      return ['unreachable', 'cannot be reached: nothing listens there. Start the database.']
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return ['unreachable', 'cannot be reached: its name is unknown on this host.']
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return ['unreachable', 'cannot be reached: no route to this address.']
    case 'ETIMEDOUT':
      return ['timeout', 'did not answer in time.']
    case 'PROTOCOL_CONNECTION_LOST':
    case 'ECONNRESET':
    case 'EPIPE':
      return ['unreachable', 'broke the connection off.']
    case 'HANDSHAKE_NO_SSL_SUPPORT':
      return [
        'unproven',
        'takes no TLS. Give it a certificate that database-tls-authority proves, or remove that option.',
      ]
    case 'MYSQL_CLEAR_PASSWORD_NOT_ENABLED':
      return ['refused', 'wants the password in clear text, which is never sent.']
    case 'AUTH_SWITCH_PLUGIN_ERROR':
      return [
        'refused',
        'wants a way of login that is not supported. Use caching_sha2_password or mysql_native_password.',
      ]
    default:
      return ['unreachable', `cannot be used (${systemReason(code) ?? code}).`]
  }
}

/**
 * Translates an error of the client library. For an error of the server it gives the number and the message,
 * which name the account but never its password; for any other the code alone. A `DatabaseError` stays what it is.
 */
export function toDatabaseError(error: unknown, account: DatabaseAccount): DatabaseError {
  if (error instanceof DatabaseError) return error
  const place = `The database ${placeOf(account)}`
  const number = member(error, 'errno')
  const words = member(error, 'sqlMessage')
  if (typeof number === 'number' && typeof words === 'string') {
    const said = isLoginRefusal(number) ? `rejected login '${account.user}':` : 'reported'
    const told = words.trim().replace(/([^.])$/, '$1.')
    return new DatabaseError({
      code: meanings[number] ?? 'refused',
      message: `${place} ${said} ERROR ${number}: ${told}${fixOf(number, account)}`,
      number,
      cause: error,
    })
  }
  const [code, reason] = reasonOf(String(member(error, 'code') ?? 'no reason given'))
  return new DatabaseError({ code, message: `${place} ${reason}`, cause: error })
}
