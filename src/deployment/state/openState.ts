import { setTimeout as pause } from 'node:timers/promises'
import { type RecordedMachines, recordedMachines } from '../hostIdentity.ts'
import { type ClusterState, emptyState } from './clusterState.ts'
import { decodeMachinesOnly, decodeState } from './decodeState.ts'
import { mergeState } from './mergeState.ts'
import { requireSharedState } from './sharedState.ts'
import { stateDifferences } from './stateDifferences.ts'
import {
  deleteFolder,
  prepareFolder,
  readFiles,
  restrictAccess,
  saveMark,
  type TooOpen,
  writeFiles,
} from './stateDirectory.ts'
import { StateError } from './stateError.ts'
import { encodeState, isHostFile, machinesFile } from './stateFiles.ts'
import { withStateGate } from './stateGate.ts'
import { type StatePlace, stateFolder } from './statePlace.ts'

export type OpenedState = {
  readonly state: ClusterState
  /** Sentences for the user: files that others could read, and whether that was fixed. */
  readonly notes: readonly string[]
}

/**
 * Reads the state on disk, all of it as one run saved it; undefined if there is none. Writes nothing, except that it
 * waits for the gate if others save all the time. Throws `StateError`.
 */
export async function readState(place: StatePlace): Promise<OpenedState | undefined> {
  for (let tries = 1; tries <= readTries; tries += 1) {
    const before = await saveMark(place)
    const read = await readOnce(place).then(
      (state) => ({ state }),
      (error: unknown) => ({ error }),
    )
    // Without the gate, a run that saves meanwhile shows a part of what it saves.
    if (before !== undefined && before === (await saveMark(place))) {
      if ('error' in read) throw read.error
      return read.state
    }
    await pause(readPause)
  }
  return withStateGate(place, () => readOnce(place)).catch((error: unknown) => {
    // Who may only read takes what is there.
    if (error instanceof StateError && error.code === 'unwritable') return readOnce(place)
    throw error
  })
}

/** Reads the state on disk as `readState` does; empty if there is none. */
export const knownState = async (place: StatePlace): Promise<ClusterState> =>
  (await readState(place))?.state ?? emptyState

const readTries = 5
/** Milliseconds. */
const readPause = 50

async function readOnce(place: StatePlace): Promise<OpenedState | undefined> {
  const found = await readFiles(place)
  if (found === undefined) return undefined
  return {
    state: decodeState(found.files, stateFolder(place)),
    notes: found.tooOpen.map(
      (one) =>
        `other users can read ${one.path} (${octal(one.mode)}); run: chmod ${octal(one.wanted)} ${one.path}`,
    ),
  }
}

/**
 * Reads the machines of the hosts, except those to be replaced; other parts of the state may be damaged. Writes
 * nothing. Throws `StateError`.
 */
export async function machinesOf(place: StatePlace): Promise<RecordedMachines> {
  const found = await readFiles(place)
  return recordedMachines(
    found === undefined ? emptyState : decodeMachinesOnly(found.files, stateFolder(place)),
  )
}

/**
 * Opens the state for changes, empty if there is none: creates its folder, completes an interrupted write and removes
 * access of others. The caller holds the lock. Throws `StateError`.
 */
export const openState = (place: StatePlace): Promise<OpenedState> =>
  withStateGate(place, () => openAlone(place))

async function openAlone(place: StatePlace): Promise<OpenedState> {
  await prepareFolder(place)
  const found = await readFiles(place)
  if (found === undefined) return { state: emptyState, notes: [] }
  const unchanged = await restrictAccess(found.tooOpen)
  const note = (one: TooOpen): string =>
    unchanged.includes(one)
      ? `other users can read ${one.path} (${octal(one.mode)}), and you cannot change its permissions`
      : `other users could read ${one.path} (${octal(one.mode)}); its mode is now ${octal(one.wanted)}`
  return { state: decodeState(found.files, stateFolder(place)), notes: found.tooOpen.map(note) }
}

/** Deletes the state of one cluster permanently; `.muster` too if it was the last. Throws `StateError`. */
export const removeState = (place: StatePlace): Promise<void> => deleteFolder(place)

const octal = (mode: number): string => mode.toString(8).padStart(4, '0')

/**
 * Makes the changes from `before` to `after` on disk, where other runs may have changed other hosts and users
 * meanwhile: completely or, after a crash, not at all. It deletes nothing except the list of machines once it is empty, stores of hosts that
 * `after` no longer has, and the mark of an outside authority, and writes nothing if both are equal. The caller holds the lock. Throws `StateError` with `changed-meanwhile` if the same
 * was changed on disk, `shared-by-all` if a shard would make it, and `authority-replaced` if `after` has neither the authority of `before` nor the next one of
 * its rotation.
 */
export async function saveState(
  options: Parameters<typeof requireSharedState>[0],
): Promise<{ readonly written: readonly string[] }> {
  const { before, after } = options
  if (stateDifferences(before, after).length === 0) return { written: [] }
  requireSharedState(options)
  const kept = before.authority
  const { rotation } = before
  const next = rotation?.phase === 'trust' ? rotation.next.certificate : undefined
  const signing = after.authority?.certificate
  if (kept !== undefined && kept.certificate !== signing && (next === undefined || next !== signing)) {
    throw new StateError({
      code: 'authority-replaced',
      message: `${stateFolder(options)} has an authority, and muster never replaces one automatically`,
      fix: 'run `muster cert rotate-authority` to replace it: clients then have time to trust the new one',
    })
  }
  return withStateGate(options, () => mergeAndWrite(options))
}

async function mergeAndWrite(
  options: Parameters<typeof saveState>[0],
): Promise<{ readonly written: readonly string[] }> {
  const { before, after } = options
  const where = stateFolder(options)
  const current = (await readFiles(options))?.files ?? new Map<string, Buffer>()
  const merged = mergeState({ base: before, mine: after, theirs: decodeState(current, where) })
  if ('conflicts' in merged) {
    throw new StateError({
      code: 'changed-meanwhile',
      message: `${where} was changed by someone else since it was read: ${merged.conflicts.slice(0, 8).join('; ')}`,
      fix: 'run the command again; nothing was written',
    })
  }
  const wanted = encodeState(merged.state)
  const obsolete = [...current.keys()].filter(
    (path) => (isHostFile(path) || path === machinesFile) && !wanted.has(path),
  )
  const changed = [
    ...[...wanted].filter(([path, content]) => !current.get(path)?.equals(content)),
    ...obsolete.map((path) => [path, Buffer.alloc(0)] as const),
  ]
  if (changed.length > 0) await writeFiles(options, new Map(changed))
  return { written: changed.map(([path]) => path) }
}
