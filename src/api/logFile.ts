import { closeSync, fstatSync, ftruncateSync, lstatSync, renameSync } from 'node:fs'
import { appendFlags, openTrusted } from '../base/trustedFile.ts'
import type { LogTarget } from './lineOutput.ts'
import { reasonOf, StartError } from './startError.ts'

/** A log takes 50 MB at most: the file, and `.1` (the newest) to `.4` beside it. */
export const logFileRule = { bytes: 10 * 1024 * 1024, files: 5 } as const

/** Milliseconds between looks whether the file is still there. */
const lookEvery = 1000

/**
 * The log file of a component, which it opens itself, with its own rights: a regular file of its own, never a link.
 * Grown too large, it is moved to `.1` and begun anew. Throws a `StartError`.
 */
export function openLogFile(path: string, rule: { bytes: number; files: number } = logFileRule): LogTarget {
  const openAnew = (): { file: number; size: number } => {
    const { file, stats } = openTrusted(path, appendFlags)
    return { file, size: stats.size }
  }
  let current: { file: number; size: number }
  let looked = 0
  try {
    current = openAnew()
  } catch (error) {
    throw new StartError(`cannot write the log ${path}: ${reasonOf(error)}`, error)
  }

  /** Whether the path still leads to the open file; somebody may have moved it away. */
  const isThere = (): boolean => {
    const [ours, there] = [fstatSync(current.file), lstatSync(path, { throwIfNoEntry: false })]
    return there !== undefined && there.ino === ours.ino && there.dev === ours.dev
  }

  const reopen = (): void => {
    const next = openAnew()
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
    begin(bytes) {
      const now = performance.now()
      if (now - looked >= lookEvery) {
        looked = now
        if (!isThere()) reopen()
      }
      if (current.size > 0 && current.size + bytes > rule.bytes) rotate()
    },
    file: () => current.file,
    wrote: (bytes) => {
      current.size += bytes
    },
  }
}
