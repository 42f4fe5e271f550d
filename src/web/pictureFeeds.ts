import { randomBytes } from 'node:crypto'
import { eventBytes } from '../base/eventStreams.ts'
import type { ClusterPicture } from '../contracts/clusterPicture.ts'
import type { DashboardEvent } from '../contracts/dashboard.ts'
import type { DashboardBackend, FollowedCluster } from './backend.ts'
import { comparePicture, type PictureParts } from './pictureEvents.ts'
import { shownJson } from './shownJson.ts'

/** Takes events, as several viewers get them, in one piece. */
export type Viewer = (events: Buffer) => void

/** Pictures of clusters, followed while there are viewers. */
export type PictureFeeds = {
  /** Number of the last event. */
  last(): number
  /**
   * Sends a viewer what it needs: the events after the one whose id it names, if they are known and later than
   * `since`, else a snapshot; then the events of the clusters. Returns a function that ends this.
   */
  join(
    viewer: Viewer,
    from: {
      readonly clusters: readonly string[]
      readonly lastEventId: string | undefined
      readonly since: number
    },
  ): () => void
  /** Stops all that is followed. */
  close(): void
}

/** Bounds of what is kept for viewers that come back, and times in milliseconds. */
export const feedLimits = {
  events: 1000,
  bytes: 1024 * 1024,
  /** Between two pictures of a cluster. */
  pause: 100,
  /** A cluster is followed that long after its last viewer: most come back at once. */
  linger: 30_000,
} as const

type Feed = {
  readonly followed: FollowedCluster
  picture: ClusterPicture
  parts: PictureParts
  readonly viewers: Set<Viewer>
  /** Number of the last event before it was followed. */
  readonly since: number
  pause: NodeJS.Timeout | undefined
  isChanged: boolean
  linger: NodeJS.Timeout | undefined
}

type KeptEvent = { readonly number: number; readonly cluster: string; readonly bytes: Buffer }

/** Follows clusters for the viewers of one server; numbers all events, whatever cluster they are of. */
export function createPictureFeeds(options: {
  readonly follow: DashboardBackend['follow']
  readonly now: () => Date
  readonly onFault: (error: unknown) => void
}): PictureFeeds {
  const { follow, now, onFault } = options
  /** Ids of another process never mean events of this one. */
  const epoch = randomBytes(8).toString('hex')
  const feeds = new Map<string, Feed>()
  let kept: KeptEvent[] = []
  let keptBytes = 0
  /** Number of the last event that is not kept any more. */
  let forgotten = 0
  let number = 0
  let snapshot: { readonly of: string; readonly bytes: Buffer } | undefined

  const write = (event: DashboardEvent): Buffer =>
    eventBytes({ id: `${epoch}-${number}`, data: shownJson(event) })

  function keep(event: KeptEvent): void {
    kept.push(event)
    keptBytes += event.bytes.length
    if (kept.length <= feedLimits.events && keptBytes <= feedLimits.bytes) return
    // The older half goes at once, so that this is rare.
    const dropped = kept.slice(0, Math.ceil(kept.length / 2))
    kept = kept.slice(dropped.length)
    forgotten = dropped.at(-1)?.number ?? forgotten
    keptBytes -= dropped.reduce((sum, { bytes }) => sum + bytes.length, 0)
  }

  function publish(cluster: string, feed: Feed): void {
    const picture = feed.followed.picture()
    const { parts, changes } = comparePicture(picture, feed.parts)
    feed.picture = picture
    feed.parts = parts
    if (changes.length === 0) return
    const time = now().toISOString()
    const written = changes.map((change) => {
      number += 1
      const event = { number, cluster, bytes: write({ time, ...change } as DashboardEvent) }
      keep(event)
      return event.bytes
    })
    const bytes = Buffer.concat(written)
    for (const viewer of feed.viewers) viewer(bytes)
  }

  /** Computes the picture at the first change at once, and then at most once in each pause. */
  function changed(cluster: string, feed: Feed): void {
    feed.isChanged = true
    if (feed.pause) return
    feed.isChanged = false
    feed.pause = setTimeout(() => {
      feed.pause = undefined
      if (feed.isChanged) changed(cluster, feed)
    }, feedLimits.pause)
    try {
      publish(cluster, feed)
    } catch (error) {
      onFault(error)
    }
  }

  function open(cluster: string): Feed {
    let feed: Feed | undefined
    let isEarly = false
    const followed = follow(cluster, () => {
      if (feed && feeds.get(cluster) === feed) changed(cluster, feed)
      else isEarly = true
    })
    const picture = followed.picture()
    const { parts } = comparePicture(picture, new Map())
    // Nobody who saw an earlier event knows what happened since.
    number += 1
    feed = {
      ...{ followed, picture, parts, since: number, viewers: new Set() },
      ...{ pause: undefined, isChanged: false, linger: undefined },
    }
    feeds.set(cluster, feed)
    if (isEarly) changed(cluster, feed)
    return feed
  }

  function stop(cluster: string, feed: Feed): void {
    clearTimeout(feed.pause)
    clearTimeout(feed.linger)
    if (feeds.get(cluster) === feed) feeds.delete(cluster)
    feed.followed.stop()
  }

  /** Events that a viewer missed; undefined where that is not known. */
  function missed(
    lastEventId: string | undefined,
    wanted: ReadonlyMap<string, Feed>,
    since: number,
  ): readonly Buffer[] | undefined {
    const [, of, digits] = /^([0-9a-f]{16})-(\d{1,15})$/.exec(lastEventId ?? '') ?? []
    const from = Number(digits)
    if (of !== epoch || from > number || from < since || from < forgotten) return undefined
    if ([...wanted.values()].some((feed) => from < feed.since)) return undefined
    return kept.filter((event) => event.number > from && wanted.has(event.cluster)).map(({ bytes }) => bytes)
  }

  /** Writes a snapshot once for all viewers that need the same one within a second, as after a broken network. */
  function snapshotOf(wanted: ReadonlyMap<string, Feed>): Buffer {
    const time = now().toISOString()
    const of = JSON.stringify([number, time.slice(0, -5), ...wanted.keys()])
    if (snapshot?.of === of) return snapshot.bytes
    const clusters = [...wanted.values()].map(({ picture, followed }) => ({
      ...picture,
      lags: followed.lags(),
    }))
    snapshot = { of, bytes: write({ kind: 'snapshot', time, clusters }) }
    return snapshot.bytes
  }

  return {
    last: () => number,
    join(viewer, { clusters, lastEventId, since }) {
      const wanted = new Map(
        clusters.map((cluster) => {
          const feed = feeds.get(cluster) ?? open(cluster)
          clearTimeout(feed.linger)
          feed.linger = undefined
          feed.viewers.add(viewer)
          return [cluster, feed] as const
        }),
      )
      const events = missed(lastEventId, wanted, since)
      if (events === undefined) viewer(snapshotOf(wanted))
      else if (events.length > 0) viewer(Buffer.concat(events))
      return () => {
        for (const [cluster, feed] of wanted) {
          feed.viewers.delete(viewer)
          if (feed.viewers.size > 0 || feed.linger || feeds.get(cluster) !== feed) continue
          feed.linger = setTimeout(() => stop(cluster, feed), feedLimits.linger).unref()
        }
      }
    },
    close: () => {
      for (const [cluster, feed] of feeds) stop(cluster, feed)
    },
  }
}
