import { StartError } from '../../api/startError.ts'
import { type DrillSight, drillName, drillWriters, type LedgerRows } from '../../contracts/drilling.ts'
import { askServer, type Server } from '../provision/program.ts'

/** Comment of the database that a drill made: one without it is somebody else's. */
const marker = 'made by muster drill'

const count = (from: string): string => `(SELECT COUNT(*) FROM ${from})`

const databases = `information_schema.SCHEMATA WHERE SCHEMA_NAME = '${drillName}'`
const accounts = `mysql.user WHERE User = '${drillName}'`

/** Looks for the ledger of a drill, or what else has its name, over the socket of a server. Rejects with a `StartError`. */
export async function findLedger(server: Server): Promise<DrillSight['ledger']> {
  const counts = [
    count(databases),
    count(accounts),
    count(`${databases} AND SCHEMA_COMMENT = '${marker}'`),
    count(`information_schema.TABLES WHERE TABLE_SCHEMA = '${drillName}' AND TABLE_NAME <> 'ledger'`),
    count(`${accounts} AND Host <> '%'`),
  ]
  const printed = await askServer(server, `SELECT ${counts.join(', ')}`)
  const [found = 0, users = 0, marked = 0, tables = 0, elsewhere = 0] = printed.trim().split('\t').map(Number)
  if (found + users === 0) return 'none'
  return marked === 1 && tables + elsewhere === 0 ? 'own' : 'foreign'
}

/** Rejects with a `StartError` unless the server is the primary: what is written elsewhere would stay there. */
async function requireWritable(server: Server): Promise<void> {
  const isReadOnly = (await askServer(server, 'SELECT @@GLOBAL.read_only')).trim() !== '0'
  if (isReadOnly) throw new StartError('its server is read-only: it is not the primary any more')
}

/**
 * Makes the ledger, and an account that may only add rows to it and logs in with the password of this hash; removes one of an
 * earlier drill first. Rejects with a `StartError`.
 */
export async function makeLedger(server: Server, hash: string): Promise<void> {
  await removeLedger(server)
  // The database first, and away last: so an account without it is never ours.
  await askServer(
    server,
    `CREATE DATABASE ${drillName} COMMENT '${marker}';
CREATE TABLE ${drillName}.ledger (writer TINYINT UNSIGNED, number INT UNSIGNED, PRIMARY KEY (writer, number)) ENGINE = InnoDB;
CREATE USER ${drillName}@'%' IDENTIFIED VIA mysql_native_password USING '${hash}';
GRANT INSERT ON ${drillName}.ledger TO ${drillName}@'%';`,
  )
}

/** Removes ledger and account of a drill, where they are there. Rejects with a `StartError` for those of somebody else. */
export async function removeLedger(server: Server): Promise<void> {
  await requireWritable(server)
  const found = await findLedger(server)
  if (found === 'none') return
  if (found === 'foreign') {
    throw new StartError(`the server has a database or an account ${drillName} that no drill has made`)
  }
  await askServer(server, `DROP USER IF EXISTS ${drillName}@'%'; DROP DATABASE ${drillName};`)
}

/** Reads the rows of the ledger. Rejects with a `StartError`. */
export async function readLedger(server: Server): Promise<LedgerRows> {
  const printed = await askServer(
    server,
    `SELECT writer, number FROM ${drillName}.ledger ORDER BY writer, number`,
  )
  return rangesOf(
    printed
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.split('\t').map(Number)),
  )
}

/** Returns of each writer the first and the last row of each range without a gap; `rows` are in their order. */
export function rangesOf(rows: readonly (readonly number[])[]): LedgerRows {
  const ranges = Array.from({ length: drillWriters }, (): [number, number][] => [])
  for (const [writer = 0, number = 0] of rows) {
    const last = ranges[writer]?.at(-1)
    if (last?.[1] === number - 1) last[1] = number
    else ranges[writer]?.push([number, number])
  }
  return ranges
}
