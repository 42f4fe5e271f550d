import { databaseTypes } from '../../contracts/choices.ts'
import { monitorGrants, replicationGrants } from '../../contracts/databaseAccounts.ts'
import { options } from '../settings/options.ts'
import type { Setting } from '../settings/setting.ts'

/** SQL that creates an account in one kind of database server. */
export type AccountStatements = { readonly title: string; readonly sql: string }

const titles = { mariadb: 'MariaDB', mysql: 'MySQL' } as const

/** Returns the SQL for a setting that names an account, by kind of server; empty for other settings. */
export function accountStatements(setting: Setting<unknown>): readonly AccountStatements[] {
  return databaseTypes.flatMap((type) => {
    const title = titles[type]
    if (setting === options.database.user) {
      return [{ title, sql: replicationGrants({ type, user: 'muster', from: '127.0.0.1' }) }]
    }
    if (setting !== options.monitor.user) return []
    return [{ title, sql: monitorGrants({ type, user: 'muster_monitor', from: '10.0.0.%' }) }]
  })
}
