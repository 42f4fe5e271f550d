import type { Channel, ThreadError } from './channel.ts'
import type { Row } from './connection.ts'
import { DatabaseError } from './databaseError.ts'

/** The text of a column. Throws a `DatabaseError` where the server sent none: another version than is known here. */
export function text(row: Row, column: string): string {
  const value = row[column]
  if (typeof value === 'string') return value
  throw new DatabaseError({
    code: 'refused',
    message: `The database answered without the column ${column}: this version of it is not supported.`,
  })
}

/** The number of a column; null for NULL. */
export function numberOrNull(row: Row, column: string): number | null {
  if (row[column] === null) return null
  const value = Number(text(row, column))
  return Number.isSafeInteger(value) ? value : null
}

/** The state of the thread that fetches. MariaDB and MySQL say Yes, No, and else that it is on its way. */
export function receiver(row: Row, column: string): Channel['receiver'] {
  const word = text(row, column)
  if (word === 'Yes') return 'running'
  return word === 'No' ? 'stopped' : 'connecting'
}

/** The state of the thread that applies. */
export const applier = (row: Row, column: string): Channel['applier'] =>
  text(row, column) === 'Yes' ? 'running' : 'stopped'

/** The error of a thread whose columns are `<prefix>_Errno` and `<prefix>_Error`; null for number 0. */
export function threadError(row: Row, prefix: 'Last_IO' | 'Last_SQL'): ThreadError | null {
  const number = numberOrNull(row, `${prefix}_Errno`) ?? 0
  return number === 0 ? null : { number, message: text(row, `${prefix}_Error`) }
}

/** File and offset as one text, such as `bin.000002:1307`; null where there is no file yet. */
export function logPosition(row: Row, columns: readonly [file: string, offset: string]): string | null {
  const [file, offset] = columns
  return text(row, file) === '' ? null : `${text(row, file)}:${text(row, offset)}`
}
