import {
  type DescribedGroup,
  type DescribedHost,
  type DescribedValue,
  type Description,
  describedGroups,
  type ValueOrigin,
} from './description.ts'

/** A setting of one host that differs; a side without a value has none. */
export type Change = {
  readonly group: DescribedGroup
  readonly name: string
  readonly before?: DescribedValue
  readonly after?: DescribedValue
}

/** Difference of two descriptions. */
export type Difference = {
  /** Only if the names differ. */
  readonly cluster?: { readonly before: string; readonly after: string }
  readonly added: readonly string[]
  readonly removed: readonly string[]
  /** Names of the hosts that both sides have. */
  readonly common: readonly string[]
  /** Hosts of both sides that differ, in the order of the later one. */
  readonly changed: readonly { readonly host: string; readonly changes: readonly Change[] }[]
}

function changeOf(
  group: DescribedGroup,
  before: DescribedValue | undefined,
  after: DescribedValue | undefined,
): readonly Change[] {
  const name = after?.name ?? before?.name
  if (name === undefined || (before && after && before.identity.equals(after.identity))) return []
  return [
    {
      group,
      name,
      ...(before === undefined ? {} : { before }),
      ...(after === undefined ? {} : { after }),
    },
  ]
}

function changesOf(before: DescribedHost, after: DescribedHost): readonly Change[] {
  return describedGroups.flatMap((group) => {
    const old = new Map(before[group].map((one) => [one.name, one]))
    const now = new Map(after[group].map((one) => [one.name, one]))
    const names = new Set([...now.keys(), ...old.keys()])
    return [...names].flatMap((name) => changeOf(group, old.get(name), now.get(name)))
  })
}

/** Compares two descriptions host by host: values only, not their origins. */
export function compareDescriptions(before: Description, after: Description): Difference {
  const old = new Map(before.hosts.map((host) => [host.name, host]))
  const names = after.hosts.map(({ name }) => name)
  const changed = after.hosts.flatMap((host) => {
    const earlier = old.get(host.name)
    const changes = earlier === undefined ? [] : changesOf(earlier, host)
    return changes.length === 0 ? [] : [{ host: host.name, changes }]
  })
  const cluster =
    before.cluster === after.cluster ? {} : { cluster: { before: before.cluster, after: after.cluster } }
  return {
    ...cluster,
    added: names.filter((name) => !old.has(name)),
    removed: [...old.keys()].filter((name) => !names.includes(name)),
    common: names.filter((name) => old.has(name)),
    changed,
  }
}

export const isSame = ({ cluster, added, removed, changed }: Difference): boolean =>
  cluster === undefined && added.length + removed.length + changed.length === 0

/** A change that several hosts share, with all origins of both values. */
export type SharedChange = Change & {
  readonly origins: { readonly before: readonly ValueOrigin[]; readonly after: readonly ValueOrigin[] }
}

/** Hosts with the same changes. */
export type ChangeGroup = { readonly hosts: readonly string[]; readonly changes: readonly SharedChange[] }

type Gathered = { readonly change: Change; readonly hosts: string[]; readonly all: Change[] }

const sideKey = (value: DescribedValue | undefined): string =>
  // The key lives for the grouping only and is never printed.
  value === undefined ? '' : `=${value.identity.reveal()}`

const keyOf = ({ group, name, before, after }: Change): string =>
  JSON.stringify([group, name, sideKey(before), sideKey(after)])

function distinct(values: readonly (DescribedValue | undefined)[]): readonly ValueOrigin[] {
  const origins = values.flatMap((value) => (value === undefined ? [] : [value.origin]))
  return [...new Map(origins.map((origin) => [JSON.stringify(origin), origin])).values()]
}

/**
 * Groups the changes of all hosts: each change once for all its hosts, and changes of the same hosts
 * together.
 */
export function groupChanges({ changed }: Difference): readonly ChangeGroup[] {
  const gathered = new Map<string, Gathered>()
  for (const { host, changes } of changed) {
    for (const change of changes) {
      const key = keyOf(change)
      const earlier = gathered.get(key)
      if (earlier === undefined) gathered.set(key, { change, hosts: [host], all: [change] })
      else {
        earlier.hosts.push(host)
        earlier.all.push(change)
      }
    }
  }
  const groups = new Map<string, { hosts: readonly string[]; changes: SharedChange[] }>()
  for (const { change, hosts, all } of gathered.values()) {
    const origins = {
      before: distinct(all.map(({ before }) => before)),
      after: distinct(all.map(({ after }) => after)),
    }
    const key = JSON.stringify(hosts)
    const group = groups.get(key) ?? { hosts, changes: [] }
    group.changes.push({ ...change, origins })
    groups.set(key, group)
  }
  // Changes of many hosts come first.
  return [...groups.values()].sort((a, b) => b.hosts.length - a.hosts.length)
}
