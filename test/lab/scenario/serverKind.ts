import type { DatabaseType } from '../../../src/contracts/choices.ts'
import type { BaseWish } from '../support/baseImage.ts'
import type { LabHost } from '../support/labTypes.ts'
import { databaseBases } from '../support/releases.ts'

const quoted = (value: string): string => `'${value.replaceAll(/[\\']/g, '\\$&')}'`

/** With which the servers of a lab log in at each other as `repl`. */
export const replicationPassword = 'r\'\\"é'

/** What sets one kind of server in a lab apart from another; each text of SQL is one statement or some, without an end. */
export type ServerKind = {
  /** The name that people know, with the version. */
  readonly name: string
  readonly type: DatabaseType
  /** What its hosts are made from. */
  readonly base: Pick<BaseWish, 'suite' | 'database'> & {
    readonly packages?: readonly string[]
    readonly disk?: string
  }
  readonly unit: string
  /** End of the path of its program. */
  readonly program: string
  /** Folder of a host, and the lines of a file there beside those that both kinds have. */
  readonly configuration: { readonly folder: string; readonly lines: readonly string[] }
  /** Lines by the guide: a server begins as a replica, and acknowledges nothing that no other server has. */
  readonly lossless: readonly string[]
  /** Returns in a column `Value` ON for a source of semi-synchronous replication. */
  readonly sourceStatus: string
  /** Returns its channels, with these columns. */
  readonly channels: string
  readonly columns: Readonly<Record<'host' | 'receiver' | 'applier', string>>
  /** Returns in a column `it` what it has. */
  readonly position: string
  /** Returns in a column `it` 0 once it has that too; waits for so many seconds. */
  readonly waitFor: (position: string, seconds: number) => string
  readonly stop: string
  readonly start: string
  /** Begins to follow a server from what it has, by the channel of this name. */
  readonly follow: (source: LabHost, name?: string) => string
  /** Before `follow` on a server that was a primary. */
  readonly beforeFollow: string
  /** Ends a channel. */
  readonly forget: (name: string) => string
  /** Makes a server that follows nobody one without any transaction. */
  readonly begin: string
  readonly setReadOnly: string
  readonly setWritable: string
  /** True if a read-only server lets no account write, whatever its rights. */
  readonly bindsRoot: boolean
  /** Writes to a read-only replica as root, and to its binary log. */
  readonly writeToReplica: (statements: string) => string
  /** Undoes such statements on a stopped replica, and makes it forget what its primary, at this position, does not have. */
  readonly forgetOwn: (undoing: string, position: string) => string
  /** Has a stopped replica leave out a table, or nothing. */
  readonly leaveOut: (table: string | undefined) => string
  /** Has a stopped replica apply later on purpose. */
  readonly delay: (seconds: number) => string
}

type Statements = Omit<ServerKind, 'name' | 'base'>

const mariadb: Statements = {
  type: 'mariadb',
  unit: 'mariadb',
  program: '/mariadbd',
  configuration: {
    folder: 'etc/mysql/mariadb.conf.d',
    // A replica notices within seconds that its primary is gone, and asks again.
    lines: ['gtid-domain-id = 0', 'log-slave-updates = ON', 'slave_net_timeout = 4'],
  },
  lossless: [
    'read_only = 1',
    'gtid_strict_mode = 1',
    'init_rpl_role = SLAVE',
    'rpl_semi_sync_slave_enabled = 1',
    'rpl_semi_sync_slave_kill_conn_timeout = 1',
    'rpl_semi_sync_master_wait_point = AFTER_SYNC',
    'rpl_semi_sync_master_timeout = 86400000',
  ],
  sourceStatus: "SHOW GLOBAL STATUS LIKE 'Rpl_semi_sync_master_status'",
  channels: 'SHOW ALL SLAVES STATUS',
  columns: { host: 'Master_Host', receiver: 'Slave_IO_Running', applier: 'Slave_SQL_Running' },
  position: 'SELECT @@gtid_binlog_pos AS it',
  waitFor: (position, seconds) => `SELECT MASTER_GTID_WAIT('${position}', ${seconds}) AS it`,
  stop: 'STOP SLAVE',
  start: 'START SLAVE',
  follow: ({ address }, name = '') =>
    `CHANGE MASTER '${name}' TO MASTER_HOST = '${address}', MASTER_USER = 'repl', MASTER_PASSWORD = ` +
    `${quoted(replicationPassword)}, MASTER_USE_GTID = slave_pos, MASTER_CONNECT_RETRY = 1, ` +
    `MASTER_HEARTBEAT_PERIOD = 1; START SLAVE '${name}'`,
  beforeFollow: 'SET GLOBAL gtid_slave_pos = @@gtid_binlog_pos',
  forget: (name) => `STOP SLAVE '${name}'; RESET SLAVE '${name}' ALL`,
  begin: "RESET MASTER; SET GLOBAL gtid_slave_pos = ''",
  setReadOnly: 'SET GLOBAL read_only = 1',
  setWritable: 'SET GLOBAL read_only = 0',
  bindsRoot: false,
  writeToReplica: (statements) => statements,
  forgetOwn: (undoing) =>
    `SET sql_log_bin = 0; ${undoing}; SET @at = @@GLOBAL.gtid_slave_pos; RESET MASTER; ` +
    'SET GLOBAL gtid_slave_pos = @at',
  leaveOut: (table = '') => `SET GLOBAL replicate_ignore_table = '${table}'`,
  delay: (seconds) => `CHANGE MASTER TO MASTER_DELAY = ${seconds}`,
}

