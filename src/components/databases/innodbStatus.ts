/** A transaction of a connection, as InnoDB names it. */
export type Transaction = {
  /** Id of the connection. */
  readonly connection: number
  /** Number of the transaction; null as long as it has written nothing. */
  readonly number: string | null
  readonly seconds: number
}

const heading = 'LIST OF TRANSACTIONS FOR EACH SESSION:'

/** Of the first line of a transaction: it begins with its number or, before it writes, with an address in memory. */
const first =
  /^---TRANSACTION (?:(\d{1,20})|\(?0x[0-9a-f]+\)?), (?:ACTIVE(?: \([A-Z ]+\))? (\d{1,10}) sec|(COMMITTED IN MEMORY)|.*)/

/** The line of the connection; the text of a client's statement comes after it. */
const owner = /^(?:MariaDB|MySQL) thread id (\d{1,19}), /

/**
 * Reads the transactions that are under way from the text of SHOW ENGINE INNODB STATUS. The statements of clients stand
 * in it as they are, so that a client can write lines that look like transactions: these can only add, since nothing
 * ends the list before the end of the text, and the first line of a connection counts. Null where two transactions say
 * that they are of the same connection, or the list is not whole: then the text cannot be relied on.
 */
export function readInnodbStatus(text: string): readonly Transaction[] | null {
  const [, list, ...more] = `\n${text}`.split(`\n${heading}\n`)
  // InnoDB leaves out the middle of a text that is longer than a megabyte, the heading included.
  if (list === undefined || more.length > 0 || text.includes('\n... truncated...\n')) return null
  const found = new Map<number, Transaction>()
  let open: Pick<Transaction, 'number' | 'seconds'> | null = null
  for (const line of list.split('\n')) {
    if (line.startsWith('---TRANSACTION ')) {
      const [, number = null, seconds, committing] = first.exec(line) ?? []
      const isActive = seconds !== undefined || committing !== undefined
      open = isActive ? { number: number === '0' ? null : number, seconds: Number(seconds ?? 0) } : null
      continue
    }
    const id = open === null ? undefined : owner.exec(line)?.[1]
    if (open === null || id === undefined) continue
    const connection = Number(id)
    if (found.has(connection)) return null
    found.set(connection, { connection, ...open })
    open = null
  }
  return [...found.values()]
}
