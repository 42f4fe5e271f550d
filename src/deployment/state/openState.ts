import { type RecordedMachines, recordedMachines } from '../hostIdentity.ts'
import { type ClusterState, emptyState } from './clusterState.ts'
import { decodeMachinesOnly, decodeState } from './decodeState.ts'
import { stateDifferences } from './stateDifferences.ts'
import {
  deleteFolder,
  prepareFolder,
  readFiles,
  restrictAccess,
  type TooOpen,
  writeFiles,
} from './stateDirectory.ts'
import { StateError } from './stateError.ts'
import { encodeState, isOutsideMark } from './stateFiles.ts'
import { type StatePlace, stateFolder } from './statePlace.ts'

export type OpenedState = {
  readonly state: ClusterState
  /** Sentences for the user: files that others could read, and whether that was fixed. */
  readonly notes: readonly string[]
}

/** Reads the state on disk; undefined if there is none. Writes nothing. Throws `StateError`. */
export async function readState(place: StatePlace): Promise<OpenedState | undefined> {
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
export async function openState(place: StatePlace): Promise<OpenedState> {
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
 * Changes the state on disk from `before` to `after`: completely or, after a crash, not at all. It deletes nothing
 * except the mark of an outside authority, and writes nothing if both are equal. The caller holds the lock. Throws
 * `StateError` with `changed-meanwhile` if the disk differs from `before`, and `authority-replaced` if `after` has
 * neither the authority of `before` nor the next one of its rotation.
 */
export async function saveState(
  options: StatePlace & { readonly before: ClusterState; readonly after: ClusterState },
): Promise<{ readonly written: readonly string[] }> {
  const { before, after } = options
  const where = stateFolder(options)
  const differences = stateDifferences((await readState(options))?.state ?? emptyState, before)
  if (differences.length > 0) {
    throw new StateError({
      code: 'changed-meanwhile',
      message: `${where} was changed by someone else since it was read: ${differences.join('; ')}`,
      fix: 'run the command again; nothing was written',
    })
  }
  const kept = before.authority
  const { rotation } = before
  const next = rotation?.phase === 'trust' ? rotation.next.certificate : undefined
  const signing = after.authority?.certificate
  if (kept !== undefined && kept.certificate !== signing && (next === undefined || next !== signing)) {
    throw new StateError({
      code: 'authority-replaced',
      message: `${where} has an authority, and muster never replaces one automatically`,
      fix: 'run `muster cert rotate-authority` to replace it: clients then have time to trust the new one',
    })
  }
  const current = (await readFiles(options))?.files ?? new Map<string, Buffer>()
  const wanted = encodeState(after)
  const obsoleteMarks = [...current.keys()].filter((path) => isOutsideMark(path) && !wanted.has(path))
  const changed = [
    ...[...wanted].filter(([path, content]) => !current.get(path)?.equals(content)),
    ...obsoleteMarks.map((path) => [path, Buffer.alloc(0)] as const),
  ]
  if (changed.length > 0) await writeFiles(options, new Map(changed))
  return { written: changed.map(([path]) => path) }
}
