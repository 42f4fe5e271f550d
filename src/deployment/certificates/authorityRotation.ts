import type { Authority } from '../../certificates/authority.ts'
import { leafFacts } from '../../certificates/certificateFacts.ts'
import type { HostStores } from '../../certificates/hostStores.ts'
import { type ClusterState, trustedAuthorities, withHost } from '../state/clusterState.ts'

/** Effect on trust when hosts leave outside authorities for the cluster's own. */
export type AuthorityRetirement = {
  /** Hosts with a certificate of an outside authority. */
  readonly hosts: readonly string[]
  /** Names of the authorities that are no longer trusted once these hosts use the cluster's authority. */
  readonly dropped: readonly string[]
  /** Authorities that stay trusted, each with the hosts that still have a certificate of it. */
  readonly retained: readonly { readonly authority: string; readonly hosts: readonly string[] }[]
}

export function retirementOf({ hosts: kept }: ClusterState, names: readonly string[]): AuthorityRetirement {
  const outside = (name: string): string | undefined => kept.get(name)?.outside
  const hosts = names.filter((name) => outside(name) !== undefined)
  const outsideAuthorities = [...new Set(hosts.flatMap((name) => outside(name) ?? []))].map((pem) => ({
    authority: leafFacts(pem, new Date(0))?.subject ?? 'an authority',
    hosts: [...kept.keys()].filter((name) => !hosts.includes(name) && outside(name) === pem),
  }))
  const retained = outsideAuthorities.filter((one) => one.hosts.length > 0)
  const dropped = outsideAuthorities.filter((one) => one.hosts.length === 0).map(({ authority }) => authority)
  return { hosts, dropped, retained }
}

/** Returns the state after these hosts were verified; retires an outside authority that signed for no other host. */
export function afterVerification(
  state: ClusterState,
  proved: ReadonlyMap<string, HostStores>,
): ClusterState {
  const after = [...proved].reduce((sum, [host, stores]) => withHost(sum, host, stores), state)
  const trusted = trustedAuthorities(after)
  const untrusted = trustedAuthorities(state).filter((authority) => !trusted.includes(authority))
  return untrusted.length === 0
    ? after
    : { ...after, retired: [...new Set([...(state.retired ?? []), ...untrusted])] }
}

/** Returns the state in which hosts also trust the next authority; it signs nothing yet. */
export const beginRotation = (state: ClusterState, next: Authority): ClusterState => ({
  ...state,
  rotation: { phase: 'trust', next },
})

/**
 * Returns the state after every host completed a phase. Drops the old key once the new one signs, and the old
 * certificate once every host has a leaf of the new authority.
 */
export function advanceRotation(state: ClusterState): ClusterState {
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

/** Returns the state in which every host trusts both authorities and the rotation waits for the operator. */
export const pausedRotation = (state: ClusterState): ClusterState =>
  state.rotation?.phase === 'trust' ? { ...state, rotation: { ...state.rotation, complete: true } } : state
