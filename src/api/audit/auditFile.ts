import { type FileHandle, lstat, open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errorCode } from '../../base/systemErrors.ts'
import { appendFlags, openTrustedHandle, readFlags } from '../../base/trustedFile.ts'
import { appendToChain, chainStart, type Link, lastLink } from './hashChain.ts'

/** A file to which lines are only ever added, each chained to the one before. */
export type AuditFile = {
  /**
   * Adds whole lines of JSON objects, in the order of the calls, and returns them as they stand there; with `sync`
   * they are on disk when it resolves.
   */
  append(lines: string, options: { readonly sync: boolean }): Promise<string>
  /** Rejects when no line could be added now, as far as opening the file tells. */
  open(): Promise<void>
  close(): Promise<void>
}

/** An audit log takes 200 MB at most: the file, and `.1` (the newest) to `.19` beside it; some 400,000 calls. */
export const auditFileLimits = { bytes: 10 * 1024 * 1024, files: 20 } as const

/** Bytes at the end of a file in which the end of its chain is looked for; a line is much shorter. */
const maxTailBytes = 1024 * 1024

async function tailOf(handle: FileHandle, size: number): Promise<string> {
  const length = Math.min(size, maxTailBytes)
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, size - length)
  return buffer.toString('utf8', 0, bytesRead)
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(dirname(path), 'r')
  await folder.sync().finally(() => folder.close())
}

/** Returns the end of the chain of the file before; undefined where there is none. */
async function lastLinkOfPreviousFile(path: string): Promise<Link | undefined> {
  try {
    const { handle, stats } = await openTrustedHandle(`${path}.1`, readFlags)
    try {
      return lastLink((await tailOf(handle, stats.size)).split('\n'))
    } finally {
      await handle.close()
    }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

type Opened = { readonly handle: FileHandle; size: number; isTorn: boolean; opens: boolean; link: Link }

/**
 * Opens the audit log at a path, readable by its owner alone (0600); a link there is not followed. Before each write it looks
 * whether the file at the path is still the one it has open, and makes the next one where it is not, or where it has
 * grown too large and is moved to `.1`: the chain goes on there. Nothing is opened before the first use. Any call may
 * reject with the system's error, and the next one tries again.
 */
export function createAuditFile(
  path: string,
  rule: { readonly bytes: number; readonly files: number } = auditFileLimits,
): AuditFile {
  let current: Opened | undefined
  /** The end of the chain that this process wrote last. */
  let latest: Link | undefined
  let last: Promise<unknown> = Promise.resolve()

  const enqueue = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const result = last.then(work)
    last = result.catch(() => undefined)
    return result
  }

  const close = async (): Promise<void> => {
    const opened = current
    current = undefined
    await opened?.handle.close()
  }

  const isUnchanged = async ({ handle }: Opened): Promise<boolean> => {
    const [ours, there] = await Promise.all([
      handle.stat({ bigint: true }),
      lstat(path, { bigint: true }).catch(() => undefined),
    ])
    return there !== undefined && there.ino === ours.ino && there.dev === ours.dev
  }

  const reopen = async (): Promise<Opened> => {
    const { handle, stats } = await openTrustedHandle(path, appendFlags)
    try {
      if ((stats.mode & 0o777) !== 0o600) await handle.chmod(0o600)
      const tail = await tailOf(handle, stats.size)
      const found = lastLink(tail.split('\n'))
      const opens = found === undefined
      // A file without a line of the chain begins one; an empty one goes on.
      const before = stats.size === 0 ? (latest ?? (await lastLinkOfPreviousFile(path))) : undefined
      if (stats.size === 0) await syncFolder(path)
      const link = found ?? before ?? chainStart
      current = { handle, size: stats.size, isTorn: tail !== '' && !tail.endsWith('\n'), opens, link }
      return current
    } catch (error) {
      await handle.close()
      throw error
    }
  }

  const openCurrent = async (): Promise<Opened> => {
    if (current !== undefined && (await isUnchanged(current))) return current
    await close()
    return reopen()
  }

  const rotate = async ({ link }: Opened): Promise<Opened> => {
    await close()
    for (let number = rule.files - 1; number >= 1; number -= 1) {
      const from = number === 1 ? path : `${path}.${number - 1}`
      await rename(from, `${path}.${number}`).catch((error: unknown) => {
        if (errorCode(error) !== 'ENOENT') throw error
      })
    }
    await syncFolder(path)
    latest = link
    return reopen()
  }

  const write = async (opened: Opened, lines: readonly string[], sync: boolean): Promise<string> => {
    let { link, opens } = opened
    const texts = lines.map((json) => {
      const next = appendToChain(json, link, opens)
      link = next.link
      opens = false
      return `${next.line}\n`
    })
    const text = texts.join('')
    await opened.handle.appendFile(opened.isTorn ? `\n${text}` : text)
    latest = link
    Object.assign(opened, { link, opens, isTorn: false, size: opened.size + Buffer.byteLength(text) })
    if (sync) await opened.handle.datasync()
    return text
  }

  return {
    append: (lines, { sync }) =>
      enqueue(async () => {
        const opened = await openCurrent()
        try {
          const isFull = opened.size > 0 && opened.size + lines.length > rule.bytes
          const texts = lines.split('\n').filter((line) => line !== '')
          return await write(isFull ? await rotate(opened) : opened, texts, sync)
        } catch (error) {
          // How much of it was written is seen when the file is opened again.
          await close()
          throw error
        }
      }),
    open: () =>
      enqueue(async () => {
        await openCurrent()
      }),
    close: () => enqueue(close),
  }
}