const mysql: Statements = {
  type: 'mysql',
  unit: 'mysql',
  program: '/mysqld',
  configuration: {
    folder: 'etc/mysql/mysql.conf.d',
    lines: [
      'gtid_mode = ON',
      'enforce_gtid_consistency = ON',
      'log_replica_updates = ON',
      'replica_net_timeout = 4',
      'mysqlx = OFF',
    ],
  },
  lossless: [
    'plugin_load_add = semisync_source.so',
    'plugin_load_add = semisync_replica.so',
    'super_read_only = 1',
    'rpl_semi_sync_replica_enabled = 1',
    'rpl_semi_sync_source_wait_point = AFTER_SYNC',
    'rpl_semi_sync_source_timeout = 86400000',
  ],
  sourceStatus: "SHOW GLOBAL STATUS LIKE 'Rpl_semi_sync_source_status'",
  channels: 'SHOW REPLICA STATUS',
  columns: { host: 'Source_Host', receiver: 'Replica_IO_Running', applier: 'Replica_SQL_Running' },
  position: "SELECT REPLACE(@@GLOBAL.gtid_executed, '\\n', '') AS it",
  waitFor: (position, seconds) => `SELECT WAIT_FOR_EXECUTED_GTID_SET('${position}', ${seconds}) AS it`,
  stop: 'STOP REPLICA',
  start: 'START REPLICA',
  // Its accounts log in by caching_sha2_password, which needs TLS or this key.
  follow: ({ address }, name = '') =>
    `CHANGE REPLICATION SOURCE TO SOURCE_HOST = '${address}', SOURCE_USER = 'repl', SOURCE_PASSWORD = ` +
    `${quoted(replicationPassword)}, SOURCE_AUTO_POSITION = 1, SOURCE_CONNECT_RETRY = 1, SOURCE_RETRY_COUNT = 86400, ` +
    `SOURCE_HEARTBEAT_PERIOD = 1, GET_SOURCE_PUBLIC_KEY = 1 FOR CHANNEL '${name}'; ` +
    `START REPLICA FOR CHANNEL '${name}'`,
  beforeFollow: 'DO 0',
  forget: (name) => `STOP REPLICA FOR CHANNEL '${name}'; RESET REPLICA ALL FOR CHANNEL '${name}'`,
  begin: 'RESET BINARY LOGS AND GTIDS',
  setReadOnly: 'SET GLOBAL super_read_only = 1',
  setWritable: 'SET GLOBAL super_read_only = 0, GLOBAL read_only = 0',
  bindsRoot: true,
  // It stays read-only for everybody else.
  writeToReplica: (statements) =>
    `SET GLOBAL super_read_only = 0; ${statements}; SET GLOBAL super_read_only = 1`,
  forgetOwn: (undoing, position) =>
    mysql.writeToReplica(
      `SET sql_log_bin = 0; ${undoing}; SET @own = GTID_SUBTRACT(@@GLOBAL.gtid_executed, '${position}'); ` +
        'SET @at = GTID_SUBTRACT(@@GLOBAL.gtid_executed, @own); RESET BINARY LOGS AND GTIDS; SET GLOBAL gtid_purged = @at',
    ),
  leaveOut: (table = '') => `CHANGE REPLICATION FILTER REPLICATE_IGNORE_TABLE = (${table})`,
  delay: (seconds) => `CHANGE REPLICATION SOURCE TO SOURCE_DELAY = ${seconds}`,
}

/** The MariaDB of this machine's release of Debian. */
export const usualKind: ServerKind = { ...mariadb, name: 'MariaDB', base: {} }

/** Kinds of server in releases of Debian that have them. */
export const serverKinds = {
  mariadb10: { ...mariadb, name: 'MariaDB 10.11', base: databaseBases.mariadb10 },
  mariadb11: { ...mariadb, name: 'MariaDB 11.8', base: databaseBases.mariadb11 },
  mysql: { ...mysql, name: 'MySQL 9.7', base: databaseBases.mysql },
} as const satisfies Readonly<Record<keyof typeof databaseBases, ServerKind>>
