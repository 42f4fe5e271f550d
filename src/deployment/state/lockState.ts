import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type FileLock, type LockFormat, takeLock } from '../../base/fileLock.ts'
import { isRunning, ownIdentity, type ProcessIdentity } from '../../base/processIdentity.ts'
import { errorCode } from '../../base/systemErrors.ts'
import { dropEmptyFolder, makeFolder } from './stateDirectory.ts'
import { StateError, stateIoError } from './stateError.ts'
import { type StatePlace, stateFolder } from './statePlace.ts'

export type StateLock = FileLock

/** Content of a lock: its process, its start (ISO 8601), and a unique id. */
type Owner = ProcessIdentity & { readonly id: string; readonly since: string }

/**
 * Acquires the lock of a state; creates its folder, which is removed with the lock if it is still empty. Breaks a
 * lock whose process no longer exists. Throws `StateError`, `locked` with the owner's pid while another process holds
 * it.
 */
export async function lockState(place: StatePlace, now: Date = new Date()): Promise<StateLock> {
  await makeFolder(place)
  const path = join(stateFolder(place), 'lock')
  try {
    const lock = await takeLock(path, formatOf(now))
    if ('heldBy' in lock) throw lockedBy(lock.heldBy, path)
    return { release: () => lock.release().then(() => dropEmptyFolder(place)) }
  } catch (error) {
    throw stateIoError(error, 'write', path)
  }
}

const formatOf = (now: Date): LockFormat<Owner> => ({
  mode: 0o600,
  ownText: () =>
    `${JSON.stringify({ ...ownIdentity(), id: randomUUID(), since: now.toISOString() } satisfies Owner)}\n`,
  read: (path) =>
    readFile(path, 'utf8').catch((error: unknown) => {
      if (errorCode(error) === 'ENOENT') return undefined
      throw error
    }),
  parse: (text, path) => {
    const owner = parseOwner(text)
    if (owner !== undefined) return owner
    throw new StateError({
      code: 'locked',
      message: `${path} is not a lock of muster, so it is unknown if another run is active`,
      fix: `make sure that no other muster runs in this folder, then delete ${path}`,
    })
  },
  isRunning,
})

/** Parses a lock file; undefined if muster did not write it. */
function parseOwner(text: string): Owner | undefined {
  try {
    const { pid, started, machine, id, since } = JSON.parse(text) as Record<string, unknown>
    // The id becomes part of a file name.
    if (typeof id !== 'string' || !/^[0-9a-f-]{36}$/.test(id)) return undefined
    if (typeof pid !== 'number' || !Number.isInteger(pid)) return undefined
    if (typeof machine !== 'string' || typeof since !== 'string') return undefined
    return { pid, machine, id, since, ...(typeof started === 'string' ? { started } : {}) }
  } catch {
    return undefined
  }
}

const lockedBy = (owner: Owner, path: string): StateError =>
  new StateError({
    code: 'locked',
    message: `another muster run holds this cluster's state: process ${owner.pid} on ${owner.machine}, since ${owner.since}`,
    fix:
      owner.machine === ownIdentity().machine
        ? `wait until it ends, or end it: kill ${owner.pid}`
        : `wait until it ends; if that machine no longer exists, delete ${path}`,
  })
