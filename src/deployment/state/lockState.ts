import { randomUUID } from 'node:crypto'
import { link, open, readFile, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from '../../untrusted/systemErrors.ts'
import { stateIoError } from './ioErrors.ts'
import { type LockOwner, parseLockOwner } from './lockOwner.ts'
import { isRunning, ownIdentity } from './processIdentity.ts'
import { dropEmptyFolder, makeFolder } from './stateDirectory.ts'
import { StateError } from './stateError.ts'
import { type StatePlace, stateFolder } from './statePlace.ts'

export type StateLock = { release(): Promise<void> }

/**
 * Takes the one lock of a state; makes its folder, which goes again with the lock when nothing was put
 * there. A lock whose process is gone is broken at once.
 * Throws `StateError`, `locked` with the owner's pid while another process holds it.
 */
export async function lockState(place: StatePlace, now: Date = new Date()): Promise<StateLock> {
  await makeFolder(place)
  const path = join(stateFolder(place), 'lock')
  try {
    const lock = await acquire(path, { ...ownIdentity(), id: randomUUID(), since: now.toISOString() })
    return { release: () => lock.release().then(() => dropEmptyFolder(place)) }
  } catch (error) {
    throw stateIoError(error, 'write', path)
  }
}

async function acquire(path: string, me: LockOwner): Promise<StateLock> {
  for (;;) {
    if (await made(path, me)) return { release: () => removeIf(path, me.id) }
    const owner = await ownerOf(path)
    if (owner === undefined) continue
    if (isRunning(owner)) throw lockedBy(owner, path)
    // Whoever breaks a dead owner's lock does so under a lock named after that owner: without it, a slow
    // breaker could take away the lock that a faster one has just made.
    const breaking = await acquire(`${path}.${owner.id}`, { ...me, id: randomUUID() })
    await removeIf(path, owner.id).finally(() => breaking.release())
  }
}

/** Makes the file with its content in one step: nobody ever reads half a lock. */
async function made(path: string, owner: LockOwner): Promise<boolean> {
  const temporary = `${path}.new-${owner.id}`
  const file = await open(temporary, 'wx', 0o600)
  try {
    await file.writeFile(`${JSON.stringify(owner)}\n`).finally(() => file.close())
    await link(temporary, path)
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw error
  } finally {
    await unlink(temporary)
  }
}

/** Undefined when the lock has just gone. */
async function ownerOf(path: string): Promise<LockOwner | undefined> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return undefined
  const owner = parseLockOwner(text)
  if (owner !== undefined) return owner
  throw new StateError({
    code: 'locked',
    message: `${path} is not a lock of muster, so it is unknown if another run is active`,
    fix: `make sure that no other muster runs in this folder, then delete ${path}`,
  })
}

async function removeIf(path: string, id: string): Promise<void> {
  if ((await ownerOf(path))?.id === id) await unlink(path)
}

const lockedBy = (owner: LockOwner, path: string): StateError =>
  new StateError({
    code: 'locked',
    message: `another muster run holds this cluster's state: process ${owner.pid} on ${owner.machine}, since ${owner.since}`,
    fix:
      owner.machine === ownIdentity().machine
        ? `wait until it ends, or end it: kill ${owner.pid}`
        : `wait until it ends; if that machine no longer exists, delete ${path}`,
  })
