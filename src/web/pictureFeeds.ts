import { randomBytes } from 'node:crypto'
import { createEventLog, type EventLog } from '../base/eventLog.ts'
import type { EventStream } from '../base/eventStreams.ts'
import { pictureChanges } from '../client/pictureChanges.ts'
import type { ClusterPicture } from '../contracts/clusterPicture.ts'
import type { DashboardEvent } from '../contracts/dashboard.ts'
import type { DashboardBackend, FollowedCluster } from './backend.ts'
import { shownJson } from './shownJson.ts'

/** Pictures of clusters, followed while there are viewers. */
type PictureFeeds = {
  /**
   * Sends a stream the events after the one whose id it names, if they are known, else a snapshot; then the events of
   * the clusters until it ends.
   */
  join(
    stream: EventStream,
    from: { readonly clusters: readonly string[]; readonly lastEventId: string | undefined },
  ): void
  /** Stops all that is followed. */
  close(): void
}

/**
 * Milliseconds between two pictures of a cluster, at least so many times what one took, and until clusters without viewers
 * are left: most come back at once.
 */
export const feedLimits = { pause: 100, rest: 5, linger: 30_000 } as const

/** A cluster that is followed. */
type Feed = {
  readonly followed: FollowedCluster
  picture: ClusterPicture
  readonly rooms: Set<Room>
  pause: NodeJS.Timeout | undefined
  isChanged: boolean
  isPublishing: boolean
}

/** Viewers of the same clusters. Ids of one room mean nothing in another, nor in this one once it was left. */
type Room = {
  readonly feeds: ReadonlyMap<string, Feed>
  readonly log: EventLog
  snapshot: { readonly second: string; readonly text: string } | undefined
  linger: NodeJS.Timeout | undefined
}

/** Follows clusters for the viewers of one server. */
export function createPictureFeeds(options: {
  readonly follow: DashboardBackend['follow']
  readonly now: () => Date
  readonly onFault: (error: unknown) => void
}): PictureFeeds {
  const { follow, now, onFault } = options
  const feeds = new Map<string, Feed>()
  const rooms = new Map<string, Room>()

  function publish(feed: Feed): void {
    const before = feed.picture
    feed.picture = feed.followed.picture()
    const changes = pictureChanges({ before, after: feed.picture, time: now().toISOString() })
    if (changes.length === 0) return
    const events = changes.map(shownJson)
    for (const room of feed.rooms) {
      room.snapshot = undefined
      room.log.append(events)
    }
  }

  /** Computes the picture at the first change at once, and then at most once in each pause. */
  function change(feed: Feed): void {
    feed.isChanged = true
    if (feed.pause || feed.isPublishing) return
    feed.isChanged = false
    feed.isPublishing = true
    const began = performance.now()
    try {
      publish(feed)
    } catch (error) {
      onFault(error)
    }
    feed.isPublishing = false
    const rest = (performance.now() - began) * feedLimits.rest
    feed.pause = setTimeout(
      () => {
        feed.pause = undefined
        if (feed.isChanged) change(feed)
      },
      Math.max(feedLimits.pause, rest),
    )
  }

  function openFeed(cluster: string): Feed {
    let feed: Feed | undefined
    let isEarly = false
    const followed = follow(cluster, () => {
      if (feed && feeds.get(cluster) === feed) change(feed)
      else isEarly = true
    })
    const picture = followed.picture()
    feed = { followed, picture, rooms: new Set(), pause: undefined, isChanged: false, isPublishing: false }
    feeds.set(cluster, feed)
    if (isEarly) change(feed)
    return feed
  }

  function openRoom(key: string, clusters: readonly string[]): Room {
    const room: Room = {
      feeds: new Map(clusters.map((cluster) => [cluster, feeds.get(cluster) ?? openFeed(cluster)])),
      log: createEventLog({ epoch: randomBytes(8).toString('hex') }),
      ...{ snapshot: undefined, linger: undefined },
    }
    for (const feed of room.feeds.values()) feed.rooms.add(room)
    rooms.set(key, room)
    return room
  }

  function closeRoom(key: string, room: Room): void {
    clearTimeout(room.linger)
    rooms.delete(key)
    for (const [cluster, feed] of room.feeds) {
      feed.rooms.delete(room)
      if (feed.rooms.size > 0) continue
      clearTimeout(feed.pause)
      feeds.delete(cluster)
      feed.followed.stop()
    }
  }

  /** Writes a snapshot once for all who need it within a second, as after a break of the network. */
  function snapshotOf(room: Room): string {
    const time = now().toISOString()
    const second = time.slice(0, 'YYYY-MM-DDThh:mm:ss'.length)
    if (room.snapshot?.second === second) return room.snapshot.text
    const clusters = [...room.feeds.values()].map(({ picture, followed }) => ({
      ...picture,
      lags: followed.lags(),
    }))
    const event: DashboardEvent = { kind: 'snapshot', time, clusters }
    room.snapshot = { second, text: shownJson(event) }
    return room.snapshot.text
  }

  return {
    join(stream, { clusters, lastEventId }) {
      const key = JSON.stringify(clusters)
      const room = rooms.get(key) ?? openRoom(key, clusters)
      clearTimeout(room.linger)
      room.log.follow(stream, { id: lastEventId, snapshot: () => snapshotOf(room) })
      stream.onEnd(() => {
        clearTimeout(room.linger)
        if (room.log.streams() > 0 || rooms.get(key) !== room) return
        room.linger = setTimeout(() => closeRoom(key, room), feedLimits.linger).unref()
      })
    },
    close: () => {
      for (const [key, room] of rooms) closeRoom(key, room)
    },
  }
}
