import type { Hasher } from '../accounts/passwordHash.ts'
import { findUser, noUsers, parseUserFile, type UserFile, type UserRecord } from '../accounts/userFile.ts'
import type { Secret } from '../secrets/secret.ts'
import type { ClusterState } from './state/clusterState.ts'

/**
 * Starts to hash the passwords of the file with known salts while hosts are being connected. A failed hash is
 * reported by the later caller.
 */
export function startHashing(
  hash: Hasher,
  given: ReadonlyMap<string, ReadonlyMap<string, Secret>>,
  state: ClusterState | undefined,
): void {
  for (const passwords of given.values()) {
    for (const [user, password] of passwords) {
      const salt = state?.users.get(user)?.salt
      if (salt !== undefined) hash(password, salt).catch(() => undefined)
    }
  }
}

/** Returns a user in the text of a user file; undefined without such a user or file. */
export const installedUser = (text: Secret | undefined, user: string): UserRecord | undefined =>
  findUser(readable(text), user)

/** Returns the password hash of a user in the text of a user file; undefined without such a user or file. */
export const userHash = (text: Secret | undefined, user: string): string | undefined =>
  installedUser(text, user)?.hash

/** Returns every user in the text of a user file, in its order; none without a file. */
export const installedUsers = (text: Secret | undefined): readonly UserRecord[] => readable(text).users

function readable(text: Secret | undefined): UserFile {
  if (text === undefined) return noUsers
  try {
    return parseUserFile(text.reveal())
  } catch {
    // Nobody can log in with a damaged file.
    return noUsers
  }
}
