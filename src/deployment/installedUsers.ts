import type { Hasher } from '../accounts/passwordHash.ts'
import { findUser, noUsers, parseUserFile, type UserFile, type UserRecord } from '../accounts/userFile.ts'
import type { Secret } from '../secrets/secret.ts'
import type { ClusterState } from './state/clusterState.ts'

/**
 * Begins to hash the passwords that the file gives, with the salts that are known: it is done while hosts are
 * connected to. A hash that fails is told by who asks for it again.
 */
export function hashEarly(
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

/** The password hash of a user in the text of a user file; undefined when there is no such user or file. */
export const userHash = (text: Secret | undefined, user: string): string | undefined =>
  findUser(readable(text), user)?.hash

/** Every user in the text of a user file, in its order; none where there is no file. */
export const installedUsers = (text: Secret | undefined): readonly UserRecord[] => readable(text).users

function readable(text: Secret | undefined): UserFile {
  if (text === undefined) return noUsers
  try {
    return parseUserFile(text.reveal())
  } catch {
    // A damaged file has no user that anybody could log in with.
    return noUsers
  }
}
