import { describe, expect, it } from 'vitest'
import {
  formatUserFile,
  noUsers,
  parseUserFile,
  putUser,
  readUserChange,
  removeUser,
  revertUser,
  type UserRecord,
} from '../../src/accounts/userFile.ts'

const hash = '$scrypt$ln=15,r=8,p=3$MDEyMzQ1Njc4OWFiY2RlZg$MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY'
const other = hash.replace('MDEy', 'MDEz')
const record = (user: string, itsHash = hash): UserRecord => ({ user, access: 'full', hash: itsHash })
const both = { version: 1, users: [record('a'), record('b')] } as const

describe('the user file', () => {
  it('reads what it writes, one user per line', () => {
    expect(formatUserFile(both)).toBe(
      `{"version":1,"users":[\n${JSON.stringify(record('a'))},\n${JSON.stringify(record('b'))}\n]}\n`,
    )
    expect(parseUserFile(formatUserFile(both))).toEqual(both)
    expect(parseUserFile(formatUserFile(noUsers))).toEqual(noUsers)
  })

  it.each([
    ['', 'it is not JSON'],
    ['[]', 'it must be an object'],
    ['{"users":[]}', "its member 'version' must be 1"],
    ['{"version":1}', "its member 'users' must be a list"],
    ['{"version":1,"users":[{}]}', "a user has no name in its member 'user'"],
    [
      `{"version":1,"users":[{"user":"a","hash":"plain"}]}`,
      "user 'a' has no hash of the form $scrypt$ln=…,r=…,p=…$salt$hash",
    ],
    [
      `{"version":1,"users":[{"user":"a","hash":"${hash}","access":"some"}]}`,
      "user 'a' has an access level other than 'full'",
    ],
    [
      `{"version":1,"users":[{"user":"a","hash":"${hash}","pass":"x"}]}`,
      "user 'a' has the unknown member 'pass'",
    ],
    [
      `{"version":1,"users":[{"user":"a","hash":"${hash}"},{"user":"a","hash":"${hash}"}]}`,
      "it lists the user 'a' twice",
    ],
  ])('parser refuses %j', (text, message) => {
    expect(() => parseUserFile(text)).toThrow(new Error(message))
  })

  it('is the same object if adding, replacing or removing a user changes nothing', () => {
    expect(putUser(noUsers, record('a')).users).toEqual([record('a')])
    expect(putUser(both, record('a', other)).users).toEqual([record('a', other), record('b')])
    expect(putUser(both, record('b'))).toBe(both)
    expect(removeUser(both, 'a').users).toEqual([record('b')])
    expect(removeUser(both, 'c')).toBe(both)
  })

  it('finds a user by both Unicode spellings of an accent', () => {
    const file = putUser(noUsers, record('jos\u00e9'))
    expect(putUser(file, record('jos\u00e9', other)).users).toHaveLength(1)
    expect(removeUser(file, 'jose\u0301').users).toEqual([])
  })
})

describe('reverting a change of a user', () => {
  const hash = (letter: string): string => `$scrypt$ln=15,r=8,p=3$${'A'.repeat(22)}$${letter.repeat(43)}`

  const admin = (letter: string): UserRecord => ({ user: 'admin', access: 'full', hash: hash(letter) })

  const other: UserRecord = { user: 'other', access: 'full', hash: hash('O') }

  const written = { user: 'admin', hash: hash('N') }

  it('restores the previous password, removes a new user and keeps users who were added later', () => {
    const now = putUser(putUser(noUsers, admin('N')), other)
    expect(revertUser(now, { ...written, before: hash('B') }).users).toEqual([admin('B'), other])
    expect(revertUser(now, written).users).toEqual([other])
  })

  it('leaves a user alone whose password was changed again or who was removed', () => {
    const later = putUser(putUser(noUsers, admin('L')), other)
    expect(revertUser(later, { ...written, before: hash('B') })).toBe(later)
    expect(revertUser(later, written)).toBe(later)
    const gone = putUser(noUsers, other)
    expect(revertUser(gone, { ...written, before: hash('B') })).toBe(gone)
  })

  it('reads the change with or without a previous hash, and never quotes it', () => {
    expect(readUserChange(written)).toEqual(written)
    expect(readUserChange({ ...written, before: hash('B') })).toEqual({ ...written, before: hash('B') })
    for (const value of [
      undefined,
      'admin',
      {},
      { ...written, before: 'geheim' },
      { ...written, hash: 'geheim' },
    ]) {
      expect(() => readUserChange(value)).toThrow(/^(?!.*geheim)a?.*user/)
    }
  })
})
