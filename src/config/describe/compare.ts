import {
  type DescribedGroup,
  type DescribedHost,
  type DescribedValue,
  type Description,
  describedGroups,
} from './description.ts'

/** One setting of one host that is not the same on both sides; a side without it has no value for it. */
export type Change = {
  readonly group: DescribedGroup
  readonly name: string
  readonly before?: DescribedValue
  readonly after?: DescribedValue
}

/** What differs between two descriptions. */
export type Difference = {
  /** Only when the names differ. */
  readonly cluster?: { readonly before: string; readonly after: string }
  readonly added: readonly string[]
  readonly removed: readonly string[]
  /** Names of all hosts that both sides have. */
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

/** Compares two descriptions host by host, by what the values are and not by where they came from. */
export function compare(before: Description, after: Description): Difference {
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

/** Whether nothing differs. */
export const isSame = ({ cluster, added, removed, changed }: Difference): boolean =>
  cluster === undefined && added.length + removed.length + changed.length === 0
