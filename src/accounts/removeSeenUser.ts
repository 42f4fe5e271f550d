import { findUser, removeUser } from './userFile.ts'
import type { UserFile, UserRecord } from './userRecord.ts'

/**
 * The file without a user as it was seen; the very same file where the user has another password by now, which was
 * somebody's later wish, or is gone.
 */
export const removeSeenUser = (
  file: UserFile,
  { user, hash }: Pick<UserRecord, 'user' | 'hash'>,
): UserFile => (findUser(file, user)?.hash === hash ? removeUser(file, user) : file)
