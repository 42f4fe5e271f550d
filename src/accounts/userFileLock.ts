import { setTimeout as wait } from 'node:timers/promises'
import { type LockFormat, type LockOwner, takeLock } from '../base/fileLock.ts'
import { isProcessRunning, processStartTime } from '../base/processIdentity.ts'
import { errorCode } from '../base/systemErrors.ts'
import { readTrusted, UntrustedFileError } from '../base/trustedFile.ts'

/** Somebody else kept the lock for longer than we wait. */
export class LockHeldError extends Error {
  constructor(path: string, { pid }: Owner) {
    super(
      `process ${pid} has held the lock ${path} for too long; if it does not change users, delete the file`,
    )
    this.name = 'LockHeldError'
  }
}

/** A lock file that is not one of ours, so that nobody may say who holds it. */
export class ForeignLockError extends Error {
  constructor(path: string, cause: Error) {
    super(`cannot use the lock ${path}: ${cause.message}; find out who created it, then delete it`, {
      cause,
    })
    this.name = 'ForeignLockError'
  }
}

/** Process that holds a lock; `started` as `processStart` has it. */
type Owner = LockOwner & { readonly pid: number; readonly started: string | undefined }

/** The pid and start time of an owner, all that a lock holds. */
const ownerPattern = /^(\d{1,10}) (\d{1,20}|-)\n$/
const longestOwner = 64

const format: LockFormat<Owner> = {
  // Root and the service user must be able to read each other's names here.
  mode: 0o644,
  ownText: () => `${process.pid} ${processStartTime('self') ?? '-'}\n`,
  read: (path) => {
    try {
      return readTrusted(path, longestOwner).text
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined
      if (errorCode(error) === 'EACCES') return ''
      throw error instanceof UntrustedFileError ? new ForeignLockError(path, error) : error
    }
  },
  parse: (text, path) => {
    const [, pid, start] = ownerPattern.exec(text) ?? []
    if (pid === undefined) {
      throw new ForeignLockError(path, new UntrustedFileError('it does not name the owner of the lock'))
    }
    return { id: `${pid}-${start}`, pid: Number(pid), started: start === '-' ? undefined : start }
  },
  isRunning: ({ pid, started }) => isProcessRunning(pid, started),
}

const retryInterval = 20

/**
 * Runs the work while holding the lock. Waits up to `timeout` milliseconds for a lock that another process
 * holds, then rejects with `LockHeldError`.
 */
export async function withLock<Result>(
  { path, timeout = 5000 }: { readonly path: string; readonly timeout?: number },
  work: () => Promise<Result>,
): Promise<Result> {
  for (let attempt = 0; ; attempt += 1) {
    const lock = await takeLock(path, format)
    if ('release' in lock) return work().finally(lock.release)
    if (attempt * retryInterval >= timeout) throw new LockHeldError(path, lock.heldBy)
    await wait(retryInterval)
  }
}
