import { connectionOf } from './connectionVariables.ts'
import { expandRange, splitPort } from './hostRange.ts'
import {
  type InventoryHost,
  type InventoryProblem,
  mostEntries,
  mostHosts,
  shownWord,
  tooManyEntries,
  tooManyHosts,
  type Variable,
  type Variables,
} from './inventory.ts'

type Group = {
  readonly hosts: Set<string>
  readonly children: Set<string>
  readonly variables: Map<string, Variable>
}

/** Groups of an Ansible inventory, however it is written. */
export type GroupTree = {
  readonly groups: Map<string, Group>
  /** Variables of hosts, by name, in the order of their first mention. */
  readonly hosts: Map<string, Map<string, Variable>>
  /** Counts entries until there are too many. */
  readonly entries: { count: number }
}

export const emptyTree = (): GroupTree => ({ groups: new Map(), hosts: new Map(), entries: { count: 0 } })

/** Returns false once the hosts have too many entries. */
function countEntries({ entries }: GroupTree, more: number): boolean {
  entries.count += more
  return entries.count <= mostEntries
}

/** Returns a group, which is made at its first mention. */
export function groupIn({ groups }: GroupTree, name: string): Group {
  const group = groups.get(name) ?? { hosts: new Set(), children: new Set(), variables: new Map() }
  groups.set(name, group)
  return group
}

/** Adds the hosts of a pattern to a group; returns the problem of a pattern that cannot be expanded. */
export function addHosts(
  tree: GroupTree,
  place: {
    readonly group: string
    readonly pattern: string
    readonly variables: Variables
    /** The pattern may end with a port. */
    readonly withPort?: true
  },
): InventoryProblem | undefined {
  const { group, variables, withPort } = place
  const { pattern, port } = withPort ? splitPort(place.pattern) : { pattern: place.pattern }
  const names = expandRange(pattern)
  if (names === undefined) {
    return {
      message: `The host pattern ${shownWord(pattern)} has a range that is no range, or too many hosts.`,
      fix: `Write it as db[1:3] or db[a:c]; an inventory has at most ${mostHosts} hosts.`,
    }
  }
  if (!countEntries(tree, names.length * (1 + variables.size))) return tooManyEntries
  const { hosts } = groupIn(tree, group)
  for (const name of names) {
    hosts.add(name)
    // As in Ansible, only the first mention of a host gives it a port.
    const first = port === undefined ? [] : [['ansible_port', { value: port }] as const]
    const own = tree.hosts.get(name) ?? new Map<string, Variable>(first)
    for (const [key, value] of variables) own.set(key, value)
    tree.hosts.set(name, own)
  }
  return tree.hosts.size > mostHosts ? tooManyHosts : undefined
}

/** Depth of each group below the top, the longest way; groups in a circle keep the depth at which it closes. */
function depths({ groups }: GroupTree): ReadonlyMap<string, number> {
  const depth = new Map<string, number>([...groups.keys()].map((name) => [name, name === 'all' ? 0 : 1]))
  // The longest way without a circle has fewer steps than there are groups; Ansible refuses circles.
  for (let round = 0; round < Math.min(groups.size, 64); round += 1) {
    let changed = false
    for (const [name, { children }] of groups) {
      const next = (depth.get(name) ?? 1) + 1
      for (const child of children) {
        if ((depth.get(child) ?? 1) >= next) continue
        depth.set(child, next)
        changed = true
      }
    }
    if (!changed) break
  }
  return depth
}

/** Returns the `ansible_group_priority` of a group; 1 without. */
function priorityOf({ variables }: Group): number {
  const value = variables.get('ansible_group_priority')?.value
  return /^-?\d{1,9}$/.test(String(value)) ? Number(value) : 1
}

/** Returns the groups that contain each host, from the most general to the most special one; undefined for too many. */
function groupsByHost(tree: GroupTree): ReadonlyMap<string, readonly string[]> | undefined {
  const parents = new Map<string, string[]>()
  for (const [name, { children }] of tree.groups) {
    for (const child of children) {
      const known = parents.get(child)
      if (known === undefined) parents.set(child, [name])
      else known.push(name)
    }
  }
  const above = new Map<string, ReadonlySet<string>>()
  const ancestors = (name: string): ReadonlySet<string> => {
    const known = above.get(name)
    if (known !== undefined) return known
    const seen = new Set<string>()
    const pending = [name]
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      if (seen.has(next)) continue
      seen.add(next)
      pending.push(...(parents.get(next) ?? []))
    }
    above.set(name, seen)
    return seen
  }
  const depth = depths(tree)
  const priority = new Map([...tree.groups].map(([name, group]) => [name, priorityOf(group)] as const))
  const byHost = new Map<string, Set<string>>([...tree.hosts.keys()].map((name) => [name, new Set<string>()]))
  for (const [name, { hosts }] of tree.groups) {
    if (hosts.size === 0) continue
    const all = ancestors(name)
    if (!countEntries(tree, (1 + hosts.size) * all.size)) return undefined
    for (const host of hosts) for (const one of all) byHost.get(host)?.add(one)
  }
  return new Map(
    [...byHost].map(([host, names]) => [
      host,
      // As Ansible merges groups: by depth, groups of one depth by priority, then by name.
      [...names].sort(
        (a, b) =>
          (depth.get(a) ?? 1) - (depth.get(b) ?? 1) ||
          (priority.get(a) ?? 1) - (priority.get(b) ?? 1) ||
          (a < b ? -1 : 1),
      ),
    ]),
  )
}

/** Resolves the groups to hosts, in the order of their first mention, with the variables that count for each. */
export function hostsOf(tree: GroupTree): readonly InventoryHost[] | InventoryProblem {
  const groups = groupsByHost(tree)
  if (groups === undefined) return tooManyEntries
  const found: InventoryHost[] = []
  for (const [name, own] of tree.hosts) {
    const names = groups.get(name) ?? []
    const variables = new Map<string, Variable>()
    for (const group of new Set(['all', ...names])) {
      const given = tree.groups.get(group)?.variables
      if (given === undefined) continue
      if (!countEntries(tree, given.size)) return tooManyEntries
      for (const [key, value] of given) variables.set(key, value)
    }
    for (const [key, value] of own) variables.set(key, value)
    const shown = names.filter((group) => group !== 'all' && group !== 'ungrouped')
    found.push({ name, groups: shown, ...connectionOf(name, variables) })
  }
  return found
}
