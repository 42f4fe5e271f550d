import { isObject } from '../base/json.ts'
import { type AccessLevel, accessLevels, isAccessLevel } from '../contracts/accessLevels.ts'
import { parsePhc } from './phc.ts'

/** One API user as the user file keeps it. */
export type UserRecord = {
  readonly user: string
  readonly access: AccessLevel
  /** PHC string, `$scrypt$ln=14,r=8,p=5$<salt>$<hash>`. */
  readonly hash: string
}

/** Change of a user: what is left out stays as it is; a new user needs a hash, and has the level `full` without one. */
export type UserUpdate = Pick<UserRecord, 'user'> & Partial<UserRecord>

/** The host's one user file, shared by its three components. */
export type UserFile = { readonly version: 1; readonly users: readonly UserRecord[] }

/** The user file of a host that has no user. */
export const noUsers: UserFile = { version: 1, users: [] }

/**
 * Reads one user record; `access` may be left out and is `full`. Throws an Error that says what is wrong with
 * it and never quotes the hash.
 */
export function readUserRecord(value: unknown): UserRecord {
  const { user, hash, access = 'full' } = readUserUpdate(value)
  if (hash === undefined) throw noHash(user)
  return { user, access, hash }
}

const noHash = (user: string): Error =>
  new Error(`user '${user}' has no hash of the form $scrypt$ln=…,r=…,p=…$salt$hash`)

/** Reads a change of a user. Throws an Error that says what is wrong with it and never quotes the hash. */
export function readUserUpdate(value: unknown): UserUpdate {
  if (!isObject(value)) throw new Error('a user must be an object')
  const { user, hash, access, ...others } = value
  if (typeof user !== 'string' || user === '') throw new Error("a user has no name in its member 'user'")
  const unknown = Object.keys(others)[0]
  if (unknown !== undefined) throw new Error(`user '${user}' has the unknown member '${unknown}'`)
  if (access !== undefined && !isAccessLevel(access)) {
    throw new Error(`user '${user}' has an access level other than ${accessLevels.join(', ')}`)
  }
  if (hash === undefined && access !== undefined) return { user: user.normalize('NFC'), access }
  if (typeof hash !== 'string' || !parsePhc(hash)) throw noHash(user)
  return { user: user.normalize('NFC'), hash, ...(access && { access }) }
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

/**
 * Returns the file with this user added or changed; the very same file when nothing changes, or when there is no user
 * to change: somebody removed it.
 */
export function putUser(file: UserFile, update: UserUpdate): UserFile {
  const present = findUser(file, update.user)
  const { user, hash = present?.hash, access = present?.access ?? 'full' } = update
  if (hash === undefined) return file
  const record: UserRecord = { user, access, hash }
  if (!present) return { ...file, users: [...file.users, record] }
  if (present.hash === hash && present.access === access) return file
  return { ...file, users: file.users.map((it) => (it === present ? record : it)) }
}

/** Returns true if a change takes the last user, or the last one with the level `full`: nobody could change users. */
export const losesLastFullUser = (before: UserFile, after: UserFile): boolean =>
  after !== before &&
  after.users.every(({ access }) => access !== 'full') &&
  (after.users.length === 0 ||
    before.users.length === 0 ||
    before.users.some(({ access }) => access === 'full'))

/** Returns the file without this user; the very same file when there is none of that name. */
export function removeUser(file: UserFile, name: string): UserFile {
  const present = findUser(file, name)
  return present ? { ...file, users: file.users.filter((it) => it !== present) } : file
}

/**
 * Returns the file without a user; the very same file where the user has another password or level by now, or is gone:
 * somebody changed it later.
 */
export const removeUnchangedUser = (file: UserFile, { user, ...written }: UserRecord): UserFile =>
  revertUser(file, { user, written })

/** Hash and level of a user at one time. */
type UserVersion = Pick<UserRecord, 'hash' | 'access'>

/**
 * Change of a user by a run: what it wrote and what was there before. Without `before` there was no such user, without
 * `written` the run removed it.
 */
type UserChange = { readonly user: string } & (
  | { readonly written: UserVersion; readonly before?: UserVersion }
  | { readonly written?: never; readonly before: UserVersion }
)

/**
 * Reads a change: `hash` and `access` as written, `before` (a hash) and `beforeAccess` as they were; a level may be left
 * out and is `full`. Throws an Error that says what is wrong with it and never quotes a hash.
 */
export function readUserChange(value: unknown): UserChange {
  if (!isObject(value)) throw new Error('a user must be an object')
  const { before, beforeAccess, ...rest } = value
  const { user } = rest
  const version = (members: object): UserVersion & { readonly user: string } => readUserRecord(members)
  if (before !== undefined && !('hash' in rest)) {
    const removed = version({ ...rest, hash: before, access: beforeAccess })
    return { user: removed.user, before: { hash: removed.hash, access: removed.access } }
  }
  const { user: name, hash, access } = version(rest)
  const written = { hash, access }
  if (before === undefined) return { user: name, written }
  const old = version({ user, hash: before, access: beforeAccess })
  return { user: name, written, before: { hash: old.hash, access: old.access } }
}

/** Returns a change as `readUserChange` reads it; releases without levels read one of users with the level `full`. */
export const writeUserChange = ({ user, written, before }: UserChange): object => ({
  user,
  ...(written && { hash: written.hash }),
  ...(written && written.access !== 'full' && { access: written.access }),
  ...(before && { before: before.hash }),
  ...(before && before.access !== 'full' && { beforeAccess: before.access }),
})

/**
 * Returns the file without a change of a user; the very same file where the user has another password or level, is gone
 * or is there again by now: somebody changed it later.
 */
export function revertUser(file: UserFile, { user, written, before }: UserChange): UserFile {
  const present = findUser(file, user)
  const isUnchanged =
    written === undefined
      ? present === undefined
      : present?.hash === written.hash && present.access === written.access
  if (!isUnchanged) return file
  return before === undefined ? removeUser(file, user) : putUser(file, { user, ...before })
}
