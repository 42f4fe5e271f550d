import { batch, computed, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import type {
  ClusterPicture,
  PictureDataSource,
  PictureHost,
  PictureService,
  Verdict,
} from '../../contracts/clusterPicture.ts'
import type { DashboardEvent, LagHistory, LagPoint } from '../../contracts/dashboard.ts'
import { Things } from './things.ts'

/** Milliseconds of a lag's history that are kept and shown. */
export const lagWindow = 10 * 60_000

/** A burst of changes leaves at most this many points of a lag. */
const maximumPoints = 1200

/** One cluster as it is now. */
export type ClusterState = {
  readonly name: string
  readonly verdict: Signal<Verdict>
  readonly services: Things<PictureService>
  /** By `dataSourceKey`. */
  readonly datasources: Things<PictureDataSource>
  readonly hosts: Things<PictureHost>
  /** Names of the hosts by name and by address; stays the same while states change. */
  readonly hostNames: ReadonlySignal<ReadonlyMap<string, string>>
  /** By `dataSourceKey`, oldest first. */
  readonly lags: Things<readonly LagPoint[]>
}

/** All clusters of this page's server. */
export type Clusters = Things<ClusterState>

export const dataSourceKey = (service: string, name: string): string => `${service}\n${name}`

/** Puts events into the clusters; everything that follows from them is rendered once. */
export function applyEvents(clusters: Clusters, events: readonly DashboardEvent[]): void {
  batch(() => {
    for (const event of events) applyEvent(clusters, event)
  })
}

function applyEvent(clusters: Clusters, event: DashboardEvent): void {
  if (event.kind === 'session') return
  if (event.kind === 'snapshot') {
    clusters.replace(
      event.clusters.map((picture) => [
        picture.name,
        fromPicture(picture, clusters.get(picture.name), event.time),
      ]),
    )
    return
  }
  const cluster = clusters.get(event.cluster)
  if (cluster === undefined) return
  switch (event.kind) {
    case 'verdict':
      cluster.verdict.value = event.verdict
      return
    case 'service':
      cluster.services.set(event.service.name, event.service)
      return
    case 'host':
      cluster.hosts.set(event.host.name, event.host)
      return
    case 'datasource':
      setDataSource(cluster, event.datasource, event.time)
      return
    case 'removed':
      remove(cluster, event)
  }
}

function fromPicture(
  picture: ClusterPicture & { readonly lags: readonly LagHistory[] },
  known: ClusterState | undefined,
  time: string,
): ClusterState {
  const cluster = known ?? newCluster(picture)
  cluster.verdict.value = picture.verdict
  cluster.services.replace(picture.services.map((it) => [it.name, it]))
  cluster.hosts.replace(picture.hosts.map((it) => [it.name, it]))
  cluster.lags.replace(picture.lags.map((it) => [dataSourceKey(it.service, it.datasource), it.points]))
  cluster.datasources.replace(picture.datasources.map((it) => [dataSourceKey(it.service, it.name), it]))
  for (const it of picture.datasources) setDataSource(cluster, it, time)
  return cluster
}

function newCluster({ name, verdict }: Pick<ClusterPicture, 'name' | 'verdict'>): ClusterState {
  const hosts = new Things<PictureHost>()
  // As text: an equal one changes nothing that was computed from it.
  const places = computed(() => JSON.stringify(hosts.all().map((it) => [it.name, it.address])))
  return {
    name,
    verdict: signal(verdict),
    services: new Things<PictureService>(),
    datasources: new Things<PictureDataSource>(),
    hosts,
    hostNames: computed(() => {
      const pairs: readonly (readonly [name: string, address: string])[] = JSON.parse(places.value)
      return new Map([
        ...pairs.map(([host, address]) => [address, host] as const),
        ...pairs.map(([host]) => [host, host] as const),
      ])
    }),
    lags: new Things<readonly LagPoint[]>(),
  }
}

/** Returns the host of a data source, which names it by its name or its address; undefined for one of no host. */
export const hostOf = (
  { hostNames }: ClusterState,
  { host, name }: Pick<PictureDataSource, 'host' | 'name'>,
): string | undefined => hostNames.value.get(host) ?? hostNames.value.get(name)

function setDataSource(cluster: ClusterState, datasource: PictureDataSource, time: string): void {
  const key = dataSourceKey(datasource.service, datasource.name)
  cluster.datasources.set(key, datasource)
  const points = cluster.lags.get(key) ?? []
  if (points.at(-1)?.lag === datasource.appliedLatency) return
  cluster.lags.set(key, withoutOld([...points, { at: time, lag: datasource.appliedLatency }], time))
}

/** Drops points that ended before the window; the one that reaches into it stays. */
function withoutOld(points: readonly LagPoint[], now: string): readonly LagPoint[] {
  const start = Date.parse(now) - lagWindow
  const first = points.findIndex((_, index) => {
    const next = points[index + 1]
    return next === undefined || Date.parse(next.at) > start
  })
  return points.slice(Math.max(first, points.length - maximumPoints, 0))
}

function remove(cluster: ClusterState, event: DashboardEvent & { readonly kind: 'removed' }): void {
  switch (event.what) {
    case 'host':
      cluster.hosts.delete(event.name)
      return
    case 'service':
      cluster.services.delete(event.name)
      return
    case 'datasource': {
      const key = dataSourceKey(event.service ?? '', event.name)
      cluster.datasources.delete(key)
      cluster.lags.delete(key)
    }
  }
}
