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

/** What the operator's machine keeps of a cluster, as one value: a plan changes it in memory only. */
export type ClusterState = {
  readonly authority?: Authority
  /** By host name; the stores that muster made. */
  readonly hosts: ReadonlyMap<string, HostStores>
  /** Of the stores that muster made. */
  readonly storePasswords?: { readonly keystore: Secret; readonly truststore: Secret }
  /** By user name. */
  readonly users: ReadonlyMap<string, UserState>
  /** The machine-id of each host's installation, by host name (deployment.md, "The SSH layer" 8). */
  readonly machines: ReadonlyMap<string, string>
}

export const emptyState: ClusterState = { hosts: new Map(), users: new Map(), machines: new Map() }

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
