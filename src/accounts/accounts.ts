import type { AccessLevel } from '../contracts/accessLevels.ts'
import type { Secret } from '../secrets/secret.ts'
import { createFairQueue, type Origin } from './fairQueue.ts'
import type { GuessSource, Lockout } from './lockout.ts'
import { hashPassword, saltBytes, verifyPassword } from './passwordHash.ts'
import type { ScryptCost } from './phc.ts'
import { findUser, type UserFile, type UserRecord, type UserUpdate } from './userFile.ts'
import {
  changeUserFile,
  type FileIdentity,
  identifyUserFile,
  isSameContent,
  readUserFile,
} from './userFileIo.ts'
import { createVerifiedLogins, type Login } from './verifiedLogins.ts'

/** Result of a login: the access level of the user; `no-user` if the host has no user at all. */
type LoginVerdict = AccessLevel | 'refused' | 'no-user'

/**
 * The users of this host as one process sees them: always the present content of the user file. What waits
 * for password checks rejects with `QueueFullError` when too many wait; see also `changeUserFile`.
 */
export type Accounts = {
  users(): Promise<readonly UserRecord[]>
  /** The same at once, where the file has not changed since it was read: the very same list then. */
  usersIfUnchanged(): readonly UserRecord[] | undefined
  /** Returns the users of the last login check or read, without another look at the file. */
  lastSeenUsers(): readonly UserRecord[]
  /**
   * Takes as long for an unknown user as for a wrong password. Failures count for the pair of origin and user
   * name, where `originOf` is given, and a locked pair rejects with `LockedOutError`, whether there is such a user
   * or not; a login that is verified already passes whoever failed before, and then nobody asks for its origin.
   */
  verify(login: Login, originOf?: () => Promise<Origin>): Promise<LoginVerdict>
  /** A new hash for a user; the present one when its password is this one already. */
  recordFor(login: Login): Promise<UserUpdate>
  change(change: (file: UserFile) => UserFile): Promise<boolean>
  /** Returns true if `change` would change the file now. */
  wouldChange(change: (file: UserFile) => UserFile): Promise<boolean>
}

/** One content of the file; another content, another view. */
type View = {
  readonly identity: FileIdentity
  readonly file: UserFile
  /** Checked in place of the hash that an unknown user does not have. */
  readonly dummyHash: string
}

/** Password checks: two at a time, each 0.2 s; whoever waits behind 64 others gets its turn within seven seconds. */
const passwordCheckLimits = { concurrency: 2, perOrigin: 32, waiting: 64 } as const

/** Callers that come by the private socket, or from within this process. */
const ownOrigin: Origin = { name: '', isLocal: true }

/** Opens the users of the host; `key` is 32 random bytes of this process, `random` gives salts. */
export function createAccounts(options: {
  readonly path: string
  readonly key: Buffer
  readonly random: (bytes: number) => Buffer
  readonly lockout: Lockout
  readonly cost?: ScryptCost
  readonly maxVerifiedLogins?: number
  /** Another one only in tests. */
  readonly verify?: typeof verifyPassword
}): Accounts {
  const { path, key, random, lockout, verify: verifyHash = verifyPassword } = options
  const queue = createFairQueue(passwordCheckLimits)
  const logins = createVerifiedLogins({ key, limit: options.maxVerifiedLogins ?? 1000 })
  let latest: View | undefined

  const readView = async (): Promise<View> => {
    const { identity, file } = await readUserFile(path)
    // The cost of the first user's hash, for the time must be the same; its password stays unknown to all.
    const [, scrypt, cost, , hash] = file.users[0]?.hash.split('$') ?? []
    const dummyHash = ['', scrypt, cost, random(saltBytes).toString('base64').replace(/=+$/, ''), hash].join(
      '$',
    )
    if (!latest || !isSameContent(latest.identity, identity)) latest = { identity, file, dummyHash }
    return latest
  }

  /** The view, if it is of the present content; most calls find it so, and then nothing has to wait. */
  const present = (): View | undefined =>
    latest && isSameContent(latest.identity, identifyUserFile(path)) ? latest : undefined

  const check = (password: Secret, hash: string, origin: Origin): Promise<boolean> =>
    queue.run(origin, () => verifyHash(password, hash))

  /** A check that counts as a guess; an async function, so that a lock is a rejection as any other. */
  const checkGuess = async (pair: GuessSource, work: () => Promise<boolean>): Promise<boolean> => {
    const guess = lockout.begin(pair)
    try {
      const verified = await work()
      if (verified) guess.succeeded()
      else guess.failed()
      return verified
    } catch (error) {
      guess.cancelled()
      throw error
    }
  }

  return {
    users: async () => (present() ?? (await readView())).file.users,
    usersIfUnchanged: () => present()?.file.users,
    lastSeenUsers: () => latest?.file.users ?? [],

    async verify(login, originOf) {
      const { file, dummyHash } = present() ?? (await readView())
      if (file.users.length === 0) return 'no-user'
      const { user, password } = login
      const record = findUser(file, user)
      const hash = record?.hash ?? dummyHash
      if (record && logins.isGood({ login, hash })) return record.access
      const origin = (await originOf?.()) ?? ownOrigin
      const verify = async (): Promise<boolean> =>
        (await check(password, hash, origin)) && record !== undefined
      const verified = await logins.check({ login, hash, guesser: origin.name }, () =>
        originOf === undefined ? verify() : checkGuess({ from: origin.name, user }, verify),
      )
      return verified && record ? record.access : 'refused'
    },

    async recordFor({ user, password }) {
      const known = findUser((present() ?? (await readView())).file, user)
      if (known && (await check(password, known.hash, ownOrigin))) {
        return { user: known.user, hash: known.hash }
      }
      const salt = random(saltBytes)
      const cost = options.cost === undefined ? {} : { cost: options.cost }
      const hash = await queue.run(ownOrigin, () => hashPassword({ password, salt, ...cost }))
      return { user: user.normalize('NFC'), hash }
    },

    change: (change) => changeUserFile(path, change),
    wouldChange: async (change) => {
      const { file } = present() ?? (await readView())
      return change(file) !== file
    },
  }
}
