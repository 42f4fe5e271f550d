import { isObject } from '../base/json.ts'
import { parsePhc } from './phc.ts'
import type { UserFile, UserRecord } from './userRecord.ts'

/** The user file of a host that has no user. */
export const noUsers: UserFile = { version: 1, users: [] }

/**
 * Reads one user record; `access` may be left out and is `full`. Throws an Error that says what is wrong with
 * it and never quotes the hash.
 */
export function readUserRecord(value: unknown): UserRecord {
  if (!isObject(value)) throw new Error('a user must be an object')
  const { user, hash, access = 'full', ...others } = value
  if (typeof user !== 'string' || user === '') throw new Error("a user has no name in its member 'user'")
  const unknown = Object.keys(others)[0]
  if (unknown !== undefined) throw new Error(`user '${user}' has the unknown member '${unknown}'`)
  if (access !== 'full') throw new Error(`user '${user}' has an access level other than 'full'`)
  if (typeof hash !== 'string' || !parsePhc(hash)) {
    throw new Error(`user '${user}' has no hash of the form $scrypt$ln=…,r=…,p=…$salt$hash`)
  }
  return { user: user.normalize('NFC'), access, hash }
}

/** Reads the text of a user file. Throws an Error that says in one sentence what is wrong with it. */
export function parseUserFile(text: string): UserFile {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new Error('it is not JSON')
  }
  if (!isObject(value)) throw new Error('it must be an object')
  if (value.version !== 1) throw new Error("its member 'version' must be 1")
  if (!Array.isArray(value.users)) throw new Error("its member 'users' must be a list")
  const users = value.users.map((it) => readUserRecord(it))
  const seen = new Set<string>()
  const twice = users.find(({ user }) => seen.size === seen.add(user).size)
  if (twice) throw new Error(`it lists the user '${twice.user}' twice`)
  return { version: 1, users }
}

/** The text of a user file, one user per line. */
export const formatUserFile = (file: UserFile): string =>
  `{"version":1,"users":[\n${file.users.map((it) => JSON.stringify(it)).join(',\n')}\n]}\n`

/** The record of a name (in NFC), if there is one. */
export const findUser = (file: UserFile, name: string): UserRecord | undefined =>
  file.users.find(({ user }) => user === name.normalize('NFC'))

/** The file with this user added or replaced; the very same file when nothing changes. */
export function putUser(file: UserFile, record: UserRecord): UserFile {
  const present = findUser(file, record.user)
  if (!present) return { ...file, users: [...file.users, record] }
  if (present.hash === record.hash && present.access === record.access) return file
  return { ...file, users: file.users.map((it) => (it === present ? record : it)) }
}

/** The file without this user; the very same file when there is none of that name. */
export function removeUser(file: UserFile, name: string): UserFile {
  const present = findUser(file, name)
  return present ? { ...file, users: file.users.filter((it) => it !== present) } : file
}
