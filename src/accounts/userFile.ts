import { isObject } from '../base/json.ts'
import { parsePhc } from './phc.ts'

/** One API user as the user file keeps it. */
export type UserRecord = {
  readonly user: string
  /** The only level that the specification shows (section 5.7). */
  readonly access: 'full'
  /** PHC string, `$scrypt$ln=14,r=8,p=5$<salt>$<hash>`. */
  readonly hash: string
}

/** The host's one user file, shared by its three components. */
export type UserFile = { readonly version: 1; readonly users: readonly UserRecord[] }

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

/** Returns the text of a user file, one user per line. */
export const formatUserFile = (file: UserFile): string =>
  `{"version":1,"users":[\n${file.users.map((it) => JSON.stringify(it)).join(',\n')}\n]}\n`

/** Returns the record of a name (in NFC), if there is one. */
export const findUser = (file: UserFile, name: string): UserRecord | undefined =>
  file.users.find(({ user }) => user === name.normalize('NFC'))

/** Returns the file with this user added or replaced; the very same file when nothing changes. */
export function putUser(file: UserFile, record: UserRecord): UserFile {
  const present = findUser(file, record.user)
  if (!present) return { ...file, users: [...file.users, record] }
  if (present.hash === record.hash && present.access === record.access) return file
  return { ...file, users: file.users.map((it) => (it === present ? record : it)) }
}

/** Returns the file without this user; the very same file when there is none of that name. */
export function removeUser(file: UserFile, name: string): UserFile {
  const present = findUser(file, name)
  return present ? { ...file, users: file.users.filter((it) => it !== present) } : file
}

/**
 * Returns the file without a user; the very same file where the user has another password by now, or is gone:
 * somebody changed it later.
 */
export const removeUnchangedUser = (
  file: UserFile,
  { user, hash }: Pick<UserRecord, 'user' | 'hash'>,
): UserFile => (findUser(file, user)?.hash === hash ? removeUser(file, user) : file)

/**
 * Change of a user by a run, with the hash before it: without `before` there was no such user, without `hash`
 * the run removed it.
 */
type UserChange =
  | { readonly user: string; readonly hash: string; readonly before?: string }
  | { readonly user: string; readonly hash?: never; readonly before: string }

/** Reads a change; throws an Error that says what is wrong with it and never quotes a hash. */
export function readUserChange(value: unknown): UserChange {
  if (typeof value !== 'object' || value === null) throw new Error('a user must be an object')
  const { before, ...rest } = { before: undefined, ...value }
  if (before !== undefined && !('hash' in rest)) {
    const removed = readUserRecord({ ...rest, hash: before })
    return { user: removed.user, before: removed.hash }
  }
  const { user, hash } = readUserRecord(rest)
  if (before === undefined) return { user, hash }
  return { user, hash, before: readUserRecord({ user, hash: before }).hash }
}

/**
 * Returns the file without a change of a user; the very same file where the user has another password,
 * is gone or is there again by now: somebody changed it later.
 */
export function revertUser(file: UserFile, { user, hash, before }: UserChange): UserFile {
  if (hash === undefined) {
    return findUser(file, user) === undefined ? putUser(file, { user, access: 'full', hash: before }) : file
  }
  if (findUser(file, user)?.hash !== hash) return file
  return before === undefined ? removeUser(file, user) : putUser(file, { user, access: 'full', hash: before })
}
