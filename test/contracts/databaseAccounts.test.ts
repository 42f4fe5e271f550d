import { describe, expect, it } from 'vitest'
import { monitorGrants, monitorPrivileges, replicationGrants } from '../../src/contracts/databaseAccounts.ts'

describe('monitorGrants', () => {
  it('returns the SQL for an account on MariaDB', () => {
    expect(monitorGrants({ type: 'mariadb', user: 'watch', from: '10.0.0.%' })).toBe(
      `-- Run this on the primary: replication copies it to the replicas.
-- Also run it on every database without replication. It is safe to run it twice.
CREATE USER IF NOT EXISTS 'watch'@'10.0.0.%' IDENTIFIED BY '<monitor-password>';
GRANT REPLICA MONITOR ON *.* TO 'watch'@'10.0.0.%'; -- for SHOW ALL SLAVES STATUS
GRANT BINLOG MONITOR ON *.* TO 'watch'@'10.0.0.%'; -- for SHOW MASTER STATUS
`,
    )
  })

  it('returns the SQL for an account on MySQL, with its one privilege', () => {
    const text = monitorGrants({ type: 'mysql', user: 'watch', from: '%' })
    expect(text.split('\n').filter((line) => line.startsWith('GRANT'))).toEqual([
      "GRANT REPLICATION CLIENT ON *.* TO 'watch'@'%'; -- for SHOW REPLICA STATUS and SHOW BINARY LOG STATUS",
    ])
  })

  it('needs the privileges that monitorPrivileges names', () => {
    expect(monitorPrivileges('mariadb')).toBe(
      'REPLICA MONITOR and BINLOG MONITOR (MariaDB before 10.5: REPLICATION CLIENT)',
    )
    expect(monitorPrivileges('mysql')).toBe('REPLICATION CLIENT')
  })
})

describe('replicationGrants', () => {
  it('returns the SQL for an account on MariaDB', () => {
    expect(replicationGrants({ type: 'mariadb', user: 'muster', from: '127.0.0.1' })).toBe(
      `-- Run this on the primary: replication copies it to the replicas.
-- Also run it on every database without replication. It is safe to run it twice.
CREATE USER IF NOT EXISTS 'muster'@'127.0.0.1' IDENTIFIED BY '<replication-password>';
GRANT REPLICA MONITOR ON *.* TO 'muster'@'127.0.0.1'; -- for SHOW ALL SLAVES STATUS
GRANT BINLOG MONITOR ON *.* TO 'muster'@'127.0.0.1'; -- for SHOW MASTER STATUS
GRANT REPLICATION SLAVE ADMIN ON *.* TO 'muster'@'127.0.0.1'; -- for START SLAVE, STOP SLAVE and, in a switch, CHANGE MASTER
GRANT RELOAD ON *.* TO 'muster'@'127.0.0.1'; -- for RESET SLAVE and, in a switch, FLUSH TABLES WITH READ LOCK
GRANT PROCESS ON *.* TO 'muster'@'127.0.0.1'; -- for a switch: the connections and transactions of clients
GRANT CONNECTION ADMIN ON *.* TO 'muster'@'127.0.0.1'; -- for a switch: KILL
GRANT READ_ONLY ADMIN ON *.* TO 'muster'@'127.0.0.1'; -- for a switch: SET GLOBAL read_only
GRANT REPLICATION MASTER ADMIN ON *.* TO 'muster'@'127.0.0.1'; -- for a switch: SET GLOBAL rpl_semi_sync_master_enabled
GRANT REPLICATION SLAVE ON *.* TO 'muster'@'127.0.0.1'; -- for a switch: the former primary follows the new one
-- Optional: GRANT SUPER ON *.* TO 'muster'@'127.0.0.1'; -- for a switch: SET GLOBAL event_scheduler
-- Optional: GRANT EVENT ON *.* TO 'muster'@'127.0.0.1'; -- for a switch: the names of events
`,
    )
  })

  it('returns the SQL for an account on MySQL, whatever its name', () => {
    const text = replicationGrants({ type: 'mysql', user: "it's", from: '10.0.0.%' })
    expect(text.split('\n').filter((line) => line.startsWith('GRANT'))).toEqual([
      "GRANT REPLICATION CLIENT ON *.* TO 'it\\'s'@'10.0.0.%'; -- for SHOW REPLICA STATUS and SHOW BINARY LOG STATUS",
      "GRANT REPLICATION_SLAVE_ADMIN ON *.* TO 'it\\'s'@'10.0.0.%'; -- for START REPLICA, STOP REPLICA, and to follow another source",
      "GRANT RELOAD ON *.* TO 'it\\'s'@'10.0.0.%'; -- for RESET REPLICA",
      "GRANT PROCESS ON *.* TO 'it\\'s'@'10.0.0.%'; -- for a switch: the connections of clients",
      "GRANT SELECT ON performance_schema.* TO 'it\\'s'@'10.0.0.%'; -- for a switch: the transactions of clients",
      "GRANT CONNECTION_ADMIN ON *.* TO 'it\\'s'@'10.0.0.%'; -- for a switch: KILL",
      "GRANT SYSTEM_USER ON *.* TO 'it\\'s'@'10.0.0.%'; -- for a switch: KILL of sessions of such accounts, root among them",
      "GRANT SYSTEM_VARIABLES_ADMIN ON *.* TO 'it\\'s'@'10.0.0.%'; -- for a switch: super_read_only and semi-synchronous replication",
      "GRANT REPLICATION SLAVE ON *.* TO 'it\\'s'@'10.0.0.%'; -- for a switch: the former primary follows the new one",
    ])
    expect(text.split('\n').filter((line) => line.includes('Optional'))).toEqual([
      "-- Optional: GRANT EVENT ON *.* TO 'it\\'s'@'10.0.0.%'; -- for a switch: the names of events",
    ])
  })
})
