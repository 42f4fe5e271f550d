import type { Authority } from '../../certificates/authority.ts'
import type { HostStores } from '../../certificates/hostStores.ts'
import type { Secret } from '../../secrets/secret.ts'

/** What the state directory knows of one API user. */
export type UserState = {
  /** 16 bytes, one per user and cluster, so that a plan costs one scrypt per user. */
  readonly salt: Buffer
  /** Only a password that muster made. */
  readonly password?: Secret
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
