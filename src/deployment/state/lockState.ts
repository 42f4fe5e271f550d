import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { takeLock } from '../../base/fileLock.ts'
import { isObject, parseJson } from '../../base/json.ts'
import { printableLine } from '../../base/printable.ts'
import { isAncestor, isRunning, type ProcessIdentity } from '../../base/processIdentity.ts'
import { errorCode } from '../../base/systemErrors.ts'
import { shortListOf } from '../../base/words.ts'
import { dropEmptyFolder } from './stateDirectory.ts'
import { type StateError, stateIoError } from './stateError.ts'
import { secretsFile } from './stateFiles.ts'
import {
  holderFormat,
  type LockHolder,
  lockedBy,
  newHolder,
  parseHolder,
  unknownLock,
  withStateGate,
} from './stateGate.ts'
import {
  gateName,
  guestLockName,
  newLockPrefix,
  runLockPrefix,
  type StatePlace,
  stateFolder,
} from './statePlace.ts'

/**
 * Names of the hosts that a run changes; `all` for one that changes what the whole cluster shares. Without a name the
 * lock holds up nobody, and a muster in a hook of the run still finds it.
 */
export type LockedHosts = readonly string[] | 'all'

/** Lock of a run as its file in the state directory says. */
export type RunLock = LockHolder & {
  /** Command of the run, for people. */
  readonly operation: string
  readonly hosts: LockedHosts
}

type LockRequest = {
  readonly now?: Date
  readonly operation?: string
  /** All without it. */
  readonly hosts?: LockedHosts
  /** True for a command with --lock-wait, which the refusal then names. */
  readonly hasLockWait?: boolean
}

export type StateLock = {
  readonly release: () => Promise<void>
  /** Waits until no process works under this lock; `pause` may reject. Removes what a killed one left. */
  readonly waitForGuests: (pause: (milliseconds: number) => Promise<unknown>) => Promise<void>
}

/** The lock of a run that started this process, which works under it. */
type JoinedLock = StateLock & { readonly parent: ProcessIdentity }

/**
 * Acquires the lock of hosts in a state; creates its folder, which is removed with the last lock if it is still empty.
 * Until the state has secrets, which the first run makes for all hosts, every lock is for all. Removes locks whose
 * process no longer exists. Throws `StateError`, `locked` with the other's hosts and pid, while another process holds
 * one of the hosts.
 */
export const lockState = (place: StatePlace, request: LockRequest = {}): Promise<StateLock> =>
  takeRunLock(place, request, undefined)

async function takeRunLock(
  place: StatePlace,
  { now = new Date(), operation = 'state', hosts = 'all', hasLockWait = false }: LockRequest,
  parent: RunLock | undefined,
): Promise<StateLock> {
  const holder = newHolder(now)
  const path = runLockPath(place, holder.id)
  const made = join(stateFolder(place), `${newLockPrefix}${holder.id}`)
  try {
    await withStateGate(place, async () => {
      const wanted = hosts.length === 0 || (await hasSecrets(place)) ? hosts : 'all'
      for (const other of await runningLocks(place)) {
        if (other.id !== parent?.id && shared(wanted, other.hosts))
          throw heldError(place, { wanted, other, hasLockWait })
      }
      const lock: RunLock = { ...holder, operation, hosts: wanted }
      // Names of thousands of hosts are written piece by piece, and others read without the gate.
      await writeFile(made, `${JSON.stringify(lock)}\n`, { flag: 'wx', mode: 0o600 })
      await rename(made, path)
    })
  } catch (error) {
    // A full disk leaves half of it.
    await rm(made, { force: true })
    await rm(path, { force: true })
    await dropEmptyFolder(place)
    throw stateIoError(error, 'write', path)
  }
  return {
    release: () => rm(path, { force: true }).then(() => dropEmptyFolder(place)),
    waitForGuests: (pause) => waitForGuest(guestPath(place, holder.id), pause),
  }
}

/**
 * Joins the run of a process above this one: a hook has started muster. Waits for others that joined it, which its run
 * bounds; `pause` may reject. Undefined if no process above this one holds a lock. Throws `StateError` as `lockState`
 * does for hosts that the run above does not have.
 */
export async function joinState(
  place: StatePlace,
  options: LockRequest & { readonly pause: (milliseconds: number) => Promise<unknown> },
): Promise<JoinedLock | undefined> {
  const parent = (await readLocks(place)).find(isAncestor)
  if (parent === undefined) return undefined
  const path = guestPath(place, parent.id)
  try {
    for (;;) {
      const turn = await takeLock(path, holderFormat(options.now ?? new Date()))
      if ('heldBy' in turn) {
        await options.pause(guestPause)
        continue
      }
      const lock = await takeRunLock(place, options, parent).catch(async (error: unknown) => {
        await turn.release()
        throw error
      })
      return { ...lock, parent, release: () => lock.release().then(turn.release) }
    }
  } catch (error) {
    throw stateIoError(error, 'write', path)
  }
}

