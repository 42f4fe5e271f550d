import { join } from 'node:path'
import { folderOf } from './stateFiles.ts'

/** Identifies a state: the folder of the YAML file (absolute) and the cluster's name. */
export type StatePlace = { readonly directory: string; readonly cluster: string }

/** `.muster` beside the YAML file, for all its clusters. */
export const musterFolder = (place: StatePlace): string => join(place.directory, '.muster')

/** `.muster/<cluster>`. */
export const stateFolder = (place: StatePlace): string => join(musterFolder(place), folderOf(place.cluster))

/** File of a state directory that one process has while it reads and changes others, for milliseconds. */
export const gateName = 'lock'
/** Beginning of the file of each run's lock; its id follows. */
export const runLockPrefix = 'lock-run-'
/** Beginning of the file of a lock that is being written, which then gets its name. */
export const newLockPrefix = 'lock-new-'
/** Beginning of the file that a muster has which a hook of a run started; the id of the run's lock follows. */
export const guestLockName = 'lock-guest'

/** Returns true for a file of a state directory that only says who works there. */
export const isLockName = (name: string): boolean => /^lock([.-]|$)/.test(name)
