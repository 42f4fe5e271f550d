import type { DatabaseType } from './choices.ts'

/** Options of accounts in the databases. */
export const accountOptions = ['replication-user', 'monitor-user'] as const

export type AccountOption = (typeof accountOptions)[number]

/** Returns the option of the password of an account. */
export const passwordOption = (option: AccountOption): string => option.replace(/user$/, 'password')

/** One login that `muster-api try-databases` tried; without `error` it went well. */
export type DatabaseLogin = {
  readonly option: AccountOption
  /** Name of the account. */
  readonly user?: string
  /** Address of the database, such as `127.0.0.1:3306`. */
  readonly place: string
  /** Sentences of the component or the database; they name the account but no password. */
  readonly error?: string
  /** Set where the database itself did not let the account in; otherwise it was not reached, or did not prove itself. */
  readonly refused?: true
  /** Set where the database did not show the certificate that it has to. */
  readonly unproven?: true
  /** Set for a login that only a switch makes. */
  readonly forSwitch?: true
  /** Certificate by which it proved itself, PEM; absent where it need not. */
  readonly certificate?: string
  /** What the database says of itself, where the account may read it. */
  readonly server?: {
    readonly isWritable: boolean
    /** Addresses of the servers that it replicates from, such as `10.0.0.12:3306`. */
    readonly follows: readonly string[]
    /** Those of them that need not prove themselves to it; absent if none. */
    readonly unproven?: readonly string[]
  }
  /** Privileges that a switch needs and the account has not at this database, by the words of GRANT. */
  readonly missing?: readonly string[]
}

const quoted = (text: string): string => `'${text.replaceAll(/[\\']/g, '\\$&')}'`

/** Returns the SQL that makes an account with exactly these global privileges; each line says what its privilege is for. */
function accountGrants(account: {
  readonly user: string
  /** The address that the account logs in from. */
  readonly from: string
  /** The option that holds its password. */
  readonly option: string
  readonly needed: readonly Needed[]
  /** Privileges that some clusters do without; their lines are comments. */
  readonly optional?: readonly Needed[]
}): string {
  const { user, from, option, needed, optional = [] } = account
  const name = `${quoted(user)}@${quoted(from)}`
  const line = ([privilege, statements, on = '*.*']: Needed): string =>
    `GRANT ${privilege} ON ${on} TO ${name}; -- for ${statements}`
  return [
    '-- Run this on the primary: replication copies it to the replicas.',
    '-- Also run it on every database without replication. It is safe to run it twice.',
    `CREATE USER IF NOT EXISTS ${name} IDENTIFIED BY '<${option}>';`,
    ...needed.map(line),
    ...optional.map((it) => `-- Optional: ${line(it)}`),
    '',
  ].join('\n')
}

/** Privileges of the account for the manager's checks, by kind of server (option `datasource-type`), and their use. */
const monitorAccountPrivileges = {
  // mariadb.com/kb/en/grant, "Global Privileges"; the names are those from 10.5.9 on.
  mariadb: [
    ['REPLICA MONITOR', 'SHOW ALL SLAVES STATUS'],
    ['BINLOG MONITOR', 'SHOW MASTER STATUS'],
  ],
  // MySQL 8.4 Reference Manual, each statement's own page.
  mysql: [['REPLICATION CLIENT', 'SHOW REPLICA STATUS and SHOW BINARY LOG STATUS']],
} as const satisfies Readonly<Record<DatabaseType, unknown>>

/** Returns the names of the global privileges that the checks need. */
export const monitorPrivilegeNames = (type: DatabaseType): readonly string[] =>
  monitorAccountPrivileges[type].map(([privilege]) => privilege)

/** Name of the same in MariaDB before 10.5: one privilege for both statements (mariadb.com/kb/en/grant). */
const older: Readonly<Record<DatabaseType, string>> = {
  mariadb: ' (MariaDB before 10.5: REPLICATION CLIENT)',
  mysql: '',
}

/** Returns the global privileges that the checks need, for the end of a sentence. */
export const monitorPrivileges = (type: DatabaseType): string =>
  `${monitorPrivilegeNames(type).join(' and ')}${older[type]}`

/**
 * Returns the SQL that makes the account of `monitor-user` with the few rights that the manager's checks need, and says
 * what each is for. `from` is the address of a manager. It reads no data and changes nothing.
 */
