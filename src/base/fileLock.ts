import { open, rm } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { errorCode } from './systemErrors.ts'

/** Owner of a lock file; the id is fit for a file name. */
export type LockOwner = { readonly id: string }

/** Format of the lock files of one purpose. */
export type LockFormat<Owner extends LockOwner> = {
  /** Permissions of the file. */
  readonly mode: number
  /** Returns the text of a lock that this process holds. */
  readonly ownText: () => string
  /** Reads a lock file: undefined if it does not exist, empty if it cannot be read. */
  readonly read: (path: string) => string | undefined | Promise<string | undefined>
  /** Throws for a text that is not a lock of this format. */
  readonly parse: (text: string, path: string) => Owner
  readonly isRunning: (owner: Owner) => boolean
}

export type FileLock = { readonly release: () => Promise<void> }

const pauseMilliseconds = 20
/**
 * Tries of 20 ms (1 s) in which a lock may have no owner: the owner is written right after the file is
 * created.
 */
const ownerlessTries = 50

/** Creates the file with its owner in it; false if it exists already. */
async function createLockFile(
  path: string,
  { mode, text }: { mode: number; text: string },
): Promise<boolean> {
  try {
    const handle = await open(path, 'wx', 0o600)
    try {
      if (mode !== 0o600) await handle.chmod(mode)
      await handle.writeFile(text)
    } catch (error) {
      await rm(path, { force: true })
      throw error
    } finally {
      await handle.close()
    }
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw error
  }
}

/**
 * Takes an exclusive lock file, or returns the running process that holds or breaks it. Breaks a lock whose
 * owner has ended. Only the holder of a second lock, named after that owner, may break it, and checks again
 * first: otherwise two processes could remove the dead lock and then the new one.
 */
export async function takeLock<Owner extends LockOwner>(
  path: string,
  format: LockFormat<Owner>,
): Promise<FileLock | { readonly heldBy: Owner }> {
  const text = format.ownText()
  let ownerless = 0
  while (!(await createLockFile(path, { mode: format.mode, text }))) {
    const found = await format.read(path)
    if (found === undefined) continue
    ownerless = found === '' ? ownerless + 1 : 0
    if (ownerless > 0 && ownerless <= ownerlessTries) {
      await pause(pauseMilliseconds)
      continue
    }
    const owner = found === '' ? undefined : format.parse(found, path)
    if (owner !== undefined && format.isRunning(owner)) return { heldBy: owner }
    const breaking = await takeLock(`${path}.${owner?.id ?? 'nameless'}`, format)
    if ('heldBy' in breaking) return breaking
    try {
      if ((await format.read(path)) === found) await rm(path, { force: true })
    } finally {
      await breaking.release()
    }
    ownerless = 0
  }
  const release = async (): Promise<void> => {
    // Root does not read its own file in a folder of the service user.
    const left = await Promise.resolve(path)
      .then(format.read)
      .catch(() => text)
    if (left === text) await rm(path, { force: true })
  }
  return { release }
}
