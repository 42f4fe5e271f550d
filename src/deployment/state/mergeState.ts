import { type ClusterState, emptyState } from './clusterState.ts'
import { stateDifferences } from './stateDifferences.ts'

type Sides = {
  /** Last common state. */
  readonly base: ClusterState
  readonly mine: ClusterState
  readonly theirs: ClusterState
}

/**
 * Merges two changes of one state. Each host's and each user's part is that of the side that changed it; a part that
 * both changed, other than to the same, is a conflict. So is any change beside one of what all hosts share (authority,
 * rotation, passwords of the stores): it was decided by a state that is no longer true.
 */
export function mergeState(
  sides: Sides,
): { readonly state: ClusterState } | { readonly conflicts: readonly string[] } {
  const { base, mine, theirs } = sides
  const before = sharedOf(base)
  if (!isSame(sharedOf(mine), before) || !isSame(sharedOf(theirs), before)) {
    const whole = pick(sides)
    return whole === undefined ? { conflicts: stateDifferences(theirs, base) } : { state: whole }
  }
  const conflicts: string[] = []
  const merge = <Part>(
    of: (state: ClusterState) => ReadonlyMap<string, Part>,
    stateOf: (map: ReadonlyMap<string, Part>) => ClusterState,
  ): ReadonlyMap<string, Part> => {
    const merged = new Map<string, Part>()
    for (const name of new Set([...of(theirs).keys(), ...of(mine).keys()])) {
      const part = (state: ClusterState): ClusterState => {
        const value = of(state).get(name)
        return stateOf(new Map(value === undefined ? [] : [[name, value]]))
      }
      const parts = { base: part(base), mine: part(mine), theirs: part(theirs) }
      const kept = pick(parts)
      const value = kept && of(kept).get(name)
      if (kept === undefined) conflicts.push(...stateDifferences(parts.theirs, parts.base))
      else if (value !== undefined) merged.set(name, value)
    }
    return merged
  }
  const state = {
    ...theirs,
    hosts: merge(
      ({ hosts }) => hosts,
      (hosts) => ({ ...emptyState, hosts }),
    ),
    users: merge(
      ({ users }) => users,
      (users) => ({ ...emptyState, users }),
    ),
    machines: merge(
      ({ machines }) => machines,
      (machines) => ({ ...emptyState, machines }),
    ),
    folders: merge(
      ({ folders }) => folders,
      (folders) => ({ ...emptyState, folders }),
    ),
    ways: merge(
      ({ ways }) => ways,
      (ways) => ({ ...emptyState, ways }),
    ),
  }
  return conflicts.length > 0 ? { conflicts } : { state }
}

/** The part of a state that belongs to no host and no user. */
const sharedOf = (state: ClusterState): ClusterState => {
  const { hosts, users, machines, folders, ways } = emptyState
  return { ...state, hosts, users, machines, folders, ways }
}

/** The side that changed something, or either if both are the same; undefined if both changed it. */
function pick({ base, mine, theirs }: Sides): ClusterState | undefined {
  if (isSame(mine, base)) return theirs
  return isSame(theirs, base) || isSame(mine, theirs) ? mine : undefined
}

const isSame = (one: ClusterState, other: ClusterState): boolean => stateDifferences(one, other).length === 0
