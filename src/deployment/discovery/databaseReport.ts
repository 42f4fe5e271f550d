import type { DatabaseType } from '../../contracts/choices.ts'
import { type DatabasePart, isDatabasePart } from './databaseScript.ts'

/** A connection of a replica to its source. */
type ReplicationChannel = {
  /** Empty for the one without a name. */
  readonly name: string
  readonly source: { readonly host: string; readonly port: number; readonly serverId: number | undefined }
  /** True if both of its threads run. */
  readonly running: boolean
  /** True if it follows by GTID. */
  readonly gtid: boolean
}

/** Global privileges of an account; passwords and hashes are never read. */
export type DatabaseAccountReport = {
  readonly user: string
  readonly host: string
  readonly privileges: ReadonlySet<string>
}

/** A database server as it describes itself; every text is checked and bounded. */
export type DatabaseReport = {
  readonly type: DatabaseType
  readonly version: string
  readonly port: number
  readonly socket: string
  readonly datadir: string
  readonly readOnly: boolean
  readonly serverId: number
  readonly binaryLog: boolean
  readonly semiSync: 'source' | 'replica' | 'both' | undefined
  /** Kind of a cluster that replicates by itself. */
  readonly ownCluster: 'Galera' | 'group replication' | undefined
  /** True if it cannot be reached over the network. */
  readonly onlyLocal: boolean
  readonly channels: readonly ReplicationChannel[]
  readonly accounts: readonly DatabaseAccountReport[]
}

type Row = Readonly<Record<string, string>>

/** Limits of what a server may say. Columns count, since each row has all of them: an answer is small, its table not. */
const limits = { channels: 50, rows: 20_000, columns: 250, privileges: 100 }

const unescaped = (text: string): string =>
  text.replace(/\\([nt0\\])/g, (_, letter: string) => ({ n: '\n', t: '\t', 0: '\0' })[letter] ?? letter)

/** Splits the output of the client into the rows of each part. */
function partsOf(text: string, mark: string): ReadonlyMap<DatabasePart, readonly Row[]> {
  const parts = new Map<DatabasePart, Row[]>()
  let rows: Row[] | undefined
  let names: readonly string[] | undefined
  for (const line of text.split('\n').slice(0, limits.rows + 1000)) {
    const values = line.split('\t')
    const [first, part = ''] = values
    if (first === mark && isDatabasePart(part)) {
      rows = []
      names = undefined
      parts.set(part, rows)
    } else if (line === 'mark\tpart') rows = undefined
    else if (rows === undefined || line === '') continue
    else if (names === undefined) names = values.slice(0, limits.columns)
    else rows.push(Object.fromEntries(names.map((name, index) => [name, unescaped(values[index] ?? '')])))
  }
  return parts
}

const isNumber = (text: string | undefined, most: number): text is string =>
  text !== undefined && /^\d{1,10}$/.test(text) && Number(text) <= most

const isOn = (text: string | undefined): boolean => text === 'ON' || text === '1'

/** A version, such as `11.8.3-MariaDB-0+deb13u1-log`. */
const isVersion = (text: string): boolean => /^\d{1,3}\.\d{1,3}[\w.+~:-]{0,80}$/.test(text)

const isPath = (text: string): boolean => /^\/[\x20-\x7e]{0,250}$/.test(text)

/** An address of a source: a name or an IP address. */
const isHost = (text: string): boolean => /^[A-Za-z0-9:][A-Za-z0-9:._-]{0,252}$/.test(text)

