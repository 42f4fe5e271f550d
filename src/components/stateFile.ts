import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { reasonOf, StartError } from '../api/startError.ts'
import { errorCode } from '../base/systemErrors.ts'
import { readTrusted } from '../base/trustedFile.ts'

/** A JSON file that one process owns and that keeps what calls changed. */
export type StateFile = {
  /** Returns the content; undefined if there is no file. Throws a `StartError` if it is unreadable or not JSON. */
  read(): unknown
  /**
   * Replaces the content in one atomic change that is on disk when this returns: written beside it with mode
   * 0600, synced, renamed. Throws an Error where that failed: then the old content is still there, unless it was the
   * disk that did not confirm the renaming.
   */
  write(value: unknown): void
}

/** Bytes of a state: a map of thousands of data sources. */
const mostBytes = 8 * 1024 * 1024

function sync(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Creates access to the state file at an absolute path; its folder must exist. */
export function createStateFile(path: string): StateFile {
  return {
    read: () => {
      try {
        return JSON.parse(readTrusted(path, mostBytes).text)
      } catch (error) {
        if (errorCode(error) === 'ENOENT') return undefined
        const reason = error instanceof SyntaxError ? 'it is not JSON' : reasonOf(error)
        throw new StartError(
          `cannot use the state ${path}: ${reason}. Remove it to start with what was installed`,
          error,
        )
      }
    },
    write: (value) => {
      const beside = `${path}.new`
      try {
        // Left by a process that died; opened anew, never followed.
        rmSync(beside, { force: true })
        writeFileSync(beside, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600, flag: 'wx', flush: true })
        renameSync(beside, path)
        sync(dirname(path))
      } catch (error) {
        rmSync(beside, { force: true })
        throw error
      }
    },
  }
}
