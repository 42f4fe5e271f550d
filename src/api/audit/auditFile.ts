import { type FileHandle, open, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/** A file to which lines are only ever added. */
export type AuditFile = {
  /** Adds whole lines, in the order of the calls; with `sync` they are on disk when it resolves. */
  append(lines: string, options: { readonly sync: boolean }): Promise<void>
  /** Rejects when no line could be added now, as far as opening the file tells. */
  open(): Promise<void>
  close(): Promise<void>
}

const newline = '\n'.charCodeAt(0)

/** Whether a file ends within a line, as a writer leaves it that was killed or met a full disk. */
async function endsTorn(handle: FileHandle, size: number): Promise<boolean> {
  if (size === 0) return false
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(1), 0, 1, size - 1)
  return bytesRead === 1 && buffer[0] !== newline
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(dirname(path), 'r')
  await folder.sync().finally(() => folder.close())
}

/**
 * The audit log at a path, readable by its owner alone (0600). Before each write it looks whether the file at
 * the path is still the one it has open: after a rotation it makes the next one. Nothing is opened before the
 * first use. Any call may reject with the system's error, and the next one tries again.
 */
export function createAuditFile(path: string): AuditFile {
  let current: FileHandle | undefined
  let isTorn = false
  let last: Promise<unknown> = Promise.resolve()

  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const mine = last.then(work)
    last = mine.catch(() => undefined)
    return mine
  }

  const close = async (): Promise<void> => {
    const handle = current
    current = undefined
    await handle?.close()
  }

  const isStillThere = async (handle: FileHandle): Promise<boolean> => {
    const [ours, there] = await Promise.all([
      handle.stat({ bigint: true }),
      stat(path, { bigint: true }).catch(() => undefined),
    ])
    return there !== undefined && there.ino === ours.ino && there.dev === ours.dev
  }

  const openAnew = async (): Promise<FileHandle> => {
    const handle = await open(path, 'a+', 0o600)
    try {
      const stats = await handle.stat()
      if (!stats.isFile()) throw new Error('it is not a regular file')
      if ((stats.mode & 0o777) !== 0o600) await handle.chmod(0o600)
      isTorn = await endsTorn(handle, stats.size)
      if (stats.size === 0) await syncFolder(path)
    } catch (error) {
      await handle.close()
      throw error
    }
    current = handle
    return handle
  }

  const usable = async (): Promise<FileHandle> => {
    if (current !== undefined && (await isStillThere(current))) return current
    await close()
    return openAnew()
  }

  return {
    append: (lines, { sync }) =>
      inTurn(async () => {
        const handle = await usable()
        try {
          await handle.appendFile(isTorn ? `\n${lines}` : lines)
          isTorn = false
          if (sync) await handle.datasync()
        } catch (error) {
          // How much of it was written is seen when the file is opened again.
          await close()
          throw error
        }
      }),
    open: () =>
      inTurn(async () => {
        await usable()
      }),
    close: () => inTurn(close),
  }
}
