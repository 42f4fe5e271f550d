import { describe, expect, it } from 'vitest'
import type { SeenService } from '../../src/client/clusterView.ts'
import { chooseSource, type DatabaseHost, refusalOf, refuseUnfit } from '../../src/deployment/provision.ts'

/** A service whose data sources are in these states; the first one is the primary. */
const service = (...states: readonly string[]): SeenService =>
  ({
    name: 'alpha',
    writer: { datasource: states[0] === 'ONLINE' ? 'db1' : null },
    datasources: states.map((state, index) => ({ name: `db${index + 1}`, state })),
  }) as unknown as SeenService

describe('the source of a database that is made anew', () => {
  it('is a replica that is ONLINE', () => {
    expect(chooseSource(service('ONLINE', 'ONLINE', 'SHUNNED'), 'db3')).toBe('db2')
  })

  it('is the primary where no replica is left', () => {
    expect(chooseSource(service('ONLINE', 'SHUNNED', 'FAILED'), 'db3')).toBe('db1')
  })

  it('is nobody where nobody is ONLINE', () => {
    expect(chooseSource(service('FAILED', 'SHUNNED'), 'db2')).toBeUndefined()
  })
})

describe('a database', () => {
  const of = (states: readonly string[], target: string, source: string | undefined) =>
    refusalOf(service(...states), { target, source })?.reason

  it('is made anew from a data source that is ONLINE', () => {
    expect(of(['ONLINE', 'SHUNNED'], 'db2', 'db1')).toBeUndefined()
  })

  it('is refused as the primary, from itself, or from one that is away or unknown', () => {
    expect(of(['ONLINE', 'ONLINE'], 'db1', 'db2')).toBe('it is the primary of alpha')
    expect(of(['ONLINE', 'ONLINE'], 'db2', 'db2')).toBe('it cannot be made anew from itself')
    expect(of(['ONLINE', 'ONLINE', 'FAILED'], 'db2', 'db3')).toBe('db3 is FAILED, and not ONLINE')
    expect(of(['ONLINE', 'ONLINE'], 'db2', 'db9')).toBe('db9 is no data source of alpha')
  })

  it('is refused where there is nobody to follow, or to copy', () => {
    expect(of(['FAILED', 'ONLINE'], 'db2', 'db1')).toBe('alpha has no primary to follow')
    expect(of(['ONLINE', 'SHUNNED'], 'db2', undefined)).toBe('no other data source of alpha is ONLINE')
  })
})

describe('the data of one host', () => {
  const host = (name: string, database: Partial<DatabaseHost['database']>): DatabaseHost =>
    ({
      reached: { host: { name } },
      database: { folder: '/srv/data', version: '10.11.19-MariaDB', bytes: 1000, free: 5000, ...database },
    }) as unknown as DatabaseHost
  const refuse = (from: Partial<DatabaseHost['database']>, to: Partial<DatabaseHost['database']>) => () =>
    refuseUnfit({ from: host('db1', from), to: host('db2', to) })

  it('go to another one with the same release and the space', () => {
    expect(refuse({ version: '10.11.18-MariaDB' }, { free: 1100 })).not.toThrow()
  })

  it('go to none of another release', () => {
    expect(refuse({}, { version: '11.8.2-MariaDB' })).toThrow(
      'it has MariaDB 11.8.2-MariaDB, and db1 has 10.11.19-MariaDB',
    )
  })

  it('go to none without the space for both', () => {
    expect(refuse({ bytes: 9e9 }, { free: 9e9 })).toThrow(
      '/srv/data has 9.0 GB free, and needs 9.9 GB beside the old data',
    )
  })
})
