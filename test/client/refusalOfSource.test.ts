import { describe, expect, it } from 'vitest'
import { refusalOf } from '../../src/client/refusalOfSource.ts'
import { seenService } from '../support/seenService.ts'

describe('a database', () => {
  const of = (states: readonly string[], target: string, source: string | undefined) =>
    refusalOf(seenService(...states), { target, source })?.reason

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
