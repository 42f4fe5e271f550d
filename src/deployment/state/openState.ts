import { type Machines, recorded } from '../hostIdentity.ts'
import { type ClusterState, emptyState } from './clusterState.ts'
import { decodeMachinesOf, decodeState } from './decodeState.ts'
import { closeToOthers, deleteFolder, prepareFolder, readFiles } from './stateDirectory.ts'
import { type StatePlace, stateFolder } from './statePlace.ts'
import type { TooOpen } from './stateTree.ts'

export type OpenedState = {
  readonly state: ClusterState
  /** Sentences for the user: files that others could read, and whether that was mended. */
  readonly notes: readonly string[]
}

/** The state as it is on disk; undefined when there is none. Writes nothing. Throws `StateError`. */
export async function readState(place: StatePlace): Promise<OpenedState | undefined> {
  const found = await readFiles(place)
  if (found === undefined) return undefined
  return {
    state: decodeState(found.files, stateFolder(place)),
    notes: found.tooOpen.map(
      (one) =>
        `others can read ${one.path} (${octal(one.mode)}); close it: chmod ${octal(one.wanted)} ${one.path}`,
    ),
  }
}

/**
 * The machines of the hosts, as the state on disk has them, and none that is meant to be another; what else the state
 * holds may be damaged. Writes nothing. Throws `StateError`.
 */
export async function machinesOf(place: StatePlace): Promise<Machines> {
  const found = await readFiles(place)
  return recorded(found === undefined ? emptyState : decodeMachinesOf(found.files, stateFolder(place)))
}

/**
 * The state to change, empty when there is none: makes its folder, ends what a run that died had begun
 * and closes what others could read. Hold the lock meanwhile. Throws `StateError`.
 */
export async function openState(place: StatePlace): Promise<OpenedState> {
  await prepareFolder(place)
  const found = await readFiles(place)
  if (found === undefined) return { state: emptyState, notes: [] }
  const left = await closeToOthers(found.tooOpen)
  const note = (one: TooOpen): string =>
    left.includes(one)
      ? `others can read ${one.path} (${octal(one.mode)}), and its permissions cannot be changed by you`
      : `others could read ${one.path} (${octal(one.mode)}); it is ${octal(one.wanted)} now`
  return { state: decodeState(found.files, stateFolder(place)), notes: found.tooOpen.map(note) }
}

/** Deletes the state of one cluster for good; `.muster` too when it was the last. Throws `StateError`. */
export const removeState = (place: StatePlace): Promise<void> => deleteFolder(place)

const octal = (mode: number): string => mode.toString(8).padStart(4, '0')
