/**
 * How a call of a database can fail: it said no; it cannot be reached; it did not answer in time; it has no
 * replication, or none of that name; its replication runs and must be stopped first.
 */
export type DatabaseErrorCode =
  | 'refused'
  | 'unreachable'
  | 'timeout'
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

/** Whether the account may not do what was asked of the server: ER_SPECIFIC_ACCESS_DENIED, ER_TABLEACCESS_DENIED. */
export const lacksPrivilege = ({ number }: DatabaseError): boolean => number === 1227 || number === 1142
