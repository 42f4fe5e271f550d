import { closeSync, fstatSync, ftruncateSync, lstatSync, renameSync, writeSync } from 'node:fs'
import { appendFlags, openTrusted } from '../base/trustedFile.ts'
import { reasonOf, StartError } from './startError.ts'

/** Bytes that may wait for a file that takes none; lines beyond them are lost. */
const maxBufferedBytes = 1024 * 1024

/** Milliseconds until a file that took nothing is tried again, if nothing else is to be written before. */
const retryInterval = 100

/** An open file, which may change from one batch of lines to the next. */
type LogTarget = {
  /** Called before so many bytes of whole lines; may throw as writing may. */
  beforeWrite(bytes: number): void
  file(): number
  afterWrite(bytes: number): void
}

const fixed = (file: number): LogTarget => ({
  beforeWrite: () => undefined,
  file: () => file,
  afterWrite: () => undefined,
})

/**
 * Adds lines to an open file: once for all lines of a turn of the event loop, so that a line costs little under
 * load, and is there as soon as its response is sent. The rest is written when the process ends. A file that
 * cannot be written (a full disk, a reader that went away) stops nobody.
 */
export function lineOutput(to: number | LogTarget): { write(line: string): void } {
  const target = typeof to === 'number' ? fixed(to) : to
  let waiting = ''
  let rest = Buffer.alloc(0)
  let isDue = false

  const flush = (): void => {
    isDue = false
    try {
      if (rest.length === 0) {
        rest = Buffer.from(waiting)
        waiting = ''
        target.beforeWrite(rest.length)
      } else {
        // What is half-written stays in one file.
        rest = Buffer.concat([rest, Buffer.from(waiting)])
        waiting = ''
      }
      while (rest.length > 0) {
        const written = writeSync(target.file(), rest)
        target.afterWrite(written)
        rest = rest.subarray(written)
      }
    } catch {
      isDue = true
      setTimeout(flush, retryInterval).unref()
    }
  }
  process.on('exit', flush)

  return {
    write(line) {
      if (rest.length + waiting.length > maxBufferedBytes) return
      waiting += line
      if (isDue) return
      isDue = true
      setImmediate(flush)
    },
  }
}

/** A log takes 50 MB at most: the file, and `.1` (the newest) to `.4` beside it. */
const logFileLimits = { bytes: 10 * 1024 * 1024, files: 5 } as const

/** Milliseconds between checks that the path still leads to the open file. */
const checkInterval = 1000

/**
 * Opens the log file of a component with its own rights: a regular file of its own, never a link.
 * Once too large, it is moved to `.1` and begun anew. Throws a `StartError`.
 */
export function openLogFile(path: string, rule: { bytes: number; files: number } = logFileLimits): LogTarget {
  const openFile = (): { file: number; size: number } => {
    const { file, stats } = openTrusted(path, appendFlags)
    return { file, size: stats.size }
  }
  let current: { file: number; size: number }
  let checkedAt = 0
  try {
    current = openFile()
  } catch (error) {
    throw new StartError(`cannot write the log ${path}: ${reasonOf(error)}`, error)
  }

  /** Returns true if the path still leads to the open file; somebody may have moved it away. */
  const isUnchanged = (): boolean => {
    const [ours, there] = [fstatSync(current.file), lstatSync(path, { throwIfNoEntry: false })]
    return there !== undefined && there.ino === ours.ino && there.dev === ours.dev
  }

  const reopen = (): void => {
    const next = openFile()
    closeSync(current.file)
    current = next
  }

  const rotate = (): void => {
    try {
      for (let number = rule.files - 2; number >= 1; number -= 1) {
        if (lstatSync(`${path}.${number}`, { throwIfNoEntry: false })) {
          renameSync(`${path}.${number}`, `${path}.${number + 1}`)
        }
      }
      renameSync(path, `${path}.1`)
      reopen()
    } catch {
      // A folder that takes no change must not let the file grow without end.
      ftruncateSync(current.file, 0)
      current.size = 0
    }
  }

  return {
    beforeWrite(bytes) {
      const now = performance.now()
      if (now - checkedAt >= checkInterval) {
        checkedAt = now
        if (!isUnchanged()) reopen()
      }
      if (current.size > 0 && current.size + bytes > rule.bytes) rotate()
    },
    file: () => current.file,
    afterWrite: (bytes) => {
      current.size += bytes
    },
  }
}
