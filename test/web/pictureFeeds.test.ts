import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { EventStream } from '../../src/base/eventStreams.ts'
import type { ClusterPicture, PictureDataSource } from '../../src/contracts/clusterPicture.ts'
import { createPictureFeeds, feedLimits } from '../../src/web/pictureFeeds.ts'
import { eventsIn, smallPicture } from '../support/testDashboard.ts'

describe('the events of the pictures', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  function followed() {
    const pictures = new Map<string, ClusterPicture>()
    const changed = new Map<string, () => void>()
    const computed: string[] = []
    const stopped: string[] = []
    const feeds = createPictureFeeds({
      now: () => new Date(),
      onFault: (error) => {
        throw error
      },
      follow: (cluster, onChange) => {
        changed.set(cluster, onChange)
        return {
          picture: () => {
            computed.push(cluster)
            return pictures.get(cluster) ?? smallPicture(cluster)
          },
          lags: () => [{ service: 'alpha', datasource: 'db1', points: [] }],
          stop: () => stopped.push(cluster),
        }
      },
    })
    const show = (picture: ClusterPicture): void => {
      pictures.set(picture.name, picture)
      changed.get(picture.name)?.()
    }
    /** Shows a lag, and lets the pause pass. */
    const lag = (seconds: number, cluster = 'north'): void => {
      show(smallPicture(cluster, seconds))
      vi.advanceTimersByTime(feedLimits.pause)
    }
    const view = (clusters: readonly string[], lastEventId?: string) => {
      const received: Buffer[] = []
      const ends: (() => void)[] = []
      const stream: EventStream = {
        send: () => undefined,
        sendBytes: (bytes) => void received.push(bytes),
        end: () => undefined,
        onEnd: (work) => void ends.push(work),
      }
      feeds.join(stream, { clusters, lastEventId })
      const leave = (): void => {
        for (const end of ends) end()
      }
      return { leave, received, events: () => eventsIn(Buffer.concat(received).toString()) }
    }
    return { feeds, show, lag, view, computed, stopped }
  }

  const lagsOf = (events: ReturnType<typeof eventsIn>) =>
    events.map(({ data }) => (data.datasource as PictureDataSource | undefined)?.appliedLatency ?? data.kind)

  it('begin with a snapshot, and then carry what changed, each thing as a whole', () => {
    const { lag, view } = followed()
    const viewer = view(['north'])
    lag(7)
    const [first, second, ...others] = viewer.events()
    expect(first?.data).toMatchObject({
      kind: 'snapshot',
      clusters: [{ ...smallPicture('north'), lags: [{ datasource: 'db1' }] }],
    })
    expect(second?.data).toMatchObject({
      ...{ kind: 'datasource', cluster: 'north' },
      datasource: smallPicture('north', 7).datasources[0],
    })
    expect(others).toEqual([])
    expect(second?.id).toMatch(/^[0-9a-f]{16}-1$/)
  })

  it('tell what was removed', () => {
    const { show, view } = followed()
    const viewer = view(['north'])
    show({ ...smallPicture('north'), services: [], datasources: [], hosts: [] })
    expect(
      viewer
        .events()
        .slice(1)
        .map(({ data: { time: _, ...data } }) => data),
    ).toEqual([
      { kind: 'removed', cluster: 'north', what: 'service', name: 'alpha' },
      { kind: 'removed', cluster: 'north', what: 'datasource', service: 'alpha', name: 'db1' },
      { kind: 'removed', cluster: 'north', what: 'host', name: 'db1' },
    ])
  })

  it('are of the clusters of their viewer alone', () => {
    const { lag, view } = followed()
    const [north, both] = [view(['north']), view(['north', 'south'])]
    lag(1, 'south')
    expect(lagsOf(north.events())).toEqual(['snapshot'])
    expect(lagsOf(both.events())).toEqual(['snapshot', 1])
  })

  it('are computed at the first change at once, and in a flood every 100 ms', () => {
    const { show, view, computed } = followed()
    const viewer = view(['north'])
    computed.length = 0
    for (let change = 1; change <= 5000; change += 1) {
      show(smallPicture('north', change))
      if (change === 1) expect(lagsOf(viewer.events())).toEqual(['snapshot', 1])
      if (change % 5 === 0) vi.advanceTimersByTime(1)
    }
    vi.advanceTimersByTime(1000)
    expect(computed.length).toBeLessThanOrEqual(12)
    expect(lagsOf(viewer.events()).at(-1)).toBe(5000)
  })

  it('are written once for all viewers', () => {
    const { lag, view } = followed()
    const viewers = Array.from({ length: 20 }, () => view(['north']))
    lag(3)
    const [first] = viewers
    for (const { received } of viewers) {
      expect(received[1]).toBe(first?.received[1])
    }
  })

  it('go on after a break without a gap, and nothing comes twice', () => {
    const { lag, view } = followed()
    const before = view(['north', 'south'])
    lag(1)
    lag(2)
    before.leave()
    lag(3)
    lag(1, 'south')
    const after = view(['north', 'south'], before.events().at(-1)?.id)
    lag(4)
    expect(lagsOf(before.events())).toEqual(['snapshot', 1, 2])
    expect(lagsOf(after.events())).toEqual([3, 1, 4])
  })

  it('begin anew where the break was too long, or of another process', () => {
    const { lag, view } = followed()
    const before = view(['north'])
    const id = before.events().at(-1)?.id
    for (const other of ['0123456789abcdef-0', 'x', '', `${id}9`, `${id?.slice(0, -1)}999`])
      expect(lagsOf(view(['north'], other).events()), other).toEqual(['snapshot'])
    lag(1)
    expect(lagsOf(view(['north'], id).events())).toEqual([1])
    for (let seconds = 2; seconds < 1010; seconds += 1) lag(seconds)
    expect(lagsOf(view(['north'], id).events())).toEqual(['snapshot'])
  })

  it('begin anew for a session of other clusters', () => {
    const { lag, view } = followed()
    const before = view(['north'])
    lag(1)
    const id = before.events().at(-1)?.id
    lag(2)
    expect(lagsOf(view(['north', 'south'], id).events())).toEqual(['snapshot'])
  })

  it('are followed only while there are viewers, and a moment longer', () => {
    const { view, stopped, lag } = followed()
    const [first, second] = [view(['north']), view(['north'])]
    first.leave()
    vi.advanceTimersByTime(feedLimits.linger)
    expect(stopped).toEqual([])
    second.leave()
    vi.advanceTimersByTime(feedLimits.linger - 1)
    const third = view(['north'], second.events()[0]?.id)
    vi.advanceTimersByTime(feedLimits.linger)
    expect([stopped, third.events()]).toEqual([[], []])
    third.leave()
    vi.advanceTimersByTime(feedLimits.linger)
    expect(stopped).toEqual(['north'])
    lag(9)
    expect(lagsOf(view(['north'], second.events()[0]?.id).events())).toEqual(['snapshot'])
  })

  it('keep no timer after the end', () => {
    const { feeds, view, lag } = followed()
    view(['north']).leave()
    lag(1)
    feeds.close()
    expect(vi.getTimerCount()).toBe(0)
  })
})
