import { describe, expect, it } from 'vitest'
import { replicatorGrants } from '../../src/contracts/replicatorGrants.ts'

describe('replicatorGrants', () => {
  it('makes the account on MariaDB', () => {
    expect(replicatorGrants({ type: 'mariadb', user: 'muster', from: '127.0.0.1' })).toBe(
      `-- Run this on the primary: replication carries it to the replicas.
-- Where no replication runs yet, run it there too; a second time does no harm.
CREATE USER IF NOT EXISTS 'muster'@'127.0.0.1' IDENTIFIED BY '<replication-password>';
GRANT REPLICA MONITOR ON *.* TO 'muster'@'127.0.0.1'; -- for SHOW ALL SLAVES STATUS
GRANT BINLOG MONITOR ON *.* TO 'muster'@'127.0.0.1'; -- for SHOW MASTER STATUS
GRANT REPLICATION SLAVE ADMIN ON *.* TO 'muster'@'127.0.0.1'; -- for START SLAVE and STOP SLAVE
GRANT RELOAD ON *.* TO 'muster'@'127.0.0.1'; -- for RESET SLAVE
`,
    )
  })

  it('makes the account on MySQL, whatever its name', () => {
    const text = replicatorGrants({ type: 'mysql', user: "it's", from: '10.0.0.%' })
    expect(text.split('\n').filter((line) => line.startsWith('GRANT'))).toEqual([
      "GRANT REPLICATION CLIENT ON *.* TO 'it\\'s'@'10.0.0.%'; -- for SHOW REPLICA STATUS and SHOW BINARY LOG STATUS",
      "GRANT REPLICATION_SLAVE_ADMIN ON *.* TO 'it\\'s'@'10.0.0.%'; -- for START REPLICA and STOP REPLICA",
      "GRANT RELOAD ON *.* TO 'it\\'s'@'10.0.0.%'; -- for RESET REPLICA",
    ])
  })
})
