import type { Authority } from '../../certificates/authority.ts'
import type { HostStores } from '../../certificates/hostStores.ts'
import type { SshConfig } from '../../config/model.ts'
import type { Secret } from '../../secrets/secret.ts'

/** Password that a rotation replaced. */
export type ReplacedPassword = {
  /** When, RFC 3339. */
  readonly at: string
  /** Recognizes the password without confirming a guess; see `markOf`. */
  readonly mark: string
}

/** Entry of one API user in the state directory. */
export type UserState = {
  /** 16 bytes, one per user and cluster, so that a plan costs one scrypt per user. */
  readonly salt: Buffer
  /** Only a password that muster generated, or the new one of a rotation in progress. */
  readonly password?: Secret
  /** Until a rotation is verified on every host: passwords that hosts may still have, besides `password`. */
  readonly pending?: readonly Secret[]
  /** Newest first. */
  readonly replaced?: readonly ReplacedPassword[]
}

/** Phase of the replacement of the cluster's authority. */
export type Rotation =
  /**
   * Hosts start to trust the next authority too; the old one signs. `complete`: every host does, and the operator
   * asked to wait.
   */
  | { readonly phase: 'trust'; readonly next: Authority; readonly complete?: true }
  /** The new authority signs, and hosts get leaves of it; the previous one (PEM) is still trusted. */
  | { readonly phase: 'move'; readonly previous: string }
  /** Hosts trust only the new authority. */
  | { readonly phase: 'drop' }

/** Way to a host without its secrets, to reach it once the file no longer has it. */
export type HostWay = {
  readonly address: string
  readonly ssh: Omit<SshConfig, 'becomePassword'>
}

/** State of a cluster on the operator's machine, as one value; a plan changes it only in memory. */
export type ClusterState = {
  /** Authority that signs. */
  readonly authority?: Authority
  /** Absent if no rotation is in progress. */
  readonly rotation?: Rotation
  /** Authorities (PEM) that hosts no longer use; a host that presents a leaf of one still belongs to the cluster. */
  readonly retired?: readonly string[]
  /** By host name; stores that muster made. */
  readonly hosts: ReadonlyMap<string, HostStores>
  /** Of the stores that muster made. */
  readonly storePasswords?: { readonly keystore: Secret; readonly truststore: Secret }
  /** By user name. */
  readonly users: ReadonlyMap<string, UserState>
  /** Machine-id of each host's installation, by host name (deployment.md, "The SSH layer" 8). */
  readonly machines: ReadonlyMap<string, string>
  /**
   * Install-directory of each host, by host name: an existing installation cannot be moved (deployment.md, "A
   * deployment").
   */
  readonly folders: ReadonlyMap<string, string>
  /** Way to each host that SSH reaches, by host name. */
  readonly ways: ReadonlyMap<string, HostWay>
}

export const emptyState: ClusterState = {
  hosts: new Map(),
  users: new Map(),
  machines: new Map(),
  folders: new Map(),
  ways: new Map(),
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

/** Returns the names of the hosts on which a cluster was installed, sorted. */
export const installedNames = ({ machines, folders }: ClusterState): readonly string[] =>
  [...new Set([...machines.keys(), ...folders.keys()])].sort()

/** Returns the state without the machines of hosts, as if they were never installed. */
export function withoutHosts(state: ClusterState, names: readonly string[]): ClusterState {
  const without = <Part>(map: ReadonlyMap<string, Part>): ReadonlyMap<string, Part> =>
    new Map([...map].filter(([name]) => !names.includes(name)))
  return {
    ...state,
    machines: without(state.machines),
    folders: without(state.folders),
    ways: without(state.ways),
  }
}

/** Returns the state without the certificates and keys of hosts that are neither in the file (`named`) nor installed. */
export const withoutStrayStores = (state: ClusterState, named: readonly string[]): ClusterState => ({
  ...state,
  hosts: new Map(
    [...state.hosts].filter(
      ([name]) => named.includes(name) || state.machines.has(name) || state.folders.has(name),
    ),
  ),
})

export const withUser = (state: ClusterState, user: string, facts: UserState): ClusterState => ({
  ...state,
  users: new Map(state.users).set(user, facts),
})

/** Results of `trustedAuthorities`, which each host asks for; a state is never changed. */
const trusted = new WeakMap<ClusterState, readonly string[]>()

/**
 * Returns the authorities (PEM) that hosts and clients trust now: the cluster's own, and outside ones that signed for
 * a host.
 */
export function trustedAuthorities(state: ClusterState): readonly string[] {
  const known = trusted.get(state)
  if (known !== undefined) return known
  const outside = [...state.hosts.values()].flatMap((stores) => stores.outside ?? [])
  const authorities = [...new Set([...ownAuthorities(state), ...outside])]
  trusted.set(state, authorities)
  return authorities
}

/** Returns the retired authorities (PEM) that are no longer trusted; a retired one may have been imported again. */
export function untrustedAuthorities(state: ClusterState): readonly string[] {
  const now = trustedAuthorities(state)
  return (state.retired ?? []).filter((authority) => !now.includes(authority))
}

/** Returns the cluster's own authorities (PEM), the signing one first; two during a rotation. */
export function ownAuthorities({ authority, rotation }: ClusterState): readonly string[] {
  const other = otherAuthority(rotation)
  return [authority?.certificate, other].filter((pem) => pem !== undefined)
}

/** Returns the authority (PEM) that is trusted besides the signing one. */
export function otherAuthority(rotation: Rotation | undefined): string | undefined {
  if (rotation === undefined || rotation.phase === 'drop') return undefined
  return rotation.phase === 'trust' ? rotation.next.certificate : rotation.previous
}
