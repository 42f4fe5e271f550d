import { findUser, putUser, readUserRecord, removeUser } from './userFile.ts'
import type { UserFile } from './userRecord.ts'

/**
 * What a run wrote of a user, and what stood there before: without `before` there was no such user, without `hash`
 * the run removed it.
 */
export type WrittenUser =
  | { readonly user: string; readonly hash: string; readonly before?: string }
  | { readonly user: string; readonly hash?: never; readonly before: string }

/** Reads it; throws an Error that says what is wrong with it and never quotes a hash. */
export function readWrittenUser(value: unknown): WrittenUser {
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
 * The file as if the user had not been written or removed; the very same file where the user has another password,
 * is gone or is there again by now: that was somebody's later wish.
 */
export function takeBackUser(file: UserFile, { user, hash, before }: WrittenUser): UserFile {
  if (hash === undefined) {
    return findUser(file, user) === undefined ? putUser(file, { user, access: 'full', hash: before }) : file
  }
  if (findUser(file, user)?.hash !== hash) return file
  return before === undefined ? removeUser(file, user) : putUser(file, { user, access: 'full', hash: before })
}
