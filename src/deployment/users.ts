import { findUser, parseUserFile } from '../accounts/userFile.ts'
import type { Secret } from '../secrets/secret.ts'

/** The password hash of a user in the text of a user file; undefined when there is no such user or file. */
export function userHash(text: Secret | undefined, user: string): string | undefined {
  if (text === undefined) return undefined
  try {
    return findUser(parseUserFile(text.reveal()), user)?.hash
  } catch {
    // A damaged file has no user that anybody could log in with.
    return undefined
  }
}
