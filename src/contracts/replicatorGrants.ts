import { accountGrants } from './accountGrants.ts'
import type { DatabaseType } from './serverSettings.ts'

/** What the account of the replicator may do and why, by kind of server (option `datasource-type`). */
const privileges = {
  // mariadb.com/kb/en/grant, "Global Privileges"; the names are those from 10.5.9 on.
  mariadb: [
    ['REPLICA MONITOR', 'SHOW ALL SLAVES STATUS'],
    ['BINLOG MONITOR', 'SHOW MASTER STATUS'],
    ['REPLICATION SLAVE ADMIN', 'START SLAVE and STOP SLAVE'],
    ['RELOAD', 'RESET SLAVE'],
  ],
  // MySQL 8.4 Reference Manual, each statement's own page.
  mysql: [
    ['REPLICATION CLIENT', 'SHOW REPLICA STATUS and SHOW BINARY LOG STATUS'],
    ['REPLICATION_SLAVE_ADMIN', 'START REPLICA and STOP REPLICA'],
    ['RELOAD', 'RESET REPLICA'],
  ],
} as const satisfies Readonly<Record<DatabaseType, unknown>>

/**
 * The SQL that makes the account of `replication-user` with the few rights that the replicator needs, and says
 * what each is for. `from` is the address that the account logs in from. It reads no data and changes none.
 */
export function replicatorGrants(account: {
  readonly type: DatabaseType
  readonly user: string
  readonly from: string
}): string {
  const { type, user, from } = account
  return accountGrants({ user, from, option: 'replication-password', needed: privileges[type] })
}
