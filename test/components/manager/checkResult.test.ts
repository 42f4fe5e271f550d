import { describe, expect, it } from 'vitest'
import { DatabaseError } from '../../../src/components/databases/databaseError.ts'
import { observe } from '../../../src/components/manager/checkResult.ts'

describe('observe', () => {
  const kindOf = async (facts: { code: DatabaseError['code']; number?: number }) =>
    (await observe(Promise.reject(new DatabaseError({ message: 'no', ...facts })))).kind

  it.each([
    [{ code: 'unreachable' }, 'failed'],
    [{ code: 'timeout' }, 'failed'],
    [{ code: 'refused', number: 1053 }, 'failed'],
    [{ code: 'refused', number: 1129 }, 'unable'],
    [{ code: 'refused', number: 1040 }, 'unable'],
    [{ code: 'refused', number: 1045 }, 'unable'],
    [{ code: 'refused', number: 1227 }, 'unable'],
    [{ code: 'refused' }, 'unable'],
  ] as const)('calls %j %s', async (facts, kind) => {
    expect(await kindOf(facts)).toBe(kind)
  })

  it('hands on what is no failure of a database', async () => {
    await expect(observe(Promise.reject(new TypeError('a bug')))).rejects.toThrow('a bug')
  })
})
