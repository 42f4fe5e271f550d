import { describe, expect, it } from 'vitest'
import { readWrittenUser, takeBackUser } from '../../src/accounts/takeBackUser.ts'
import { noUsers, putUser } from '../../src/accounts/userFile.ts'
import type { UserRecord } from '../../src/accounts/userRecord.ts'

const hash = (letter: string): string => `$scrypt$ln=15,r=8,p=3$${'A'.repeat(22)}$${letter.repeat(43)}`
const admin = (letter: string): UserRecord => ({ user: 'admin', access: 'full', hash: hash(letter) })
const other: UserRecord = { user: 'other', access: 'full', hash: hash('O') }
const written = { user: 'admin', hash: hash('N') }

describe('a user that is taken back', () => {
  it('has the earlier password again, or is gone where there was none; who came meanwhile stays', () => {
    const now = putUser(putUser(noUsers, admin('N')), other)
    expect(takeBackUser(now, { ...written, before: hash('B') }).users).toEqual([admin('B'), other])
    expect(takeBackUser(now, written).users).toEqual([other])
  })

  it('stays where somebody gave it another password since, or removed it', () => {
    const later = putUser(putUser(noUsers, admin('L')), other)
    expect(takeBackUser(later, { ...written, before: hash('B') })).toBe(later)
    expect(takeBackUser(later, written)).toBe(later)
    const gone = putUser(noUsers, other)
    expect(takeBackUser(gone, { ...written, before: hash('B') })).toBe(gone)
  })

  it('is read with or without an earlier hash, and never quoted', () => {
    expect(readWrittenUser(written)).toEqual(written)
    expect(readWrittenUser({ ...written, before: hash('B') })).toEqual({ ...written, before: hash('B') })
    for (const value of [
      undefined,
      'admin',
      {},
      { ...written, before: 'geheim' },
      { ...written, hash: 'geheim' },
    ]) {
      expect(() => readWrittenUser(value)).toThrow(/^(?!.*geheim)a?.*user/)
    }
  })
})
