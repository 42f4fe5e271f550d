import { join } from 'node:path'
import { folderOf } from './stateFiles.ts'

/** Identifies a state: the folder of the YAML file (absolute) and the cluster's name. */
export type StatePlace = { readonly directory: string; readonly cluster: string }

/** `.muster` beside the YAML file, for all its clusters. */
export const musterFolder = (place: StatePlace): string => join(place.directory, '.muster')

/** `.muster/<cluster>`. */
export const stateFolder = (place: StatePlace): string => join(musterFolder(place), folderOf(place.cluster))
