import { createHash, randomBytes } from 'node:crypto'
import { StartError } from '../../api/startError.ts'
import type { DatabaseType } from '../../contracts/choices.ts'
import { type DrillSight, drillName, drillWriters, type LedgerRows } from '../../contracts/drilling.ts'
import { Secret } from '../../secrets/secret.ts'
import { askServer, type Server } from '../provision/program.ts'

/** Comment of what a drill made: what lacks it is somebody else's. */
const marker = 'made by muster drill'

const count = (from: string): string => `(SELECT COUNT(*) FROM ${from})`

const databases = `information_schema.SCHEMATA WHERE SCHEMA_NAME = '${drillName}'`
const accounts = `mysql.user WHERE User = '${drillName}'`
const createDatabase = `CREATE DATABASE ${drillName}`
const dropDatabase = `DROP DATABASE IF EXISTS ${drillName};`
const createAccount = `CREATE USER ${drillName}@'%' IDENTIFIED`
const dropAccount = `DROP USER IF EXISTS ${drillName}@'%';`

/** Statements of one kind of server, in which the marker comes first and is away last: what lacks it is never ours. */
type Means = {
  /** Rows with the marker. */
  readonly marked: string
  /** Makes database and account; returns the statements, and the password where it is not that of their output. */
  readonly create: () => { readonly statements: string; readonly password?: Secret }
  readonly drop: string
}

/** MariaDB has comments of databases. */
const mariadb: Means = {
  marked: `${databases} AND SCHEMA_COMMENT = '${marker}'`,
  create: () => {
    const password = randomBytes(16).toString('hex')
    return {
      statements: `${createDatabase} COMMENT '${marker}'; ${createAccount} VIA mysql_native_password USING '${nativeHash(password)}';`,
      password: new Secret(password),
    }
  },
  drop: `${dropAccount} ${dropDatabase}`,
}

/** MySQL has comments of accounts, and makes a password itself, so that no statement has it. */
const mysql: Means = {
  marked: `information_schema.USER_ATTRIBUTES WHERE USER = '${drillName}' AND HOST = '%' AND ATTRIBUTE->>'$.comment' = '${marker}'`,
  create: () => ({
    statements: `${createAccount} BY RANDOM PASSWORD COMMENT '${marker}'; ${createDatabase};`,
  }),
  drop: `${dropDatabase} ${dropAccount}`,
}

const means: Readonly<Record<DatabaseType, Means>> = { mariadb, mysql }

/** Hash of a password for mysql_native_password, so that neither a statement nor the binary log has the password. */
function nativeHash(password: string): string {
  const sha1 = (bytes: string | Buffer): Buffer => createHash('sha1').update(bytes).digest()
  return `*${sha1(sha1(password)).toString('hex').toUpperCase()}`
}

/** Looks for the ledger of a drill, or what else has its name, over the socket of a server. Rejects with a `StartError`. */
export async function findLedger(server: Server): Promise<DrillSight['ledger']> {
  const counts = [
    count(databases),
    count(accounts),
    count(means[server.engine.client].marked),
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
 * Makes the ledger, and an account that may only add rows to it; removes one of an earlier drill first. Resolves to the password
 * of the account. Rejects with a `StartError`.
 */
export async function makeLedger(server: Server): Promise<Secret> {
  await removeLedger(server)
  const { statements, password } = means[server.engine.client].create()
  const printed = await askServer(
    server,
    `${statements}
CREATE TABLE ${drillName}.ledger (writer TINYINT UNSIGNED, number INT UNSIGNED, PRIMARY KEY (writer, number)) ENGINE = InnoDB;
GRANT INSERT ON ${drillName}.ledger TO ${drillName}@'%';`,
    { more: ['--raw'] },
  )
  // Name, host, password and factor of the account.
  return password ?? new Secret(printed.split('\t')[2] ?? '')
}

/** Removes ledger and account of a drill, where they are there. Rejects with a `StartError` for those of somebody else. */
export async function removeLedger(server: Server): Promise<void> {
  await requireWritable(server)
  const found = await findLedger(server)
  if (found === 'none') return
  if (found === 'foreign') {
    throw new StartError(`the server has a database or an account ${drillName} that no drill has made`)
  }
  await askServer(server, means[server.engine.client].drop)
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
