import { describe, expect, it } from 'vitest'
import { missingPrivileges } from '../../../src/components/databases/grants.ts'
import type { DatabaseType } from '../../../src/contracts/choices.ts'
import { replicationPrivileges } from '../../../src/contracts/databaseAccounts.ts'

const account = "TO `muster`@`%` IDENTIFIED BY PASSWORD '*7B9EBEED26AA52ED10C0F549FA863F13C39E0209'"
const all = (type: DatabaseType): readonly string[] => replicationPrivileges(type).map(([name]) => name)
const mariadb = '10.11.6-MariaDB-log'

describe('missingPrivileges', () => {
  it('finds none where all are granted, by the names that MariaDB shows', () => {
    const shown = all('mariadb').map((name) => (name === 'REPLICA MONITOR' ? 'SLAVE MONITOR' : name))
    expect(
      missingPrivileges([`GRANT ${shown.join(', ')} ON *.* ${account} WITH GRANT OPTION`], mariadb),
    ).toEqual([])
    expect(missingPrivileges([`GRANT ALL PRIVILEGES ON *.* ${account}`], mariadb)).toEqual([])
  })

  it('names those that are not granted on everything', () => {
    expect(missingPrivileges([`GRANT USAGE ON *.* ${account}`], mariadb)).toEqual(all('mariadb'))
    expect(missingPrivileges([`GRANT ALL PRIVILEGES ON \`t\`.* ${account}`], mariadb)).toEqual(all('mariadb'))
    expect(missingPrivileges([], '8.4.3')).toContain('SELECT ON performance_schema.*')
    const lines = [`GRANT PROCESS, RELOAD ON *.* ${account}`]
    expect(missingPrivileges(lines, mariadb)).toEqual(
      all('mariadb').filter((it) => !/^(PROCESS|RELOAD)$/.test(it)),
    )
  })

  it('counts the privileges of active roles, which MariaDB shows too', () => {
    const lines = [
      'GRANT `r1` TO `muster`@`%`',
      `GRANT USAGE ON *.* ${account}`,
      `GRANT ${all('mariadb').join(', ')} ON *.* TO \`r1\``,
      'SET DEFAULT ROLE `r1` FOR `muster`@`%`',
    ]
    expect(missingPrivileges(lines, mariadb)).toEqual([])
    expect(missingPrivileges(lines.slice(0, 2), mariadb)).toEqual(all('mariadb'))
  })

  it('knows what SUPER includes in which version', () => {
    const rest = `GRANT SUPER, PROCESS, RELOAD, REPLICATION SLAVE, REPLICATION CLIENT ON *.* ${account}`
    expect(missingPrivileges([rest], '10.4.30-MariaDB')).toEqual([])
    expect(missingPrivileges([rest], '10.6.18-MariaDB')).toEqual([])
    expect(missingPrivileges([rest], mariadb)).toEqual(['READ_ONLY ADMIN'])
    expect(missingPrivileges([rest], '11.4.2-MariaDB')).toEqual([
      'REPLICA MONITOR',
      'REPLICATION SLAVE ADMIN',
      'CONNECTION ADMIN',
      'READ_ONLY ADMIN',
      'REPLICATION MASTER ADMIN',
    ])
    expect(missingPrivileges([rest], '8.0.40')).toEqual(['SELECT ON performance_schema.*', 'SYSTEM_USER'])
  })

  it('reads the lines of MySQL, and says nothing of an account with roles', () => {
    const lines = [
      'GRANT RELOAD, PROCESS, REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO `muster`@`%`',
      'GRANT CONNECTION_ADMIN,REPLICATION_SLAVE_ADMIN,SYSTEM_USER,SYSTEM_VARIABLES_ADMIN ON *.* TO `muster`@`%`',
      'GRANT SELECT ON `performance_schema`.* TO `muster`@`%`',
    ]
    expect(missingPrivileges(lines, '8.4.3')).toEqual([])
    expect(missingPrivileges(lines.slice(0, 2), '8.4.3')).toEqual(['SELECT ON performance_schema.*'])
    expect(missingPrivileges(['GRANT `admins`@`%` TO `muster`@`%`'], '8.4.3')).toEqual([])
  })
})
