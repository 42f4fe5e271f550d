import { findUser, noUsers, parseUserFile } from '../accounts/userFile.ts'
import type { UserFile, UserRecord } from '../accounts/userRecord.ts'
import type { Secret } from '../secrets/secret.ts'

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
