import { sha256 } from '../../base/sha256.ts'
import type { ClusterState } from './clusterState.ts'
import { readFiles, writeFiles } from './stateDirectory.ts'
import { authorityFiles, copyMark, encodeState, rotationFile, secretsFile } from './stateFiles.ts'
import { withStateGate } from './stateGate.ts'
import type { StatePlace } from './statePlace.ts'

/** Records that an archive has the secrets of a state: it was exported, or imported from there. */
export const recordCopy = (place: StatePlace, state: ClusterState): Promise<void> =>
  withStateGate(place, () => writeFiles(place, new Map([[copyMark, Buffer.from(`${markOf(state)}\n`)]])))

/**
 * Returns true if no archive has the secrets of a state as they are now. Certificates and machines do not count: the
 * authority makes new ones.
 */
export async function lacksCopy(place: StatePlace, state: ClusterState): Promise<boolean> {
  if (state.authority === undefined) return false
  const mark = (await readFiles(place))?.files.get(copyMark)
  return mark?.toString().trim() !== markOf(state)
}

function markOf(state: ClusterState): string {
  const files = encodeState(state)
  const parts = [authorityFiles.key, secretsFile, rotationFile].map((name) => files.get(name) ?? Buffer.of())
  return sha256(parts.map((part) => sha256(part)).join('\n'))
}
