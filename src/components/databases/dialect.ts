import type { Row } from './connection.ts'
import { DatabaseError } from './databaseError.ts'
import type { GtidSet } from './gtidSet.ts'

/**
 * A text as a literal of SQL, for names of channels, which both kinds of server take as literals. It holds only
 * with the sql_mode that `replication` sets before: without NO_BACKSLASH_ESCAPES.
 */
export const quoteText = (text: string): string => `'${text.replaceAll(/[\\']/g, '\\$&')}'`

/** An error that a thread of replication stopped or waits with: the server's number and words. */
export type ThreadError = { readonly number: number; readonly message: string }

/** One inbound replication of a server, whatever the kind of server calls it (channel, connection). */
export type Channel = {
  /** Empty for the one without a name. */
  readonly name: string
  readonly source: { readonly host: string; readonly port: number }
  /** server_id of the source, known from the first connection on. */
  readonly sourceId: number | null
  /** The thread that fetches from the primary; `connecting` also between its attempts. */
  readonly receiver: 'running' | 'connecting' | 'stopped'
  readonly receiverError: ThreadError | null
  /** The thread that applies what was fetched. */
  readonly applier: 'running' | 'stopped'
  readonly applierError: ThreadError | null
  /** Whole seconds that the applier is behind, as the server says; null while it cannot say. */
  readonly secondsBehind: number | null
  /** Position of the receiver in the primary's binary log, such as `bin.000002:1307`; null before the first fetch. */
  readonly received: string | null
  /** Position of the applier, in the same form. */
  readonly applied: string | null
  /** Number of the last applied transaction within its GTID; null without GTIDs, and where several domains differ. */
  readonly sequence: number | null
  /** True if it asks the primary by GTID; otherwise by file and offset. */
  readonly byGtid: boolean
  /** GTIDs that it has received; null without GTIDs. */
  readonly receivedGtids: GtidSet | null
  /** Seconds by which it applies later on purpose. */
  readonly delay: number
}

/** Position of a server's own binary log; `sequence` as in `Channel`. */
export type Position = { readonly written: string; readonly sequence: number | null }

/** What a server says of itself, whether it replicates or not. */
export type ServerIdentity = {
  readonly version: string
  /** True if accounts without special privileges may write. */
  readonly isWritable: boolean
  readonly serverId: number | null
  /** Of MySQL alone. */
  readonly uuid: string | null
  /** Semi-synchronous replication: a server without it has both off. */
  readonly semiSync: { readonly source: boolean; readonly replica: boolean }
}

/** Statements of one kind of server, and how their results are read. */
export type Dialect = {
  /** The name that people know. */
  readonly title: string
  readonly channels: string
  readonly readChannel: (row: Row) => Channel
  /** Statements about the server's own binary log; the first returns no row where it is switched off. */
  readonly position: readonly [string, string]
  readonly readPosition: (log: Row, more: Row) => Position
  /** GTIDs that the server has, with the columns of the second statement of `position`. */
  readonly gtids: string
  /** Null where the server says something that is no set of GTIDs. */
  readonly readGtids: (row: Row) => GtidSet | null
  readonly start: (channel: string) => string
  readonly stop: (channel: string) => string
  readonly reset: (channel: string) => string
}

/** Returns the text of a column. Throws a `DatabaseError` where the server sent none: another version than is known here. */
export function text(row: Row, column: string): string {
  const value = row[column]
  if (typeof value === 'string') return value
  throw new DatabaseError({
    code: 'refused',
    message: `The database answered without the column ${column}: this version of it is not supported.`,
  })
}

/** Returns the number of a column; null for NULL. */
export function numberOrNull(row: Row, column: string): number | null {
  if (row[column] === null) return null
  const value = Number(text(row, column))
  return Number.isSafeInteger(value) ? value : null
}

/** Returns the state of the thread that fetches. MariaDB and MySQL say Yes, No, and else that it is on its way. */
export function receiver(row: Row, column: string): Channel['receiver'] {
  const word = text(row, column)
  if (word === 'Yes') return 'running'
  return word === 'No' ? 'stopped' : 'connecting'
}

/** Returns the state of the thread that applies. */
export const applier = (row: Row, column: string): Channel['applier'] =>
  text(row, column) === 'Yes' ? 'running' : 'stopped'

/** Returns the error of a thread whose columns are `<prefix>_Errno` and `<prefix>_Error`; null for number 0. */
export function threadError(row: Row, prefix: 'Last_IO' | 'Last_SQL'): ThreadError | null {
  const number = numberOrNull(row, `${prefix}_Errno`) ?? 0
  return number === 0 ? null : { number, message: text(row, `${prefix}_Error`) }
}

/** File and offset as one text, such as `bin.000002:1307`; null where there is no file yet. */
export function logPosition(row: Row, columns: readonly [file: string, offset: string]): string | null {
  const [file, offset] = columns
  return text(row, file) === '' ? null : `${text(row, file)}:${text(row, offset)}`
}

/** Returns the server_id of a column, where a server that never connected has 0. */
export const sourceId = (row: Row, column: string): number | null => numberOrNull(row, column) || null

/** Returns the seconds of delay of a channel; versions without the column have none. */
export const delay = (row: Row): number => (row.SQL_Delay == null ? 0 : (numberOrNull(row, 'SQL_Delay') ?? 0))
