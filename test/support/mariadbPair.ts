import { monitorGrants } from '../../src/contracts/databaseAccounts.ts'
import { forgetReplication, type Mariadb, makeReplica, mariadbLab } from './mariadb.ts'

/** Two private MariaDB servers, the second of which may replicate the first. */
export type MariadbPair = {
  readonly primary: Mariadb
  readonly replica: Mariadb
  /** Starts one more. */
  another(): Promise<Mariadb>
  /** Kills all and removes their data. */
  end(): Promise<void>
}

/** Starts both, and prepares each. */
export async function mariadbPair(prepare: (server: Mariadb) => Promise<unknown>): Promise<MariadbPair> {
  const lab = await mariadbLab()
  const [primary, replica] = await Promise.all([lab.server(), lab.server()])
  await Promise.all([primary, replica].map(prepare))
  return { primary, replica, another: () => lab.server(), end: () => lab.end() }
}

/**
 * Makes both agree, whatever a test left behind: a database `t` with an empty table `x` and those of `more`, and
 * a replica whose replication is stopped.
 */
export async function makeAgree(
  { primary, replica }: MariadbPair,
  ...more: readonly string[]
): Promise<void> {
  await forgetReplication(replica)
  for (const server of [primary, replica]) {
    await server.sql(
      'SET sql_log_bin = 0',
      'CREATE DATABASE IF NOT EXISTS t',
      'CREATE OR REPLACE TABLE t.x (a INT PRIMARY KEY)',
      ...more,
    )
  }
  const [at] = await primary.sql('SELECT @@gtid_binlog_pos AS gtid')
  await replica.sql(`SET GLOBAL gtid_slave_pos = '${at?.gtid}'`)
  await makeReplica({ primary, replica })
}

/** Makes the account `watch` as the manager needs it, with nothing more. */
export const createMonitor = (server: Mariadb, password: string, from = '127.0.0.1'): Promise<unknown> =>
  server.sql(
    'SET sql_log_bin = 0',
    ...monitorGrants({ type: 'mariadb', user: 'watch', from })
      .replace('<monitor-password>', () => password)
      .split('\n')
      .filter((line) => /^(CREATE|GRANT) /.test(line)),
  )