function channelOf(row: Row): ReplicationChannel | undefined {
  const one = (...names: readonly string[]): string | undefined =>
    names.map((name) => row[name]).find((value) => value !== undefined)
  const host = one('Source_Host', 'Master_Host') ?? ''
  const port = one('Source_Port', 'Master_Port')
  const id = one('Source_Server_Id', 'Master_Server_Id')
  const name = one('Connection_name', 'Channel_Name') ?? ''
  if (!isHost(host) || !isNumber(port, 65_535)) return undefined
  return {
    name: /^[\w.-]{0,64}$/.test(name) ? name : '?',
    source: {
      host,
      port: Number(port),
      serverId: isNumber(id, 4_294_967_295) && id !== '0' ? Number(id) : undefined,
    },
    running:
      one('Replica_IO_Running', 'Slave_IO_Running') === 'Yes' &&
      one('Replica_SQL_Running', 'Slave_SQL_Running') === 'Yes',
    gtid: (one('Using_Gtid') ?? 'No') !== 'No' || one('Auto_Position') === '1',
  }
}

function accountsOf(rows: readonly Row[]): readonly DatabaseAccountReport[] {
  const byGrantee = new Map<string, Set<string>>()
  for (const { GRANTEE = '', PRIVILEGE_TYPE = '' } of rows) {
    if (!/^[A-Z_ ]{1,60}$/.test(PRIVILEGE_TYPE)) continue
    const privileges = byGrantee.get(GRANTEE) ?? new Set<string>()
    if (privileges.size < limits.privileges) privileges.add(PRIVILEGE_TYPE)
    byGrantee.set(GRANTEE, privileges)
  }
  return [...byGrantee].flatMap(([grantee, privileges]) => {
    // A name with other letters is an account that a person must name.
    const [, user, host] = /^'([\w.$-]{1,80})'@'([\w.:%/-]{1,255})'$/.exec(grantee) ?? []
    return user === undefined || host === undefined ? [] : [{ user, host, privileges }]
  })
}

/** Parses what a database server said; undefined if it is not what MariaDB or MySQL say. */
export function parseDatabaseReport(text: string, mark: string): DatabaseReport | undefined {
  const parts = partsOf(text, mark)
  if (parts.get('end') === undefined) return undefined
  const variables = new Map(
    (parts.get('variables') ?? []).map((row) => [row.Variable_name ?? '', row.Value ?? ''] as const),
  )
  const variable = (name: string): string => variables.get(name) ?? ''
  const version = variable('version')
  const port = variable('port')
  const serverId = variable('server_id')
  if (!isVersion(version) || !isNumber(port, 65_535) || !isNumber(serverId, 4_294_967_295)) return undefined
  const type = /mariadb/i.test(version) ? 'mariadb' : 'mysql'
  const rows = [parts.get('mariadb'), parts.get('mysql'), parts.get('older')].find(
    (one) => (one ?? []).length > 0,
  )
  const channels = (rows ?? []).slice(0, limits.channels).map(channelOf)
  const source =
    isOn(variable('rpl_semi_sync_master_enabled')) || isOn(variable('rpl_semi_sync_source_enabled'))
  const replica =
    isOn(variable('rpl_semi_sync_slave_enabled')) || isOn(variable('rpl_semi_sync_replica_enabled'))
  const local = ['127.0.0.1', '::1', 'localhost'].includes(variable('bind_address'))
  const uuid = variable('group_replication_group_name')
  return {
    type,
    version,
    port: Number(port),
    socket: isPath(variable('socket')) ? variable('socket') : '?',
    datadir: isPath(variable('datadir')) ? variable('datadir') : '?',
    // MariaDB 12 has more words than ON for a server that takes no writes.
    readOnly: !['OFF', '0', ''].includes(variable('read_only')),
    serverId: Number(serverId),
    binaryLog: isOn(variable('log_bin')),
    semiSync: source && replica ? 'both' : source ? 'source' : replica ? 'replica' : undefined,
    ownCluster: isOn(variable('wsrep_on')) ? 'Galera' : uuid === '' ? undefined : 'group replication',
    onlyLocal: isOn(variable('skip_networking')) || port === '0' || local,
    channels: channels.filter((one) => one !== undefined),
    accounts: accountsOf(parts.get('accounts') ?? []),
  }
}
