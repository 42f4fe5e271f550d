import type { Secret } from '../../secrets/secret.ts'
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
  /** Null: it is not encrypted. */
  readonly tls: ReplicationTls | null
}

/** Position of a server's own binary log; `sequence` as in `Channel`. */
export type Position = { readonly written: string; readonly sequence: number | null }

/** Identity of a server, in its own words, whether it replicates or not. */
export type ServerIdentity = {
  readonly version: string
  /** True if accounts without special privileges may write. */
  readonly isWritable: boolean
  readonly serverId: number | null
  /** Of MySQL alone. */
  readonly uuid: string | null
  /** Semi-synchronous replication: a server without it has both off. */
  readonly semiSync: { readonly source: boolean; readonly replica: boolean }
  /**
   * Settings, as they have to be, that it lacks for that: it tells no client of a commit before another server has it, and
   * nobody reads it before.
   */
  readonly ackGaps: readonly string[]
  /**
   * True if it takes back transactions that it wrote itself once and lost in a crash. Others leave out, without a word,
   * what has their own number. MariaDB takes them with `gtid_strict_mode` as a semi-synchronous replica (MDEV-21117).
   */
  readonly takesOwn: boolean
  /** Networks from which it takes the PROXY protocol, as the server lists them; empty for none. Of MariaDB alone. */
  readonly proxyNetworks: string
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
  readonly switching: SwitchStatements
}

/** How a channel proves its source and itself; paths are those of the server's own host. */
export type ReplicationTls = {
  readonly verify: boolean
  /** Files and folders, each empty where none is set. */
  readonly ca: string
  readonly caPath: string
  readonly certificate: string
  readonly key: string
}

/** How a server reaches the one that it is to follow. */
export type Source = {
  readonly host: string
  readonly port: number
  /** Without one the server keeps the account of its channel, and how it uses TLS. */
  readonly account?: { readonly user: string; readonly password: Secret }
  /** With an account; null, as without it: no TLS. */
  readonly tls?: ReplicationTls | null
}

/** Statements of a switch, each without a result unless told. */
type SwitchStatements = {
  /** Statements that its connection begins with, so that nothing but the switch ends its statements. */
  readonly session: readonly string[]
  /**
   * Columns `id`, `user`, `command` and `milliseconds` of the connections of clients, but for these users; `misleads` is 1
   * where the statement would be read as a transaction in the text of `status`.
   */
  readonly sessions: (leftOut: readonly string[]) => string
  /** Columns `id` of a connection, `number` and `seconds` of its transaction. */
  readonly transactions: string
  /**
   * The same as a text that may be asked for at any time, where `transactions` may be this many milliseconds old; no text
   * where it never is.
   */
  readonly status: { readonly statement: string; readonly age: number } | null
  /** Ends connections. */
  readonly kill: (ids: readonly number[]) => readonly string[]
  readonly setReadOnly: (isReadOnly: boolean) => readonly string[]
  /** Scope of SET in which a server keeps a value; that of MySQL is also there after its next start. */
  readonly scope: 'GLOBAL' | 'PERSIST'
  /**
   * Statements after `setReadOnly(true)` that keep sessions of any right from committing, and the one that ends that; its
   * end is also that of the connection. Null where a read-only server lets nobody commit.
   */
  readonly commitLock: { readonly take: string; readonly release: string } | null
  /** Statements that end and begin the event scheduler; null where events write to no read-only server. */
  readonly eventScheduler: { readonly stop: string; readonly start: string } | null
  /** Columns `schema` and `name` of the events that the server has by replication and does not run, if it runs others. */
  readonly disabledEvents: string
  /** Columns `log` with what the binary log has and `applied` with what replication has applied. */
  readonly written: string
  /** Column `result`: 0 once they are applied. */
  readonly waitFor: (gtids: string, seconds: number) => string
  readonly stopAll: string
  /** Stops the receiver of a channel; its applier goes on with what is here. */
  readonly stopReceiver: (channel: string) => string
  readonly startAll: string
  /** Removes a stopped channel. */
  readonly forget: (channel: string) => string
  /** Statements before `follow` on a server without channels, by the columns of `written`; null if they are no GTIDs. */
  readonly begin: (log: string, applied: string) => readonly string[] | null
  readonly follow: (channel: string, source: Source) => string
  /**
   * Statements by which a server without channels begins to follow under `commitLock`, from all that it has written and
   * replicated, and those by which a stopped channel that began so goes on as `follow` sets it; none for any other channel.
   */
  readonly followLocked: (source: Source) => readonly string[]
  readonly afterLocked: (
    row: Row,
    /** Position under the lock, and what it has applied by now; undefined where nobody saw it under the lock. */
    positions: { readonly locked: string; readonly applied: string } | undefined,
  ) => readonly string[]
  /** Characters that the password of a channel may have. */
  readonly longestPassword: number
}

/** Statement of `disabledEvents`; MariaDB and MySQL begin the status in different ways. */
export const disabledEvents =
  'SELECT EVENT_SCHEMA AS `schema`, EVENT_NAME AS name FROM information_schema.EVENTS ' +
  "WHERE STATUS LIKE '%SIDE\\_DISABLED' AND @@GLOBAL.event_scheduler = 'ON' ORDER BY EVENT_SCHEMA, EVENT_NAME LIMIT 1000"

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

/** Returns the assignments of a statement, without those that are undefined. */
export const assignments = (values: Readonly<Record<string, string | undefined>>): string =>
  Object.entries(values)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]))
    .join(', ')

/** Returns how a channel uses TLS by its row, whose columns are `<prefix>_Allowed`, `<prefix>_CA_File` and so on. */
export function replicationTls(row: Row, prefix: string): ReplicationTls | null {
  if (row[`${prefix}_Allowed`] !== 'Yes') return null
  const path = (name: string): string => text(row, `${prefix}_${name}`).slice(0, mostPath)
  return {
    verify: row[`${prefix}_Verify_Server_Cert`] === 'Yes',
    ca: path('CA_File'),
    caPath: path('CA_Path'),
    certificate: path('Cert'),
    key: path('Key'),
  }
}

/** Characters of a path that a server names (limits.h, PATH_MAX). */
const mostPath = 4096

const quotedOrNone = (text: string): string | undefined => (text === '' ? undefined : quoteText(text))

/** Returns the assignments of a channel's source; names begin with MASTER in MariaDB, SOURCE in MySQL. */
export function sourceAssignments(word: 'MASTER' | 'SOURCE', { host, port, account, tls }: Source): string {
  const address = { [`${word}_HOST`]: quoteText(host), [`${word}_PORT`]: String(port) }
  if (account === undefined) return assignments(address)
  return assignments({
    ...address,
    [`${word}_USER`]: quoteText(account.user),
    [`${word}_PASSWORD`]: quoteText(account.password.reveal()),
    // The server's default is a minute, for which nothing would be replicated after a first attempt that fails.
    [`${word}_CONNECT_RETRY`]: '5',
    [`${word}_SSL`]: tls ? '1' : '0',
    ...(tls && {
      [`${word}_SSL_CA`]: quotedOrNone(tls.ca),
      [`${word}_SSL_CAPATH`]: quotedOrNone(tls.caPath),
      [`${word}_SSL_CERT`]: quotedOrNone(tls.certificate),
      [`${word}_SSL_KEY`]: quotedOrNone(tls.key),
      [`${word}_SSL_VERIFY_SERVER_CERT`]: tls.verify ? '1' : '0',
    }),
  })
}
