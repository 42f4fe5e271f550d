import type { Authority } from '../../certificates/authority.ts'
import { leafFacts } from '../../certificates/certificateFacts.ts'
import type { HostStores } from '../../certificates/hostStores.ts'
import { type ClusterState, trustedAuthorities, withHost } from '../state/clusterState.ts'

/** What it means for trust that hosts leave outside authorities for our own. */
export type Leaving = {
  /** Those of the hosts that have a certificate of one. */
  readonly hosts: readonly string[]
  /** Names of the authorities that nobody has to trust any more once these hosts show certificates of ours. */
  readonly dropped: readonly string[]
  /** Of those that stay trusted, each with the hosts that still have a certificate of it. */
  readonly staying: readonly { readonly authority: string; readonly hosts: readonly string[] }[]
}

/** What changes when these hosts get certificates of our own authority. */
export function leavingOf({ hosts: kept }: ClusterState, names: readonly string[]): Leaving {
  const outside = (name: string): string | undefined => kept.get(name)?.outside
  const hosts = names.filter((name) => outside(name) !== undefined)
  const theirs = [...new Set(hosts.flatMap((name) => outside(name) ?? []))].map((pem) => ({
    authority: leafFacts(pem, new Date(0))?.subject ?? 'an authority',
    hosts: [...kept.keys()].filter((name) => !hosts.includes(name) && outside(name) === pem),
  }))
  const staying = theirs.filter((one) => one.hosts.length > 0)
  const dropped = theirs.filter((one) => one.hosts.length === 0).map(({ authority }) => authority)
  return { hosts, dropped, staying }
}

/** The state in which hosts have what they proved; an outside authority that signed for none of the others is retired. */
export function afterProof(state: ClusterState, proved: ReadonlyMap<string, HostStores>): ClusterState {
  const after = [...proved].reduce((sum, [host, stores]) => withHost(sum, host, stores), state)
  const trusted = trustedAuthorities(after)
  const left = trustedAuthorities(state).filter((authority) => !trusted.includes(authority))
  return left.length === 0 ? after : { ...after, retired: [...new Set([...(state.retired ?? []), ...left])] }
}

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
