import { constants } from 'node:fs'
import { type FileHandle, open, realpath, stat } from 'node:fs/promises'
import { errorCode, systemErrorText } from '../base/systemErrors.ts'
import { isBelow } from '../secrets/policy.ts'
import type { FileReading } from '../secrets/sources.ts'

/** Reason why a file was not read; `reason` follows its name in a sentence. */
type ReadFailure = Extract<FileReading, { ok: false }>

/** A file of this machine and its permission bits. */
export type RegularFile = { readonly ok: true; readonly content: Buffer; readonly mode: number } | ReadFailure

const outside = (reason: string): ReadFailure => ({ ok: false, problem: 'outside', reason })

const unusable = (reason: string): ReadFailure => ({ ok: false, problem: 'unfit', reason })

const sizeOf = (bytes: number): string =>
  bytes >= 1024 * 1024 ? `${bytes / 1024 / 1024} MiB` : `${bytes / 1024} KiB`

const chunkSize = 64 * 1024

/** Stops behind the limit: enough to know that it is too much. */
async function readLimited(handle: FileHandle, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  while (length <= maxBytes) {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(chunkSize), 0, chunkSize, null)
    if (bytesRead === 0) break
    chunks.push(buffer.subarray(0, bytesRead))
    length += bytesRead
  }
  return Buffer.concat(chunks, length)
}

async function readReal(real: string, maxBytes: number): Promise<RegularFile> {
  // Asked before it is opened: opening a device can do something, and opening a pipe waits for its writer.
  const kind = await stat(real)
  if (kind.isDirectory()) return unusable('is a folder')
  if (!kind.isFile()) return unusable('is not a regular file')
  const handle = await open(real, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
  try {
    const stats = await handle.stat()
    if (!stats.isFile()) return unusable('is not a regular file')
    const content = stats.size > maxBytes ? undefined : await readLimited(handle, maxBytes)
    if (content === undefined || content.length > maxBytes)
      return unusable(`is larger than ${sizeOf(maxBytes)}`)
    return { ok: true, content, mode: stats.mode }
  } finally {
    await handle.close()
  }
}

/** Converts an error of the file system. */
export function readFailure(error: unknown): ReadFailure {
  const code = errorCode(error)
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return { ok: false, problem: 'missing', reason: 'does not exist' }
  }
  const reason = code === 'EISDIR' ? 'is a folder' : `cannot be read: ${systemErrorText(error)}`
  return { ok: false, problem: 'unreadable', reason }
}

/**
 * Reads a file that may be named by a stranger: neither pipe, device nor more than `maxBytes` bytes, and with
 * `below` none that links lead out of that folder. Never rejects.
 */
export async function readRegularFile(
  path: string,
  limits: { readonly maxBytes: number; readonly below?: string },
): Promise<RegularFile> {
  const { maxBytes, below } = limits
  if (below !== undefined && !isBelow(path, below)) {
    return outside('is outside the folder of the YAML file')
  }
  try {
    const real = await realpath(path)
    if (below !== undefined && !isBelow(real, await realpath(below))) {
      return outside('is a link to a place outside the folder of the YAML file')
    }
    return await readReal(real, maxBytes)
  } catch (error) {
    return readFailure(error)
  }
}
