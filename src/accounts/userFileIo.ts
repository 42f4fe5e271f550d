import { lstatSync } from 'node:fs'
import { type FileHandle, lstat, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errorCode } from '../base/systemErrors.ts'
import { readTrusted } from '../base/trustedFile.ts'
import { formatUserFile, noUsers, parseUserFile, type UserFile } from './userFile.ts'
import { withLock } from './userFileLock.ts'

/**
 * Identity of one content of the user file: inode, size, and the times of its last changes in
 * milliseconds, as exact as numbers are (a quarter of a microsecond). Null where there is no file.
 */
export type FileIdentity = {
  readonly ino: number
  readonly size: number
  readonly mtimeMs: number
  readonly ctimeMs: number
} | null

/** Returns true if both identify one content. */
export function isSameContent(one: FileIdentity, other: FileIdentity): boolean {
  if (one === null || other === null) return one === other
  return (
    one.ino === other.ino &&
    one.size === other.size &&
    one.mtimeMs === other.mtimeMs &&
    one.ctimeMs === other.ctimeMs
  )
}

/** The user file cannot be read or parsed. */
export class UserFileError extends Error {
  constructor(path: string, cause: unknown) {
    super(`cannot use the user file ${path}: ${cause instanceof Error ? cause.message : cause}`, { cause })
    this.name = 'UserFileError'
  }
}

/**
 * Returns the identity of the present content without reading it. Throws a `UserFileError`. Synchronous: each call of
 * the API asks, and a thread for it would cost ten times as much.
 */
export function identifyUserFile(path: string): FileIdentity {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) ?? null
  } catch (error) {
    throw new UserFileError(path, error)
  }
}

/** Bytes of a user file at most: twenty thousand users. */
const largestFile = 4 * 1024 * 1024

/** Returns the users, and the identity of the content they were read from. No file is no users. Rejects with `UserFileError`. */
export async function readUserFile(
  path: string,
): Promise<{ readonly identity: FileIdentity; readonly file: UserFile }> {
  try {
    const { text, stats } = readTrusted(path, largestFile)
    return { identity: stats, file: parseUserFile(text) }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { identity: null, file: noUsers }
    throw new UserFileError(path, error)
  }
}

/** Gives a new file the owner of the one it replaces; root gives a first file to the owner of its folder. */
async function keepOwner(handle: FileHandle, path: string): Promise<void> {
  const isRoot = process.geteuid?.() === 0
  const present = await lstat(path).catch(() => undefined)
  const owner = present ?? (isRoot ? await lstat(dirname(path)) : undefined)
  const ours = await handle.stat()
  if (!owner || (owner.uid === ours.uid && owner.gid === ours.gid)) return
  // Without root a group may be out of reach; the file is then the writer's own, as any file it makes.
  if (isRoot) await handle.chown(owner.uid, owner.gid)
  else await handle.chown(ours.uid, owner.gid).catch(() => undefined)
}

/**
 * Replaces the user file as one atomic change that is on disk when the promise resolves: written beside it
 * with mode 0600, synced, renamed. The caller holds the lock.
 */
async function replaceUserFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.new`
  // Left by a writer that died; opened anew, never followed, for the folder may be another user's.
  await rm(temporary, { force: true })
  const handle = await open(temporary, 'wx', 0o600)
  try {
    await handle.writeFile(text)
    await keepOwner(handle, path)
    await handle.sync()
    await handle.close()
    await rename(temporary, path)
  } catch (error) {
    await handle.close()
    await rm(temporary, { force: true })
    throw error
  }
  const folder = await open(dirname(path), 'r')
  await folder.sync().finally(() => folder.close())
}

/**
 * Changes the user file under its lock, so that writers never lose each other's users; says whether anything
 * changed, and it is on disk then. The change is handed the present content and returns the very same object
 * when there is nothing to do. Rejects with `UserFileError`, `LockHeldError` or what the change throws.
 */
export function changeUserFile(path: string, change: (file: UserFile) => UserFile): Promise<boolean> {
  return withLock({ path: `${path}.lock` }, async () => {
    const { file } = await readUserFile(path)
    const next = change(file)
    if (next === file) return false
    await replaceUserFile(path, formatUserFile(next))
    return true
  })
}
