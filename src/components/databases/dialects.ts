import { printableLine } from '../../base/printable.ts'
import type { DatabaseType } from '../../contracts/choices.ts'
import type { Row } from './connection.ts'
import { type Dialect, type ServerIdentity, sourceId, text } from './dialect.ts'
import { mariadb } from './mariadb.ts'
import { mysql } from './mysql.ts'
import { omissionVariables } from './omissions.ts'

/** Returns the kind of server that says this of its version: MariaDB names itself, MySQL and what is made of it do not. */
export const databaseTypeOf = (version: string): DatabaseType =>
  /mariadb/i.test(version) ? 'mariadb' : 'mysql'

/** The dialect of each kind of server. */
export const dialects: Readonly<Record<DatabaseType, Dialect>> = { mariadb, mysql }

/** Variables of `ServerIdentity` and of `omissionsOf`, each under all names that it has; no account needs a privilege to read them. */
const variables = [
  'version',
  'read_only',
  'super_read_only',
  'server_id',
  'server_uuid',
  'rpl_semi_sync_master_enabled',
  'rpl_semi_sync_source_enabled',
  'rpl_semi_sync_slave_enabled',
  'rpl_semi_sync_replica_enabled',
  'gtid_strict_mode',
  ...omissionVariables,
]

/** The same for both kinds of server: a variable that a server does not have is missing in the rows. */
export const identityStatement = `SHOW GLOBAL VARIABLES WHERE Variable_name IN (${variables.map((it) => `'${it}'`).join(', ')})`

/** The time for which a server has run. Of the session, since the server adds up nothing of other sessions then; needs no privilege. */
export const uptimeStatement = "SHOW SESSION STATUS LIKE 'Uptime'"

/** Reads the rows of `uptimeStatement`: whole seconds; null where the server says nothing of it. */
export function readUptime([row]: readonly Row[]): number | null {
  const seconds = Number(row?.Value ?? Number.NaN)
  return Number.isSafeInteger(seconds) && seconds >= 0 ? seconds : null
}

/** Variables that are read of a server that names more than it was asked for. */
const mostVariables = 100

/** Returns the rows of variables by their names. */
export const variablesOf = (rows: readonly Row[]): ReadonlyMap<string, string> =>
  new Map(
    rows.slice(0, mostVariables).map((row) => [text(row, 'Variable_name').toLowerCase(), row.Value ?? '']),
  )

/** Reads the rows of `identityStatement`. Throws a `DatabaseError` where one is missing that every server has. */
export function readIdentity(rows: readonly Row[]): ServerIdentity {
  const row: Row = Object.fromEntries(
    rows.slice(0, variables.length).map((it) => [text(it, 'Variable_name').toLowerCase(), it.Value ?? null]),
  )
  const isOn = (...names: readonly string[]): boolean =>
    names.some((name) => row[name] === 'ON' || row[name] === '1')
  const uuid = row.server_uuid ?? null
  return {
    version: printableLine(text(row, 'version').slice(0, 100)),
    // MariaDB 12 has more words than ON for it.
    isWritable: ['OFF', '0'].includes(text(row, 'read_only')) && !isOn('super_read_only'),
    serverId: sourceId(row, 'server_id'),
    uuid: uuid === null || !/^[0-9a-f-]{36}$/i.test(uuid) ? null : uuid.toLowerCase(),
    semiSync: {
      source: isOn('rpl_semi_sync_master_enabled', 'rpl_semi_sync_source_enabled'),
      replica: isOn('rpl_semi_sync_slave_enabled', 'rpl_semi_sync_replica_enabled'),
    },
    takesOwn: isOn('gtid_strict_mode') && isOn('rpl_semi_sync_slave_enabled'),
  }
}
