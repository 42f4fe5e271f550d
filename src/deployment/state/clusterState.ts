import type { Authority } from '../../certificates/authority.ts'
import type { HostStores } from '../../certificates/hostStores.ts'
import type { Secret } from '../../secrets/secret.ts'

/** A password that a rotation took out of use. */
export type ReplacedPassword = {
  /** When, RFC 3339. */
  readonly at: string
  /** Tells it again without proving a guess; see `markOf` of `deployment/users/rotation.ts`. */
  readonly mark: string
}

/** What the state directory knows of one API user. */
export type UserState = {
  /** 16 bytes, one per user and cluster, so that a plan costs one scrypt per user. */
  readonly salt: Buffer
  /** Only a password that muster made, or one that a rotation is bringing to the hosts. */
  readonly password?: Secret
  /** While a rotation is not proved on every host: those that hosts may still have, besides `password`. */
  readonly pending?: readonly Secret[]
  /** Newest first. */
  readonly replaced?: readonly ReplacedPassword[]
}

/** How far a new authority is on its way into the place of the old one. */
export type Rotation =
  /** Hosts come to trust the next one, too; the old one signs. `complete`: every host does, and a person wanted to wait. */
  | { readonly phase: 'trust'; readonly next: Authority; readonly complete?: true }
  /** The new one signs, and hosts get leaves of it; the previous one (PEM) is still trusted. */
  | { readonly phase: 'move'; readonly previous: string }
  /** Hosts come to trust the new one alone. */
  | { readonly phase: 'drop' }

/** What the operator's machine keeps of a cluster, as one value: a plan changes it in memory only. */
export type ClusterState = {
  /** The one that signs. */
  readonly authority?: Authority
  /** Absent where no authority is on its way. */
  readonly rotation?: Rotation
  /** Authorities (PEM) that hosts left for another one; a host that shows a leaf of one is still ours. */
  readonly retired?: readonly string[]
  /** By host name; the stores that muster made. */
  readonly hosts: ReadonlyMap<string, HostStores>
  /** Of the stores that muster made. */
  readonly storePasswords?: { readonly keystore: Secret; readonly truststore: Secret }
  /** By user name. */
  readonly users: ReadonlyMap<string, UserState>
  /** The machine-id of each host's installation, by host name (deployment.md, "The SSH layer" 8). */
  readonly machines: ReadonlyMap<string, string>
  /** Its install-directory, by host name: a standing installation cannot be moved (deployment.md, "A deployment"). */
  readonly folders: ReadonlyMap<string, string>
}

export const emptyState: ClusterState = {
  hosts: new Map(),
  users: new Map(),
  machines: new Map(),
  folders: new Map(),
}

export const withAuthority = (state: ClusterState, authority: Authority): ClusterState => ({
  ...state,
  authority,
})

export const withHost = (state: ClusterState, host: string, stores: HostStores): ClusterState => ({
  ...state,
  hosts: new Map(state.hosts).set(host, stores),
})

export const withStorePasswords = (
  state: ClusterState,
  storePasswords: { readonly keystore: Secret; readonly truststore: Secret },
): ClusterState => ({ ...state, storePasswords })

export const withUser = (state: ClusterState, user: string, facts: UserState): ClusterState => ({
  ...state,
  users: new Map(state.users).set(user, facts),
})

/** The authorities (PEM) that hosts and clients trust now: our own, and outside ones that signed for a host. */
export function trustedAuthorities(state: ClusterState): readonly string[] {
  const outside = [...state.hosts.values()].flatMap((stores) => stores.outside ?? [])
  return [...new Set([...ownAuthorities(state), ...outside])]
}

/** The authorities (PEM) that hosts left and that nobody has to trust any more; one may have been imported again. */
export function untrustedAuthorities(state: ClusterState): readonly string[] {
  const trusted = trustedAuthorities(state)
  return (state.retired ?? []).filter((authority) => !trusted.includes(authority))
}

/** Our own authorities (PEM), the one that signs first; two while one moves. */
export function ownAuthorities({ authority, rotation }: ClusterState): readonly string[] {
  const other = otherAuthority(rotation)
  return [authority?.certificate, other].filter((pem) => pem !== undefined)
}

/** The authority (PEM) that is trusted beside the one that signs. */
export function otherAuthority(rotation: Rotation | undefined): string | undefined {
  if (rotation === undefined || rotation.phase === 'drop') return undefined
  return rotation.phase === 'trust' ? rotation.next.certificate : rotation.previous
}
