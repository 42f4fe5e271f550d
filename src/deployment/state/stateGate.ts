import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type FileLock, type LockFormat, takeLock } from '../../base/fileLock.ts'
import { isObject, parseJson } from '../../base/json.ts'
import { printableLine } from '../../base/printable.ts'
import { isElsewhere, isRunning, ownIdentity, type ProcessIdentity } from '../../base/processIdentity.ts'
import { errorCode } from '../../base/systemErrors.ts'
import { makeFolder } from './stateDirectory.ts'
import { StateError, stateIoError } from './stateError.ts'
import { gateName, type StatePlace, stateFolder } from './statePlace.ts'

/** Process that holds a lock of a state, with its start (ISO 8601) and a unique id. */
export type LockHolder = ProcessIdentity & { readonly id: string; readonly since: string }

export const newHolder = (now: Date): LockHolder => ({
  ...ownIdentity(),
  id: randomUUID(),
  since: now.toISOString(),
})

/** Format of a lock file with its holder as JSON, which only the operator can read. */
export const holderFormat = (now: Date): LockFormat<LockHolder> => ({
  mode: 0o600,
  ownText: () => `${JSON.stringify(newHolder(now))}\n`,
  read: (path) =>
    readFile(path, 'utf8').catch((error: unknown) => {
      if (errorCode(error) === 'ENOENT') return undefined
      throw error
    }),
  parse: (text, path) => {
    const holder = parseHolder(text)
    if (holder !== undefined) return holder
    throw unknownLock(path)
  },
  isRunning,
})

/** Parses a lock file; undefined if muster did not write it. */
export function parseHolder(text: string): LockHolder | undefined {
  const found = parseJson(text)
  if (!isObject(found)) return undefined
  const { pid, started, machine, space, id, since } = found
  // The id becomes part of a file name.
  if (typeof id !== 'string' || !/^[0-9a-f-]{36}$/.test(id)) return undefined
  if (typeof pid !== 'number' || !Number.isInteger(pid)) return undefined
  if (typeof machine !== 'string' || typeof since !== 'string') return undefined
  return {
    ...{ pid, machine, id, since },
    ...(typeof started === 'string' ? { started } : {}),
    ...(typeof space === 'string' ? { space } : {}),
  }
}

export const unknownLock = (path: string): StateError =>
  new StateError({
    code: 'locked',
    message: `${path} is not a lock of muster, so it is unknown if another run is active`,
    fix: `make sure that no other muster runs in this folder, then delete ${path}`,
  })

/** Reports that a running process holds a lock; `what` is the object of the sentence. */
export const lockedBy = (
  holder: LockHolder,
  {
    path,
    what,
    release,
    hasLockWait = false,
  }: {
    readonly path: string
    readonly what: string
    /** True for a command with --lock-wait. */
    readonly hasLockWait?: boolean
    /** Fix for a machine that no longer exists, in place of deleting the file. */
    readonly release?: string
  },
): StateError =>
  new StateError({
    code: 'locked',
    message: `another muster run holds ${what}process ${holder.pid} on ${printableLine(holder.machine)}, since ${printableLine(holder.since)}`,
    fix: `wait until it ends${hasLockWait ? ', for example with --lock-wait 5m' : ''}${
      isElsewhere(holder)
        ? `; if that machine or container no longer exists, ${release ?? `delete ${path}`}`
        : `, or end it: kill ${holder.pid}`
    }`,
  })

/** Milliseconds between two tries; at random, so that many that wait do not try together. */
const gatePause = { least: 10, most: 30 }
/** Milliseconds: what is done under the gate takes milliseconds, a whole state of thousands of hosts seconds. */
const gateTimeout = 10_000
/** Tries to make a folder that a run which ends removes meanwhile. */
const folderTries = 20

/**
 * Does short work on the files of a state while no other process does: comparing locks, saving, appending a record.
 * Creates the folder. Never ask or call a host in it. Throws `StateError`, `locked` if one holder keeps it for 10 s;
 * while the holders change, it waits for its turn.
 */
export async function withStateGate<Result>(place: StatePlace, work: () => Promise<Result>): Promise<Result> {
  const path = join(stateFolder(place), gateName)
  const gate = await enter(place, path)
  try {
    return await work()
  } finally {
    await gate.release()
  }
}

async function enter(place: StatePlace, path: string): Promise<FileLock> {
  let holder: { readonly id: string; readonly seen: number } | undefined
  for (let gone = 0; ; ) {
    try {
      await makeFolder(place)
      const lock = await takeLock(path, holderFormat(new Date()))
      if (!('heldBy' in lock)) return lock
      const { heldBy } = lock
      if (holder?.id !== heldBy.id) holder = { id: heldBy.id, seen: performance.now() }
      else if (performance.now() - holder.seen > gateTimeout)
        throw lockedBy(heldBy, { path, what: "this cluster's state: " })
    } catch (error) {
      const isGone = errorCode(error instanceof StateError ? error.cause : error) === 'ENOENT'
      gone += 1
      if (!isGone || gone >= folderTries) throw stateIoError(error, 'write', path)
    }
    await pause(gatePause.least + Math.random() * (gatePause.most - gatePause.least))
  }
}
