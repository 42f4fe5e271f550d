import { describe, expect, it } from 'vitest'
import {
  formatUserFile,
  losesLastFullUser,
  noUsers,
  parseUserFile,
  putUser,
  readUserChange,
  readUserUpdate,
  removeUnchangedUser,
  removeUser,
  revertUser,
  type UserRecord,
  writeUserChange,
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
      "user 'a' has an access level other than read, operate, full",
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

  it('has users of every level, and those of older releases, which have none, are full', () => {
    const levels: readonly UserRecord[] = [
      { ...record('a'), access: 'read' },
      { ...record('b'), access: 'operate' },
      record('c'),
    ]
    const text = formatUserFile({ version: 1, users: levels })
    expect(parseUserFile(text).users).toEqual(levels)
    expect(parseUserFile(text.replaceAll(/"access":"[a-z]+",/g, '')).users).toEqual([
      record('a'),
      record('b'),
      record('c'),
    ])
  })

  it('keeps the level or the hash of a user that a change leaves out, and ignores a level of nobody', () => {
    const raised = putUser(both, { user: 'a', access: 'read' })
    expect(raised.users[0]).toEqual({ ...record('a'), access: 'read' })
    expect(putUser(raised, { user: 'a', hash: other }).users[0]).toEqual({
      ...record('a', other),
      access: 'read',
    })
    expect(putUser(noUsers, { user: 'a', hash }).users).toEqual([record('a')])
    expect(putUser(both, { user: 'c', access: 'read' })).toBe(both)
    expect(putUser(raised, { user: 'a', access: 'read' })).toBe(raised)
  })

  it.each([
    [{ user: 'a', access: 'admin' }, "user 'a' has an access level other than read, operate, full"],
    [{ user: 'a' }, "user 'a' has no hash of the form $scrypt$ln=…,r=…,p=…$salt$hash"],
    [
      { user: 'a', access: 'read', hash: 'plain' },
      "user 'a' has no hash of the form $scrypt$ln=…,r=…,p=…$salt$hash",
    ],
  ])('refuses the change %j', (value, message) => {
    expect(() => readUserUpdate(value)).toThrow(new Error(message))
  })

  it('says when a change takes the last user with the level full', () => {
    const [a, b] = [record('a'), { ...record('b'), access: 'read' } as const]
    const file = (...users: readonly UserRecord[]) => ({ version: 1, users }) as const
    expect(losesLastFullUser(file(a, b), file(b))).toBe(true)
    expect(losesLastFullUser(file(a), file({ ...a, access: 'operate' }))).toBe(true)
    expect(losesLastFullUser(file(a), file())).toBe(true)
    expect(losesLastFullUser(noUsers, file(b))).toBe(true)
    expect(losesLastFullUser(file(b), file())).toBe(true)
    // A host that has none loses none.
    expect(losesLastFullUser(file(b), file(b, { ...b, user: 'c' }))).toBe(false)
    expect(losesLastFullUser(file(a, b), file(a))).toBe(false)
    expect(losesLastFullUser(noUsers, noUsers)).toBe(false)
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

  const version = (letter: string, access: UserRecord['access'] = 'full') => ({ hash: hash(letter), access })

  const written = { user: 'admin', written: version('N') }

  it('restores the previous password and level, removes a new user and keeps users who were added later', () => {
    const now = putUser(putUser(noUsers, admin('N')), other)
    const before = version('B', 'read')
    expect(revertUser(now, { ...written, before }).users).toEqual([{ ...admin('B'), access: 'read' }, other])
    expect(revertUser(now, written).users).toEqual([other])
    const gone = putUser(noUsers, other)
    expect(revertUser(gone, { user: 'admin', before }).users).toEqual([
      other,
      { ...admin('B'), access: 'read' },
    ])
  })

  it('leaves a user alone whose password or level was changed again, who was removed or is there again', () => {
    const later = putUser(putUser(noUsers, admin('L')), other)
    const lowered = putUser(putUser(noUsers, { ...admin('N'), access: 'read' }), other)
    const gone = putUser(noUsers, other)
    for (const file of [later, lowered, gone]) {
      expect(revertUser(file, { ...written, before: version('B') })).toBe(file)
      expect(revertUser(file, written)).toBe(file)
    }
    expect(revertUser(later, { user: 'admin', before: version('B') })).toBe(later)
  })

  it('removes a user only with the password and the level that were seen', () => {
    const file = putUser(putUser(noUsers, admin('N')), other)
    expect(removeUnchangedUser(file, admin('N')).users).toEqual([other])
    expect(removeUnchangedUser(file, admin('L'))).toBe(file)
    expect(removeUnchangedUser(file, { ...admin('N'), access: 'read' })).toBe(file)
  })

  it('is written as it is read, and as older releases read it where all levels are full', () => {
    const [read, full] = [version('B', 'read'), version('B')]
    for (const change of [
      { user: 'admin', written: version('N', 'operate'), before: read },
      { user: 'admin', written: version('N') },
      { user: 'admin', before: read },
      { user: 'admin', before: full },
    ]) {
      expect(readUserChange(JSON.parse(JSON.stringify(writeUserChange(change))))).toEqual(change)
    }
    expect(writeUserChange({ ...written, before: full })).toEqual({
      user: 'admin',
      hash: hash('N'),
      before: hash('B'),
    })
    expect(writeUserChange({ user: 'admin', before: full })).toEqual({ user: 'admin', before: hash('B') })
    expect(readUserChange({ user: 'admin', hash: hash('N'), before: hash('B') })).toEqual({
      ...written,
      before: full,
    })
  })

  it('is refused without its members, and no hash is quoted', () => {
    const bare = { user: 'admin', hash: hash('N') }
    for (const value of [
      undefined,
      'admin',
      {},
      { user: 'admin' },
      { ...bare, before: 'geheim' },
      { ...bare, hash: 'geheim' },
      { ...bare, before: hash('B'), beforeAccess: 'admin' },
    ]) {
      expect(() => readUserChange(value)).toThrow(/^(?!.*geheim)a?.*user/)
    }
  })
})
