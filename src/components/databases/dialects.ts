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

/** Names of a source of semi-synchronous replication, by the kind and the age of a server. */
const sourceRoles = ['master', 'source'] as const

/** Variables of `ServerIdentity` and of `omissionsOf`, each under all names that it has; no account needs a privilege to read them. */
const variables = [
  'version',
  'read_only',
  'super_read_only',
  'server_id',
  'server_uuid',
  ...sourceRoles.flatMap((role) =>
    ['enabled', 'wait_point', 'timeout'].map((it) => `rpl_semi_sync_${role}_${it}`),
  ),
  'rpl_semi_sync_master_wait_no_slave',
  'rpl_semi_sync_source_wait_no_replica',
  'rpl_semi_sync_slave_enabled',
  'rpl_semi_sync_replica_enabled',
  'gtid_strict_mode',
  'proxy_protocol_networks',
  ...omissionVariables,
]

/** The same for both kinds of server: a variable that a server does not have is missing in the rows. */
export const identityStatement = `SHOW GLOBAL VARIABLES WHERE Variable_name IN (${variables.map((it) => `'${it}'`).join(', ')})`

const statusNames = [
  'Uptime',
  ...sourceRoles.flatMap((role) =>
    ['status', 'clients', 'wait_sessions', 'yes_tx'].map((it) => `Rpl_semi_sync_${role}_${it}`),
  ),
]

/** Reads counts of a server. Of the session, since the server adds up nothing of other sessions then; needs no privilege. */
export const statusStatement = `SHOW SESSION STATUS WHERE Variable_name IN (${statusNames.map((it) => `'${it}'`).join(', ')})`

/** Counts of a server; null where it does not tell. */
export type ServerStatus = {
  /** Whole seconds since it was started, by the clock of its host: negative where that was set back since. */
  readonly uptime: number | null
  /** Replicas that acknowledge its commits; null also where it waits for none of them, now or ever. */
  readonly ackers: number | null
  /** Replicas that are connected and would acknowledge its commits, whether it waits for them or not. */
  readonly semiSyncClients: number
  /** Commits that wait for the word of a replica, as far as the server tells. */
  readonly waitingCommits: number
  /** Commits that a replica has acknowledged since its start; null where it waits for none of them. */
  readonly acknowledged: number | null
}

/** Reads the rows of `statusStatement`. */
export function readStatus(rows: readonly Row[]): ServerStatus {
  const status = variablesOf(rows)
  const wholeNumber = (...names: readonly string[]): number | null => {
    const found = names.flatMap((name) => status.get(name) ?? [])
    const number = Number(found[0] || Number.NaN)
    return Number.isSafeInteger(number) && number >= 0 ? number : null
  }
  const roles = sourceRoles.filter((role) => status.get(`rpl_semi_sync_${role}_status`) === 'ON')
  return {
    uptime: readUptime(status.get('uptime')),
    semiSyncClients: wholeNumber(...sourceRoles.map((role) => `rpl_semi_sync_${role}_clients`)) ?? 0,
    ackers: wholeNumber(...roles.map((role) => `rpl_semi_sync_${role}_clients`)),
    waitingCommits: wholeNumber(...roles.map((role) => `rpl_semi_sync_${role}_wait_sessions`)) ?? 0,
    acknowledged: wholeNumber(...roles.map((role) => `rpl_semi_sync_${role}_yes_tx`)),
  }
}

/** Reads an uptime; servers print a negative one as if it had no sign. */
function readUptime(printed = ''): number | null {
  return /^\d{1,20}$/.test(printed) ? Number(BigInt.asIntN(64, BigInt(printed))) : null
}

/** Variables that are read of a server that names more than it was asked for. */
const mostVariables = 100

/** Returns the rows of variables by their names. */
export const variablesOf = (rows: readonly Row[]): ReadonlyMap<string, string> =>
  new Map(
    rows.slice(0, mostVariables).map((row) => [text(row, 'Variable_name').toLowerCase(), row.Value ?? '']),
  )

const isOn = (row: Row, ...names: readonly string[]): boolean =>
  names.some((name) => row[name] === 'ON' || row[name] === '1')

/** Milliseconds of a day: whoever waits as long for a replica does not go on without one. */
const day = 86_400_000

/** Reads what a server lacks of the settings of a source that acknowledges nothing too early; see `ServerIdentity`. */
function ackGapsOf(row: Row): readonly string[] {
  // MySQL 8 and later without the plugin has neither.
  const isSource =
    row.rpl_semi_sync_master_enabled === undefined && databaseTypeOf(text(row, 'version')) === 'mysql'
  const of = (name: string): string => `rpl_semi_sync_${isSource ? 'source' : 'master'}_${name}`
  const alone = of(isSource ? 'wait_no_replica' : 'wait_no_slave')
  return [
    isOn(row, of('enabled')) ? [] : `${of('enabled')}=1`,
    row[of('wait_point')] === 'AFTER_SYNC' ? [] : `${of('wait_point')}=AFTER_SYNC`,
    Number(row[of('timeout')]) >= day ? [] : `${of('timeout')}=${day}`,
    isOn(row, alone) ? [] : `${alone}=1`,
  ].flat()
}

/** Characters of a list of networks. */
const longestNetworks = 1000

/** Reads the rows of `identityStatement`. Throws a `DatabaseError` where one is missing that every server has. */
export function readIdentity(rows: readonly Row[]): ServerIdentity {
  const row: Row = Object.fromEntries(
    rows.slice(0, variables.length).map((it) => [text(it, 'Variable_name').toLowerCase(), it.Value ?? null]),
  )
  const uuid = row.server_uuid ?? null
  return {
    version: printableLine(text(row, 'version').slice(0, 100)),
    // MariaDB 12 has more words than ON for it.
    isWritable: ['OFF', '0'].includes(text(row, 'read_only')) && !isOn(row, 'super_read_only'),
    serverId: sourceId(row, 'server_id'),
    uuid: uuid === null || !/^[0-9a-f-]{36}$/i.test(uuid) ? null : uuid.toLowerCase(),
    semiSync: {
      source: isOn(row, 'rpl_semi_sync_master_enabled', 'rpl_semi_sync_source_enabled'),
      replica: isOn(row, 'rpl_semi_sync_slave_enabled', 'rpl_semi_sync_replica_enabled'),
    },
    ackGaps: ackGapsOf(row),
    takesOwn: isOn(row, 'gtid_strict_mode') && isOn(row, 'rpl_semi_sync_slave_enabled'),
    proxyNetworks: printableLine((row.proxy_protocol_networks ?? '').slice(0, longestNetworks)),
  }
}
