import { describe, expect, it } from 'vitest'
import { chooseSource, type DatabaseHost, refuseUnfit } from '../../src/deployment/provision.ts'
import { databaseHost } from '../support/databaseHost.ts'
import { seenService } from '../support/seenService.ts'

describe('the source of a database that is made anew', () => {
  it('is a replica that is ONLINE', () => {
    expect(chooseSource(seenService('ONLINE', 'ONLINE', 'SHUNNED'), 'db3')).toBe('db2')
  })

  it('is the primary where no replica is left', () => {
    expect(chooseSource(seenService('ONLINE', 'SHUNNED', 'FAILED'), 'db3')).toBe('db1')
  })

  it('is nobody where nobody is ONLINE', () => {
    expect(chooseSource(seenService('FAILED', 'SHUNNED'), 'db2')).toBeUndefined()
  })
})

describe('the data of one host', () => {
  const refuse = (from: Partial<DatabaseHost['database']>, to: Partial<DatabaseHost['database']>) => () =>
    refuseUnfit({ from: databaseHost('db1', from), to: databaseHost('db2', to) })

  it('go to another one with the same release and the space', () => {
    expect(refuse({ version: '10.11.18-MariaDB' }, { free: 1100 })).not.toThrow()
  })

  it('go to none of another release, or another kind', () => {
    expect(refuse({ version: '9.7.4' }, {})).toThrow('it has MariaDB 10.11.19, and db1 has MySQL 9.7.4')
    expect(refuse({}, { version: '11.8.2-MariaDB' })).toThrow(
      'it has MariaDB 11.8.2, and db1 has MariaDB 10.11.19',
    )
  })

  it('go to none without the space for both', () => {
    expect(refuse({ bytes: 9e9 }, { free: 9e9 })).toThrow(
      '/srv/data has 9.0 GB free, and needs 9.9 GB beside the old data',
    )
  })

  it('go to none from a server that cannot be copied', () => {
    expect(refuse({ obstacle: 'its server does not run' }, {})).toThrow('its server does not run')
  })
})
