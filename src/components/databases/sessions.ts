import { setTimeout as wait } from 'node:timers/promises'
import type { Row } from './connection.ts'
import { DatabaseError } from './databaseError.ts'
import { type Dialect, numberOrNull, text } from './dialect.ts'
import { readInnodbStatus, type Transaction } from './innodbStatus.ts'

/** A client's connection to a server, as a switch sees it; those of replication and of the switch itself are none. */
export type Session = {
  readonly id: number
  readonly user: string
  /** Milliseconds since it runs its statement, or since its last one ended; whole seconds of MySQL. */
  readonly milliseconds: number
  readonly isIdle: boolean
  /**
   * The transaction that it is in; null for none. Another id is another transaction. The same id may be two that only read.
   * MariaDB knows a transaction from its first statement on a table, not from BEGIN.
   */
  readonly transaction: { readonly id: string; readonly seconds: number } | null
}

/** User whom servers name for a connection that has not logged in yet. */
export const beforeLogin = 'unauthenticated user'

/** Connections of clients that are read of a server: more than max_connections can be. */
const mostConnections = 100_000

/** Returns the id of a connection: a whole number above 0. */
export function connectionId(row: Row, column: string): number {
  const id = numberOrNull(row, column)
  if (id !== null && isConnectionId(id)) return id
  throw unknownConnection()
}

/** Tells whether a number may be the id of a connection. */
export const isConnectionId = (id: number): boolean => Number.isSafeInteger(id) && id > 0

/** Returns the error about a connection whose id is none. */
export const unknownConnection = (): DatabaseError =>
  new DatabaseError({ code: 'refused', message: 'The database named a connection without a number.' })

const number = (row: Row, column: string): number => {
  const value = Number(row[column] ?? 0)
  return Number.isFinite(value) ? Math.max(0, value) : 0
}

type Ask = (statement: string) => Promise<readonly Row[]>

/** Returns a reader of the clients of one server. */
export function createSessionReader(options: {
  readonly ask: Ask
  /** Users of replication and of the managers, whose connections are none of clients. */
  readonly leftOut: readonly string[]
  /** Milliseconds that never go back. */
  readonly now: () => number
}): (switching: Dialect['switching']) => Promise<readonly Session[]> {
  const { ask, leftOut, now } = options
  const readTransactions = createTransactionReader({ ask, now })
  const nameTransactions = createTransactionNames()
  return async (switching) => {
    const rows = (await ask(switching.sessions(leftOut))).slice(0, mostConnections)
    const found = await readTransactions(
      switching,
      rows.some((row) => row.misleads === '1'),
    )
    const named = nameTransactions(found)
    return rows.map((row) => {
      const id = connectionId(row, 'id')
      const transaction = named.get(id)
      return {
        id,
        user: text(row, 'user'),
        milliseconds: number(row, 'milliseconds'),
        isIdle: text(row, 'command') === 'Sleep',
        transaction: transaction ? { id: transaction.id, seconds: transaction.seconds } : null,
      }
    })
  }
}

/** Transactions of connections, by the numbers of these. */
type Found = ReadonlyMap<number, Omit<Transaction, 'connection'>>

/**
 * Returns a function that names transactions from one reading to the next. A transaction gets its number with its first
 * write, so that the number alone does not name it: it is another one where the numbers differ, where one that had written
 * has not, or where less time has passed.
 */
function createTransactionNames(): (
  found: Found,
) => ReadonlyMap<number, { readonly id: string; readonly seconds: number }> {
  let last: ReadonlyMap<number, Omit<Transaction, 'connection'> & { readonly id: string }> = new Map()
  let count = 0
  return (found) => {
    last = new Map(
      [...found].map(([connection, transaction]) => {
        const before = last.get(connection)
        const isSame =
          before !== undefined &&
          (before.number === null || before.number === transaction.number) &&
          transaction.seconds >= before.seconds
        if (!isSame) count += 1
        return [connection, { ...transaction, id: isSame ? before.id : String(count) }]
      }),
    )
    return last
  }
}

/**
 * Returns a reader of the transactions of connections. The first reading is of the table, in which clients can write
 * nothing; the next are of the status, where there is one and it can be relied on, since the table may be old.
 */
function createTransactionReader(options: {
  readonly ask: Ask
  readonly now: () => number
}): (switching: Dialect['switching'], isMisleading: boolean) => Promise<Found> {
  const { ask, now } = options
  let tableRead = Number.NEGATIVE_INFINITY

  return async ({ status, transactions }, isMisleading) => {
    if (status !== null && !isMisleading && tableRead > Number.NEGATIVE_INFINITY) {
      const [row] = await ask(status.statement)
      const found = readInnodbStatus(text(row ?? {}, 'Status'))
      if (found !== null) return new Map(found.map(({ connection, ...more }) => [connection, more]))
    }
    // 20 ms more, since the server counts from the end of its own reading, by a clock of its own.
    const age = status === null ? 0 : status.age + 20
    await wait(Math.max(0, tableRead + age - now()))
    const rows = await ask(transactions)
    tableRead = now()
    return new Map(
      rows
        .slice(0, mostConnections)
        .map((row) => [
          connectionId(row, 'id'),
          { number: row.number ?? null, seconds: Math.floor(number(row, 'seconds')) },
        ]),
    )
  }
}
