import { listOf, shortListOf } from '../../base/words.ts'
import { type InventoryHost, shownWord } from './inventory.ts'
import { type Role, roleOf } from './roles.ts'

/** A host with the name that it gets in the file. */
export type NamedInventoryHost = { readonly name: string; readonly host: InventoryHost }

/** Places of the hosts in one service, with what was not sure about each list. */
export type PlacedHosts = {
  readonly topology: 'clustered' | 'replicator'
  readonly master: string
  readonly members: readonly string[]
  readonly connectors: readonly string[]
  readonly witnesses: readonly string[]
  readonly comments: Readonly<
    Record<'topology' | 'master' | 'members' | 'connectors' | 'witnesses', readonly string[]>
  >
  /** Hosts whose groups say no role, while those of others do. */
  readonly without: readonly string[]
}

const sources = ', which `muster discover HOST…` reads from replication'

/** Derives the places of hosts from the names of their groups; undefined if no host can be a member. */
export function placeHosts(hosts: readonly NamedInventoryHost[]): PlacedHosts | undefined {
  const roles = new Map(
    hosts.map(({ name, host }) => [
      name,
      new Set(host.groups.flatMap((group) => roleOf(group)?.role ?? [])) as ReadonlySet<Role>,
    ]),
  )
  const withRole = (...wanted: readonly Role[]): readonly string[] =>
    hosts.flatMap(({ name }) => (wanted.some((role) => roles.get(name)?.has(role)) ? [name] : []))
  const noRoles = withRole('member', 'primary', 'manager', 'replicator', 'connector', 'witness').length === 0
  const databases = withRole('member', 'primary', 'replicator')
  const managers = withRole('manager')
  const free = hosts.flatMap(({ name }) => (roles.get(name)?.size === 0 ? [name] : []))
  const members = databases.length > 0 ? databases : managers.length > 0 ? managers : free
  if (members.length === 0) return undefined
  const witnesses = withRole('manager', 'witness').filter((name) => !members.includes(name))
  const named = withRole('connector')
  const topology =
    withRole('replicator').length > 0 &&
    withRole('member', 'primary', 'manager', 'connector', 'witness').length === 0
      ? 'replicator'
      : 'clustered'
  const primaries = withRole('primary')
  const [first = ''] = members
  const master = primaries.length > 0 ? (primaries[0] ?? first) : first
  return {
    topology,
    master,
    members,
    connectors: topology === 'replicator' ? [] : named.length > 0 ? named : members,
    witnesses,
    without: members === free ? [] : free,
    comments: {
      topology:
        topology === 'replicator'
          ? ['Only replicators are named: no manager and no connector is installed.']
          : [],
      master:
        primaries.length === 1
          ? []
          : [
              primaries.length === 0
                ? `Not sure: no group names the primary; this is the first member. Correct it to what it is${sources}.`
                : `Not sure: ${listOf(primaries)} are all in a group for primaries. Correct it to what it is${sources}.`,
            ],
      members: [
        ...(noRoles
          ? [
              'Not sure: no group is named after a role (databases, managers, proxies, …), so every host is a member.',
            ]
          : []),
        ...similarNames(hosts),
      ],
      connectors:
        topology === 'clustered' && named.length === 0
          ? [
              'Not sure: no group names connectors or proxies, so each member has one. Remove it if clients connect elsewhere.',
            ]
          : [],
      witnesses: managers.some((name) => witnesses.includes(name))
        ? ['Managers without a database are witnesses.']
        : [],
    },
  }
}

/** Names groups that are read as a role without being its word. */
function similarNames(hosts: readonly NamedInventoryHost[]): readonly string[] {
  const groups = [...new Set(hosts.flatMap(({ host }) => host.groups))]
  const similar = groups.filter((group) => roleOf(group)?.exact === false)
  if (similar.length === 0) return []
  const read = similar.map((group) => `${shownWord(group)} as ${roleOf(group)?.role}`)
  return [`Not sure: groups were read by a part of their name: ${shortListOf(read, 6)}.`]
}
