import { isDeepStrictEqual } from 'node:util'
import type { ClusterPicture } from '../contracts/clusterPicture.ts'
import type { DashboardEvent } from '../contracts/dashboard.ts'

type Removed = Omit<Extract<DashboardEvent, { kind: 'removed' }>, 'kind' | 'time' | 'cluster'>

/**
 * Returns the events that make one picture of a cluster out of another. New things come last in their list; one that
 * moved is removed first, and so is all that stands behind it.
 */
export function pictureChanges(options: {
  readonly before: ClusterPicture
  readonly after: ClusterPicture
  /** RFC 3339. */
  readonly time: string
}): readonly DashboardEvent[] {
  const { before, after, time } = options
  const cluster = after.name
  const services = changesOf({
    before: before.services,
    after: after.services,
    keyOf: ({ name }) => name,
    removed: ({ name }) => ({ what: 'service', name }),
  })
  const datasources = changesOf({
    before: before.datasources,
    after: after.datasources,
    keyOf: ({ service, name }) => `${service}/${name}`,
    removed: ({ service, name }) => ({ what: 'datasource', service, name }),
  })
  const hosts = changesOf({
    before: before.hosts,
    after: after.hosts,
    keyOf: ({ name }) => name,
    removed: ({ name }) => ({ what: 'host', name }),
  })
  const { verdict } = after
  return [
    ...[services, datasources, hosts].flatMap((changes) =>
      changes.removed.map((it): DashboardEvent => ({ kind: 'removed', time, cluster, ...it })),
    ),
    ...services.changed.map((service): DashboardEvent => ({ kind: 'service', time, cluster, service })),
    ...datasources.changed.map(
      (datasource): DashboardEvent => ({ kind: 'datasource', time, cluster, datasource }),
    ),
    ...hosts.changed.map((host): DashboardEvent => ({ kind: 'host', time, cluster, host })),
    // Last: whoever reads it sees what it speaks of.
    ...(isDeepStrictEqual(before.verdict, verdict)
      ? []
      : [{ kind: 'verdict', time, cluster, verdict } as const]),
  ]
}

function changesOf<Thing>(lists: {
  readonly before: readonly Thing[]
  readonly after: readonly Thing[]
  readonly keyOf: (thing: Thing) => string
  readonly removed: (thing: Thing) => Removed
}): { readonly removed: readonly Removed[]; readonly changed: readonly Thing[] } {
  const { before, after, keyOf, removed } = lists
  const wanted = new Set(after.map(keyOf))
  const kept = before.filter((thing) => wanted.has(keyOf(thing)))
  const moved = kept.findIndex((thing, index) => {
    const there = after[index]
    return there === undefined || keyOf(there) !== keyOf(thing)
  })
  const staying = moved === -1 ? kept : kept.slice(0, moved)
  const stayingKeys = new Set(staying.map(keyOf))
  return {
    removed: before.filter((thing) => !stayingKeys.has(keyOf(thing))).map(removed),
    changed: after.filter((thing, index) => !isDeepStrictEqual(thing, staying[index])),
  }
}
