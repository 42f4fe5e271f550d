import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errorCode } from './systemErrors.ts'

/** A file that somebody else may have put in place of ours. The message quotes nothing of it. */
export class UntrustedFileError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'UntrustedFileError'
  }
}

/** Flags of every open(2): a link at the end of the path fails, and a FIFO or terminal never blocks. */
const safeFlags = constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY

export const readFlags = constants.O_RDONLY | safeFlags
export const appendFlags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | safeFlags

function explained(error: unknown): unknown {
  switch (errorCode(error)) {
    case 'ELOOP':
      return new UntrustedFileError('it is a symbolic link, which is not followed', error)
    case 'ENXIO':
    case 'EISDIR':
      return new UntrustedFileError('it is not a regular file', error)
    default:
      return error
  }
}

/**
 * Throws an `UntrustedFileError` unless an open file is a regular file of ours or of root. Root accepts only
 * files of their folder's owner: in a folder of the service user, a hard link could point to another file.
 */
function checkFile(stats: Stats, path: string): void {
  if (!stats.isFile()) throw new UntrustedFileError('it is not a regular file')
  const own = process.geteuid?.()
  if (own === undefined) return
  const owners = own === 0 ? [lstatSync(dirname(path)).uid] : [own, 0]
  if (owners.includes(stats.uid)) return
  throw new UntrustedFileError(`it belongs to user id ${stats.uid}, not to ${owners.join(' or ')}`)
}

/**
 * Opens a regular file without following a link at the end of its path. Throws the system's error or an
 * `UntrustedFileError`; the caller closes the descriptor.
 */
export function openTrusted(path: string, flags: number): { readonly file: number; readonly stats: Stats } {
  let file: number | undefined
  try {
    file = openSync(path, flags, 0o600)
    const stats = fstatSync(file)
    checkFile(stats, path)
    return { file, stats }
  } catch (error) {
    if (file !== undefined) closeSync(file)
    throw explained(error)
  }
}

/** Opens a file like `openTrusted`, as a `FileHandle`. */
export async function openTrustedHandle(path: string, flags: number) {
  const handle = await open(path, flags, 0o600).catch((error: unknown) => {
    throw explained(error)
  })
  try {
    const stats = await handle.stat()
    checkFile(stats, path)
    return { handle, stats }
  } catch (error) {
    await handle.close()
    throw error
  }
}

/**
 * Reads a trusted file of at most `most` bytes. Throws the system's error or an `UntrustedFileError`, before
 * it reads anything of a larger (perhaps sparse) file.
 */
export function readTrusted(path: string, most: number): { readonly text: string; readonly stats: Stats } {
  const { file, stats } = openTrusted(path, readFlags)
  const tooLarge = () => new UntrustedFileError(`it is larger than ${most} bytes`)
  try {
    if (stats.size > most) throw tooLarge()
    // One byte more shows a file that grew meanwhile.
    const buffer = Buffer.alloc(Math.min(most, Math.max(stats.size, 4096)) + 1)
    let length = 0
    for (let read = -1; read !== 0 && length < buffer.length; length += read) {
      read = readSync(file, buffer, length, buffer.length - length, null)
    }
    if (length === buffer.length) throw tooLarge()
    return { text: buffer.toString('utf8', 0, length), stats }
  } finally {
    closeSync(file)
  }
}

/** Returns the owner of the folder of a file. Throws an `UntrustedFileError` if the folder is a link. */
export function folderOwner(path: string): { readonly uid: number; readonly gid: number } {
  const stats = lstatSync(dirname(path))
  if (!stats.isDirectory()) throw new UntrustedFileError(`${dirname(path)} is not a folder`)
  return { uid: stats.uid, gid: stats.gid }
}