export function monitorGrants(account: {
  readonly type: DatabaseType
  readonly user: string
  readonly from: string
}): string {
  const { type, user, from } = account
  return accountGrants({ user, from, option: 'monitor-password', needed: monitorAccountPrivileges[type] })
}

/** A privilege, the statements that it is for, and the tables that it is on where these are not all. */
type Needed = readonly [privilege: string, statements: string, on?: string]

/**
 * Privileges of the account for the replicator and for switches, by kind of server (option `datasource-type`), and their
 * use.
 */
const replicationAccountPrivileges: Readonly<Record<DatabaseType, readonly Needed[]>> = {
  // mariadb.com/kb/en/grant, "Global Privileges"; the names are those from 10.5.9 on.
  mariadb: [
    ['REPLICA MONITOR', 'SHOW ALL SLAVES STATUS'],
    ['BINLOG MONITOR', 'SHOW MASTER STATUS'],
    ['REPLICATION SLAVE ADMIN', 'START SLAVE, STOP SLAVE and, in a switch, CHANGE MASTER'],
    ['RELOAD', 'RESET SLAVE and, in a switch, FLUSH TABLES WITH READ LOCK'],
    ['PROCESS', 'a switch: the connections and transactions of clients'],
    ['CONNECTION ADMIN', 'a switch: KILL'],
    ['READ_ONLY ADMIN', 'a switch: SET GLOBAL read_only'],
    ['REPLICATION MASTER ADMIN', 'a switch: SET GLOBAL rpl_semi_sync_master_enabled'],
    ['REPLICATION SLAVE', 'a switch: the former primary follows the new one'],
  ],
  // MySQL 8.4 Reference Manual, each statement's own page.
  mysql: [
    ['REPLICATION CLIENT', 'SHOW REPLICA STATUS and SHOW BINARY LOG STATUS'],
    ['REPLICATION_SLAVE_ADMIN', 'START REPLICA, STOP REPLICA, and to follow another source'],
    ['RELOAD', 'RESET REPLICA'],
    ['PROCESS', 'a switch: the connections of clients'],
    ['SELECT', 'a switch: the transactions of clients', 'performance_schema.*'],
    ['CONNECTION_ADMIN', 'a switch: KILL'],
    ['SYSTEM_USER', 'a switch: KILL of sessions of such accounts, root among them'],
    ['SYSTEM_VARIABLES_ADMIN', 'a switch: super_read_only and semi-synchronous replication'],
    ['REPLICATION SLAVE', 'a switch: the former primary follows the new one'],
  ],
}

const eventNames: Needed = ['EVENT', 'a switch: the names of events']

/** Privileges of the same account that some clusters do without. */
const optionalPrivileges: Readonly<Record<DatabaseType, readonly Needed[]>> = {
  // mariadb.com/kb/en/server-system-variables, "event_scheduler": no lesser privilege sets it.
  mariadb: [['SUPER', 'a switch: SET GLOBAL event_scheduler'], eventNames],
  mysql: [eventNames],
}

/** Returns the SQL by which an account may stop and start the event scheduler of MariaDB. */
export const eventSchedulerGrant = ({ user, from }: { readonly user: string; readonly from: string }) =>
  `GRANT SUPER ON *.* TO ${quoted(user)}@${quoted(from)}`

/** Returns what the account of `replication-user` needs on this kind of server. */
export const replicationPrivileges = (type: DatabaseType): readonly Needed[] =>
  replicationAccountPrivileges[type]

/**
 * Returns the SQL that makes the account of `replication-user` with the few rights that the replicator and a switch need,
 * and says what each is for. `from` is the address that the account logs in from. It reads no data and changes none.
 */
export function replicationGrants(account: {
  readonly type: DatabaseType
  readonly user: string
  readonly from: string
}): string {
  const { type, user, from } = account
  return accountGrants({
    user,
    from,
    option: 'replication-password',
    needed: replicationAccountPrivileges[type],
    optional: optionalPrivileges[type],
  })
}

/** Returns the SQL that prints the statements which remove accounts, from whatever addresses they log in. */
export const accountRemoval = (users: readonly string[]): string =>
  `SELECT CONCAT('DROP USER ', QUOTE(user), '@', QUOTE(host), ';') FROM mysql.user WHERE user IN (${users.map(quoted).join(', ')});`
