import type { Change, Difference } from './compare.ts'
import type { DescribedValue, ValueOrigin } from './description.ts'

/** A change that several hosts share, and every place that its two values come from. */
export type SharedChange = Change & {
  readonly origins: { readonly before: readonly ValueOrigin[]; readonly after: readonly ValueOrigin[] }
}

/** Hosts that change in the same ways. */
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

/** The changes of all hosts, each said once for all hosts that share it, and those of the same hosts together. */
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
  // What holds for many hosts comes first.
  return [...groups.values()].sort((a, b) => b.hosts.length - a.hosts.length)
}
