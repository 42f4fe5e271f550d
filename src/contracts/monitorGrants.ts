import { accountGrants } from './accountGrants.ts'
import type { DatabaseType } from './serverSettings.ts'

/** What the account of the manager's checks may do and why, by kind of server (option `datasource-type`). */
const privileges = {
  // mariadb.com/kb/en/grant, "Global Privileges"; the names are those from 10.5.9 on.
  mariadb: [
    ['REPLICA MONITOR', 'SHOW ALL SLAVES STATUS'],
    ['BINLOG MONITOR', 'SHOW MASTER STATUS'],
  ],
  // MySQL 8.4 Reference Manual, each statement's own page.
  mysql: [['REPLICATION CLIENT', 'SHOW REPLICA STATUS and SHOW BINARY LOG STATUS']],
} as const satisfies Readonly<Record<DatabaseType, unknown>>

/** What MariaDB before 10.5 calls the same: one privilege for both statements (mariadb.com/kb/en/grant). */
const older: Readonly<Record<DatabaseType, string>> = {
  mariadb: ' (MariaDB before 10.5: REPLICATION CLIENT)',
  mysql: '',
}

/** The global privileges that the checks need, for the end of a sentence. */
export const monitorPrivileges = (type: DatabaseType): string =>
  `${privileges[type].map(([privilege]) => privilege).join(' and ')}${older[type]}`

/**
 * The SQL that makes the account of `monitor-user` with the few rights that the manager's checks need, and says
 * what each is for. `from` is the address of a manager. It reads no data and changes nothing.
 */
export function monitorGrants(account: {
  readonly type: DatabaseType
  readonly user: string
  readonly from: string
}): string {
  const { type, user, from } = account
  return accountGrants({ user, from, option: 'monitor-password', needed: privileges[type] })
}
