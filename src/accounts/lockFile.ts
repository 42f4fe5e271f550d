import { open, rm } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { errorCode } from '../untrusted/systemErrors.ts'
import { processRuns, processStart } from './processStart.ts'
import { readTrusted, UntrustedFileError } from './trustedFile.ts'

/** Somebody else kept the lock for longer than we wait. */
export class LockHeldError extends Error {
  constructor(path: string, holder: string) {
    const [, pid] = ownerPattern.exec(holder) ?? []
    const who = pid === undefined ? 'somebody' : `process ${pid}`
    super(`the lock ${path} is held by ${who} for too long; if nothing is at work there, delete the file`)
    this.name = 'LockHeldError'
  }
}

/** A lock file that is not one of ours, so that nobody may say who holds it. */
export class ForeignLockError extends Error {
  constructor(path: string, cause: Error) {
    super(`cannot use the lock ${path}: ${cause.message}; find out who put it there, then delete it`, {
      cause,
    })
    this.name = 'ForeignLockError'
  }
}

/** The pid and start time of an owner, all that a lock holds. */
const ownerPattern = /^(\d{1,10}) (\d{1,20}|-)\n$/
const longestOwner = 64

const pauseMilliseconds = 20
/** One second: how long a lock may stay without its owner's name, which is written right after it is made. */
const namelessTries = 50

const ownName = (): string => `${process.pid} ${processStart('self') ?? '-'}\n`

/** Makes the file with our name in it; false when it is there already. */
async function take(path: string): Promise<boolean> {
  try {
    const handle = await open(path, 'wx', 0o600)
    try {
      // Root and the service user must be able to read each other's names here.
      await handle.chmod(0o644)
      await handle.writeFile(ownName())
    } finally {
      await handle.close()
    }
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw error
  }
}

/** Returns the text of a lock: empty where that may not be read; undefined where there is none. Throws a `ForeignLockError`. */
function contentOf(path: string): string | undefined {
  try {
    const { text } = readTrusted(path, longestOwner)
    if (text === '' || ownerPattern.test(text)) return text
    throw new UntrustedFileError('it holds no owner of a lock')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    if (errorCode(error) === 'EACCES') return ''
    if (error instanceof UntrustedFileError) throw new ForeignLockError(path, error)
    throw error
  }
}

function isDead(holder: string): boolean {
  const [, pid, start] = ownerPattern.exec(holder) ?? []
  return pid !== undefined && !processRuns(Number(pid), start === '-' ? undefined : start)
}

/**
 * Removes a lock whose owner is gone. Only who holds the claim on that owner's lock may, and looks once more:
 * without it, two who wait could remove the dead lock and then the lock of the one who was faster.
 */
async function breakLock(path: string, holder: string): Promise<void> {
  const claim = `${path}.${holder.trim().replaceAll(/\W+/g, '-') || 'nameless'}`
  if (!(await take(claim))) {
    const claimer = contentOf(claim)
    if (claimer !== undefined && isDead(claimer)) await rm(claim, { force: true })
    return
  }
  try {
    if (contentOf(path) === holder) await rm(path, { force: true })
  } finally {
    await rm(claim, { force: true })
  }
}

/**
 * Runs the work while holding an exclusive lock file: pid and start time of its owner inside. A lock whose
 * owner is gone is broken; one that is held is waited for, `patience` milliseconds at most (`LockHeldError`).
 */
export async function withLock<Result>(
  lock: { readonly path: string; readonly patience?: number },
  work: () => Promise<Result>,
): Promise<Result> {
  const { path, patience = 5000 } = lock
  let nameless = 0
  let holder = ''
  for (let attempt = 0; !(await take(path)); attempt += 1) {
    holder = contentOf(path) ?? ''
    nameless = holder === '' ? nameless + 1 : 0
    if (isDead(holder) || nameless > namelessTries) await breakLock(path, holder)
    if (attempt * pauseMilliseconds >= patience) throw new LockHeldError(path, holder)
    await pause(pauseMilliseconds)
  }
  try {
    return await work()
  } finally {
    await rm(path, { force: true })
  }
}
