import { closeSync, constants, fstatSync, openSync, read, type Stats } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Socket } from 'node:net'
import { promisify } from 'node:util'

/** A file of another kind or size than its use takes. `reason` follows the file's name in a sentence. */
export class UnfitFileError extends Error {
  readonly reason: string
  readonly isFolder: boolean
  /** Bytes that were found, if they are too many. */
  readonly size: number | undefined

  constructor(reason: string, { isFolder = false, size }: { isFolder?: boolean; size?: number } = {}) {
    super(`it ${reason}`)
    this.name = 'UnfitFileError'
    this.reason = reason
    this.isFolder = isFolder
    this.size = size
  }
}

/** Content of a regular file with its permission bits, or of a pipe. */
type BoundedFile = { readonly content: Buffer; readonly mode?: number }

type FileBound = {
  readonly maxBytes: number
  /** Takes a pipe, too, such as `<(…)` of a shell, and waits for its writers until the signal aborts. */
  readonly pipe?: AbortSignal | undefined
  /** More flags of open(2). */
  readonly flags?: number
}

/** Opening waits for no writer of a pipe, and makes no terminal the controlling one. */
const readFlags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY

const chunkSize = 64 * 1024
const readDescriptor = promisify(read)

const sizeOf = (bytes: number): string =>
  bytes >= 1024 * 1024 ? `${bytes / 1024 / 1024} MiB` : `${bytes / 1024} KiB`

const tooLarge = (size: number, maxBytes: number): UnfitFileError =>
  new UnfitFileError(`is larger than ${sizeOf(maxBytes)}`, { size })

/**
 * Reads a file that somebody named: a regular one, or a pipe where its use takes one. Rejects with the system's error,
 * an `UnfitFileError`, or the reason of the signal.
 */
export async function readBoundedFile(path: string, bound: FileBound): Promise<BoundedFile> {
  const { maxBytes, pipe, flags = 0 } = bound
  // Asked before it is opened: opening a device can do something.
  requireKind(await stat(path), bound)
  const file = openSync(path, readFlags | flags)
  let isPipe = false
  try {
    const stats = fstatSync(file)
    requireKind(stats, bound)
    if (stats.size > maxBytes) throw tooLarge(stats.size, maxBytes)
    isPipe = pipe !== undefined && stats.isFIFO()
    if (!isPipe) return { content: await readRegular(file, maxBytes), mode: stats.mode }
  } finally {
    if (!isPipe) closeSync(file)
  }
  return { content: await readPipe(file, bound) }
}

function requireKind(stats: Stats, { pipe }: FileBound): void {
  if (stats.isFile() || (pipe !== undefined && stats.isFIFO())) return
  if (stats.isDirectory()) throw new UnfitFileError('is a folder', { isFolder: true })
  throw new UnfitFileError(`is not a regular file${pipe === undefined ? '' : ' or a pipe'}`)
}

async function readRegular(file: number, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  for (let length = 0; ; ) {
    const { buffer, bytesRead } = await readDescriptor(file, Buffer.alloc(chunkSize), 0, chunkSize, null)
    if (bytesRead === 0) return Buffer.concat(chunks, length)
    chunks.push(buffer.subarray(0, bytesRead))
    length += bytesRead
    // It grew, or says no size, as files in /proc do.
    if (length > maxBytes) throw tooLarge(length, maxBytes)
  }
}

/** Reads and closes a pipe. No thread waits for its writers: one that waits would keep the process from ending. */
async function readPipe(file: number, { maxBytes, pipe }: FileBound): Promise<Buffer> {
  const socket = new Socket({ fd: file, readable: true, writable: false })
  const stop = (): void => void socket.destroy(pipe?.reason)
  pipe?.addEventListener('abort', stop)
  if (pipe?.aborted === true) stop()
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      length += chunk.length
      if (length > maxBytes) throw tooLarge(length, maxBytes)
    }
    return Buffer.concat(chunks, length)
  } finally {
    pipe?.removeEventListener('abort', stop)
    socket.destroy()
  }
}