/** Milliseconds between two looks at the lock of another guest. */
const guestPause = 100

async function waitForGuest(path: string, pause: (milliseconds: number) => Promise<unknown>): Promise<void> {
  for (;;) {
    const guest = parseHolder(await readFile(path, 'utf8').catch(() => ''))
    if (guest === undefined) return
    if (!isRunning(guest)) return rm(path, { force: true })
    await pause(guestPause)
  }
}

/** Returns the locks of runs that go on, as far as this machine can tell. Changes nothing. Throws `StateError`. */
export const stateLocks = async (place: StatePlace): Promise<readonly RunLock[]> =>
  (await readLocks(place)).filter(isRunning)

/** Removes locks that were read before. */
export const releaseStateLocks = (place: StatePlace, locks: readonly RunLock[]): Promise<void> =>
  withStateGate(place, async () => {
    for (const { id } of locks) await rm(runLockPath(place, id), { force: true })
  }).then(() => dropEmptyFolder(place))

/** Reads the locks under the gate, and removes those whose process has ended. */
async function runningLocks(place: StatePlace): Promise<readonly RunLock[]> {
  const running: RunLock[] = []
  // Nobody else writes one now, and whoever broke the gate of an ended process is done or was killed.
  for (const prefix of [newLockPrefix, `${gateName}.`])
    for (const path of await filesOf(place, prefix)) await rm(path, { force: true })
  for (const path of await filesOf(place, runLockPrefix)) {
    const lock = await readLock(path)
    if (lock !== undefined && isRunning(lock)) running.push(lock)
    else await rm(path, { force: true })
  }
  return running
}

/** Returns true if a process above this one holds a lock: a hook of its run has started this one. Throws `StateError`. */
export const isInRun = async (place: StatePlace): Promise<boolean> =>
  (await readLocks(place)).some(isAncestor)

async function readLocks(place: StatePlace): Promise<readonly RunLock[]> {
  const found = await Promise.all((await filesOf(place, runLockPrefix)).map(readLock))
  return found.filter((lock) => lock !== undefined)
}

async function filesOf(place: StatePlace, prefix: string): Promise<readonly string[]> {
  const folder = stateFolder(place)
  const names = await readdir(folder).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return []
    throw stateIoError(error, 'read', folder)
  })
  return names
    .filter((name) => name.startsWith(prefix))
    .sort()
    .map((name) => join(folder, name))
}

/** Undefined for one that was released meanwhile, or that the crash of a machine left empty. */
async function readLock(path: string): Promise<RunLock | undefined> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return ''
    throw stateIoError(error, 'read', path)
  })
  if (text === '') return undefined
  const [holder, fields] = [parseHolder(text), parseJson(text)]
  if (holder === undefined || !isObject(fields) || !path.endsWith(holder.id)) throw unknownLock(path)
  const { operation, hosts } = fields
  const isList = Array.isArray(hosts) && hosts.every((name) => typeof name === 'string')
  if (typeof operation !== 'string' || !(hosts === 'all' || isList)) throw unknownLock(path)
  return {
    ...holder,
    operation: printableLine(operation),
    hosts: hosts === 'all' ? hosts : hosts.map(printableLine),
  }
}

function shared(one: LockedHosts, other: LockedHosts): boolean {
  if (one.length === 0 || other.length === 0) return false
  return one === 'all' || other === 'all' || one.some((name) => other.includes(name))
}

function heldError(
  place: StatePlace,
  {
    wanted,
    other,
    hasLockWait,
  }: { readonly wanted: LockedHosts; readonly other: RunLock; readonly hasLockWait: boolean },
): StateError {
  const { hosts } = other
  const both = hosts === 'all' || wanted === 'all' ? hosts : hosts.filter((name) => wanted.includes(name))
  const what = both === 'all' ? "this cluster's state" : shortListOf(both, 8)
  return lockedBy(other, {
    path: runLockPath(place, other.id),
    what: `${what}: \`muster ${other.operation}\`, `,
    hasLockWait,
    release: 'release its lock: muster lock release',
  })
}

async function hasSecrets(place: StatePlace): Promise<boolean> {
  return (await readdir(stateFolder(place))).includes(secretsFile)
}

const runLockPath = (place: StatePlace, id: string): string =>
  join(stateFolder(place), `${runLockPrefix}${id}`)
const guestPath = (place: StatePlace, id: string): string =>
  join(stateFolder(place), `${guestLockName}-${id}`)
