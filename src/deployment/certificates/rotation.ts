import type { Authority } from '../../certificates/authority.ts'
import type { ClusterState } from '../state/clusterState.ts'

/** The state in which hosts come to trust another authority, too; it signs nothing yet. */
export const beginRotation = (state: ClusterState, next: Authority): ClusterState => ({
  ...state,
  rotation: { phase: 'trust', next },
})

/**
 * The state after a phase that every host is in. The old key is forgotten as soon as the new one signs, and the
 * old certificate is trusted no longer once every host has a leaf of the new authority.
 */
export function afterPhase(state: ClusterState): ClusterState {
  const { authority, rotation, retired = [], ...rest } = state
  const kept = { ...rest, ...(retired.length === 0 ? {} : { retired }) }
  if (rotation === undefined || authority === undefined) return state
  switch (rotation.phase) {
    case 'trust':
      return {
        ...kept,
        authority: rotation.next,
        rotation: { phase: 'move', previous: authority.certificate },
      }
    case 'move':
      return {
        ...kept,
        authority,
        rotation: { phase: 'drop' },
        retired: [...retired, rotation.previous],
      }
    case 'drop':
      return { ...kept, authority }
  }
}

/** The state in which every host trusts both, and the rotation waits to be told to go on. */
export const waiting = (state: ClusterState): ClusterState =>
  state.rotation?.phase === 'trust' ? { ...state, rotation: { ...state.rotation, complete: true } } : state
