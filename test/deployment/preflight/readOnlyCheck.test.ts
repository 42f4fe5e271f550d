import { describe, expect, it } from 'vitest'
import type { DatabaseLogin } from '../../../src/contracts/databaseAccounts.ts'
import type { ConfiguredReadOnly } from '../../../src/deployment/configuredReadOnly.ts'
import { hostConfig } from '../../support/deploymentValues.ts'
import { clusterConfig, subject, verdicts } from './values.ts'

const places = { db1: '10.0.0.11:3306', db2: '10.0.0.12:3306' } as const

/** What the servers say: db2 follows db1. */
const logins: readonly DatabaseLogin[] = [
  { option: 'monitor-user', place: places.db1, server: { isWritable: true, follows: [] } },
  { option: 'monitor-user', place: places.db2, server: { isWritable: false, follows: [places.db1] } },
]
const services = [
  {
    name: 'alpha',
    datasources: [
      { name: 'db1', host: '10.0.0.11', port: 3306, role: 'primary' as const },
      { name: 'db2', host: '10.0.0.12', port: 3306, role: 'replica' as const },
    ],
  },
]
const switching = { user: 'muster' } as NonNullable<ReturnType<typeof hostConfig>['switching']>

/** What the check finds on a host whose server starts so. */
const found = (
  name: 'db1' | 'db2',
  configuredReadOnly: ConfiguredReadOnly | string,
  { seen = logins, canSwitch = true, type = 'mariadb' as 'mariadb' | 'mysql' } = {},
) => {
  const host = {
    name,
    database: { type, host: '127.0.0.1', port: 3306, service: 'alpha' },
    ...(canSwitch && { switching }),
  }
  const of = { ...subject({ host, observed: { configuredReadOnly } }), logins: seen }
  return verdicts('read-only', [of], { config: { ...clusterConfig([hostConfig(host)]), services } })
}
const file = '/etc/mysql/mariadb.conf.d/50-server.cnf'
const unset: ConfiguredReadOnly = { isReadOnly: false, group: { file, name: 'mariadb' } }

describe('the check of what a database starts with', () => {
  it('names the file and the group where nothing sets read_only, and what that means for the role', () => {
    expect(found('db2', unset)).toEqual([
      {
        result: 'warning',
        reason:
          'after a restart its database can be written, although it is a replica: no option file sets read_only',
        fix: `Write read_only=1 below [mariadb] in ${file}; the manager makes a primary writable again after a start.`,
      },
    ])
    expect(found('db1', { isReadOnly: false })).toEqual([
      {
        result: 'warning',
        reason:
          'after a restart its database can be written, also where another one took over meanwhile: no option file sets read_only',
        fix: 'Write read_only=1 below [mysqld] in its option file; the manager makes a primary writable again after a start.',
      },
    ])
  })

  it('names the line that switches it off, whatever its role is', () => {
    expect(found('db1', { ...unset, place: `${file}:12` }, { seen: [] })).toEqual([
      {
        result: 'warning',
        reason: `after a restart its database can be written: ${file}:12 switches read_only off`,
        fix: 'Write read_only=1 there; the manager makes a primary writable again after a start.',
      },
    ])
  })

  it('is content with read_only=1 on every server, unless nobody makes the primary writable again', () => {
    const set = { isReadOnly: true, place: `${file}:12` }
    const content = [{ result: 'ok', reason: `its database starts read-only: ${file}:12` }]
    expect(found('db1', set)).toEqual(content)
    expect(found('db2', set, { canSwitch: false })).toEqual(content)
    expect(found('db1', set, { canSwitch: false })).toEqual([
      {
        result: 'warning',
        reason: `after a restart its database is read-only, and nobody can write: ${file}:12`,
        fix: 'Set replication-user, so that its manager makes the primary writable again after a start.',
      },
    ])
  })

  it('says why it checked nothing', () => {
    expect(found('db1', '2 servers run on this host')).toEqual([
      { result: 'ok', reason: 'its option files were not checked: 2 servers run on this host' },
    ])
    expect(found('db1', unset, { type: 'mysql' })).toEqual([
      {
        result: 'ok',
        reason: 'not checked for MySQL, which starts read-only after its first switch (SET PERSIST)',
      },
    ])
  })
})
