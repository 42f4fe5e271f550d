import { changeUserFile } from './changeUserFile.ts'
import { createGate } from './gate.ts'
import { hashPassword, saltBytes, verifyPassword } from './passwordHash.ts'
import type { ScryptCost } from './phc.ts'
import { findUser } from './userFile.ts'
import { type FileIdentity, identifyUserFile, readUserFile } from './userFileIo.ts'
import type { UserFile, UserRecord } from './userRecord.ts'
import { createVerifiedLogins, type Login, type VerifiedLogins } from './verifiedLogins.ts'

/** How a login ended; `no-user` when the host has none at all. */
export type LoginVerdict = 'good' | 'refused' | 'no-user'

/**
 * The users of this host as one process sees them: always the present content of the user file. What waits
 * for password checks rejects with `GateFullError` when too many wait; see also `changeUserFile`.
 */
export type Accounts = {
  users(): Promise<readonly UserRecord[]>
  /** Takes as long for an unknown user as for a wrong password. */
  verify(login: Login): Promise<LoginVerdict>
  /** A record with a new hash; the present one when its password is this one already. */
  recordFor(login: Login): Promise<UserRecord>
  change(change: (file: UserFile) => UserFile): Promise<boolean>
}

/** One content of the file with the logins that were verified against it; another content, another view. */
type View = {
  readonly identity: FileIdentity
  readonly file: UserFile
  readonly logins: VerifiedLogins
  /** Checked in place of the hash that an unknown user does not have. */
  readonly decoy: string
}

/** Opens the users of the host; `key` is 32 random bytes of this process, `random` gives salts. */
export function createAccounts(options: {
  readonly path: string
  readonly key: Buffer
  readonly random: (bytes: number) => Buffer
  readonly cost?: ScryptCost
  readonly rememberedLogins?: number
}): Accounts {
  const { path, key, random } = options
  const gate = createGate({ atOnce: 2, waiting: 32 })
  const limit = options.rememberedLogins ?? 1000
  let latest: View | undefined

  const makeView = async (): Promise<View> => {
    const { identity, file } = await readUserFile(path)
    // The cost of the first user's hash, for the time must be the same; its password stays unknown to all.
    const [, scrypt, cost, , hash] = file.users[0]?.hash.split('$') ?? []
    const decoy = ['', scrypt, cost, random(saltBytes).toString('base64').replace(/=+$/, ''), hash].join('$')
    return { identity, file, logins: createVerifiedLogins({ key, limit }), decoy }
  }

  const view = async (): Promise<View> => {
    if (latest?.identity === (await identifyUserFile(path))) return latest
    const fresh = await makeView()
    if (latest?.identity !== fresh.identity) latest = fresh
    return latest
  }

  return {
    users: async () => (await view()).file.users,

    async verify(login) {
      const { file, logins, decoy } = await view()
      if (file.users.length === 0) return 'no-user'
      const record = findUser(file, login.user)
      const check = (): Promise<boolean> =>
        gate.run(() => verifyPassword(login.password, record?.hash ?? decoy))
      const verified = await logins.verdict(login, check)
      return verified && record ? 'good' : 'refused'
    },

    async recordFor({ user, password }) {
      const present = findUser((await view()).file, user)
      if (present && (await gate.run(() => verifyPassword(password, present.hash)))) return present
      const salt = random(saltBytes)
      const cost = options.cost === undefined ? {} : { cost: options.cost }
      const hash = await gate.run(() => hashPassword({ password, salt, ...cost }))
      return { user: user.normalize('NFC'), access: 'full', hash }
    },

    change: (change) => changeUserFile(path, change),
  }
}
