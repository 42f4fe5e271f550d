import { effect } from '@preact/signals'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { DashboardEvent } from '../../../src/contracts/dashboard.ts'
import {
  applyEvents,
  type ClusterState,
  type Clusters,
  dataSourceKey,
} from '../../../src/dashboard/state/clusters.ts'
import { EventQueue } from '../../../src/dashboard/state/eventQueue.ts'
import { Things } from '../../../src/dashboard/state/things.ts'
import {
  atSecond,
  dataSource,
  host,
  problem,
  service,
  start,
  troubledCluster,
  wellCluster,
} from '../pictures.ts'

const withSnapshot = (): Clusters => {
  const clusters: Clusters = new Things<ClusterState>()
  applyEvents(clusters, [{ kind: 'snapshot', time: start, clusters: [wellCluster(), troubledCluster()] }])
  return clusters
}

/** Everything that a page could read. */
const shownBy = (clusters: Clusters) =>
  clusters.all().map((it) => ({
    name: it.name,
    verdict: it.verdict.value,
    services: it.services.all(),
    datasources: it.datasources.all(),
    hosts: it.hosts.all(),
  }))

const alpha = (clusters: Clusters): ClusterState => {
  const found = clusters.get('alpha')
  if (found === undefined) throw new Error('no cluster alpha')
  return found
}

const change = { time: atSecond(5), cluster: 'alpha' } as const

describe('the clusters of the page', () => {
  it('hold a snapshot as it is', () => {
    const shown = shownBy(withSnapshot())
    for (const [index, { lags: _, ...picture }] of [wellCluster(), troubledCluster()].entries()) {
      expect(shown[index]).toEqual(picture)
    }
  })

  it('change one thing by an event, and render nothing else', () => {
    const clusters = withSnapshot()
    let others = 0
    effect(() => {
      alpha(clusters).datasources.get(dataSourceKey('alpha', 'db3'))
      alpha(clusters).datasources.keys.value.length
      alpha(clusters).hosts.all()
      others += 1
    })
    const changed = dataSource({ name: 'db2', state: 'FAILED' })
    applyEvents(clusters, [{ kind: 'datasource', ...change, datasource: changed }])
    expect(alpha(clusters).datasources.get(dataSourceKey('alpha', 'db2'))).toEqual(changed)
    expect(others).toBe(1)
  })

  it('tell who waits for a thing that it came, and that it went', () => {
    const clusters = withSnapshot()
    const seen: (string | undefined)[] = []
    effect(() => {
      seen.push(alpha(clusters).hosts.get('db9')?.state)
    })
    applyEvents(clusters, [{ kind: 'host', ...change, host: host({ name: 'db9' }) }])
    applyEvents(clusters, [{ kind: 'host', ...change, host: host({ name: 'db9', state: 'failed' }) }])
    applyEvents(clusters, [{ kind: 'removed', ...change, what: 'host', name: 'db9' }])
    expect(seen).toEqual([undefined, 'up', 'failed', undefined])
  })

  it('render once for many events', () => {
    const clusters = withSnapshot()
    let times = 0
    effect(() => {
      shownBy(clusters)
      times += 1
    })
    applyEvents(clusters, [
      { kind: 'verdict', ...change, verdict: { level: 'down', problems: [problem({ text: 'no writer' })] } },
      { kind: 'service', ...change, service: service({ policy: 'MANUAL' }) },
      { kind: 'host', ...change, host: host({ name: 'db1', state: 'unreachable' }) },
    ])
    expect(times).toBe(2)
  })

  it('forget what is not in a later snapshot', () => {
    const clusters = withSnapshot()
    const { hosts, ...rest } = wellCluster()
    applyEvents(clusters, [
      { kind: 'snapshot', time: atSecond(1), clusters: [{ ...rest, hosts: hosts.slice(1) }] },
    ])
    expect(clusters.keys.value).toEqual(['alpha'])
    expect(alpha(clusters).hosts.keys.value).toEqual(['db2', 'db3'])
  })

  it('keep the lag of ten minutes, as changes, and the value that reaches into them', () => {
    const clusters = withSnapshot()
    const key = dataSourceKey('alpha', 'db2')
    for (const [second, lag] of [
      [100, 5],
      [110, 5],
      [200, 6],
      [790, null],
    ] as const) {
      const datasource = dataSource({ name: 'db2', appliedLatency: lag })
      applyEvents(clusters, [{ kind: 'datasource', time: atSecond(second), cluster: 'alpha', datasource }])
    }
    expect(alpha(clusters).lags.get(key)?.slice(-3)).toEqual([
      { at: atSecond(100), lag: 5 },
      { at: atSecond(200), lag: 6 },
      { at: atSecond(790), lag: null },
    ])
    const [first, second] = alpha(clusters).lags.get(key) ?? []
    expect(Date.parse(first?.at ?? '')).toBeLessThanOrEqual(Date.parse(atSecond(190)))
    expect(Date.parse(second?.at ?? '')).toBeGreaterThan(Date.parse(atSecond(190)))
  })

  it('leave out events of clusters that are not there', () => {
    const clusters = withSnapshot()
    const before = shownBy(clusters)
    applyEvents(clusters, [{ kind: 'host', time: start, cluster: 'gone', host: host({ name: 'x' }) }])
    expect(shownBy(clusters)).toEqual(before)
  })
})

const events: fc.Arbitrary<DashboardEvent> = fc.oneof(
  fc.record({ name: fc.constantFrom('db1', 'db2', 'db9'), appliedLatency: fc.nat(3) }).map((changed) => ({
    kind: 'datasource' as const,
    ...change,
    datasource: dataSource(changed),
  })),
  fc
    .record({ name: fc.constantFrom('db1', 'db9'), release: fc.constantFrom('1', '2') })
    .map((it) => ({ kind: 'host' as const, ...change, host: host(it) })),
  fc.constantFrom('AUTOMATIC', 'MANUAL').map((policy) => ({
    kind: 'service' as const,
    ...change,
    service: service({ policy: policy as 'MANUAL' }),
  })),
  fc
    .constantFrom('db1', 'db9')
    .map((name) => ({ kind: 'removed' as const, ...change, what: 'host' as const, name })),
  fc.constantFrom('db1', 'db9').map((name) => ({
    kind: 'removed' as const,
    ...change,
    what: 'datasource' as const,
    service: 'alpha',
    name,
  })),
  fc.constantFrom('down', 'ok').map((level) => ({
    kind: 'verdict' as const,
    ...change,
    verdict: { level: level as 'ok', problems: [] },
  })),
  fc.constant({ kind: 'snapshot' as const, time: start, clusters: [troubledCluster('alpha')] }),
)

describe('the queue of events', () => {
  it('leads to the same clusters as all of the events, one by one', () => {
    fc.assert(
      fc.property(fc.array(events, { maxLength: 30 }), (all) => {
        const one = withSnapshot()
        for (const event of all) applyEvents(one, [event])
        const queue = new EventQueue()
        for (const event of all) queue.push(event)
        const other = withSnapshot()
        applyEvents(other, queue.take())
        const sorted = (clusters: Clusters) =>
          shownBy(clusters).map((it) => ({
            ...it,
            hosts: [...it.hosts].sort((a, b) => a.name.localeCompare(b.name)),
            datasources: [...it.datasources].sort((a, b) => a.name.localeCompare(b.name)),
          }))
        expect(sorted(other)).toEqual(sorted(one))
      }),
    )
  })

  it('is never longer than there are things, and empty once taken', () => {
    const queue = new EventQueue()
    for (let lag = 0; lag < 5000; lag += 1) {
      queue.push({
        kind: 'datasource',
        ...change,
        datasource: dataSource({ name: `db${lag % 3}`, appliedLatency: lag }),
      })
    }
    expect(
      queue.take().map((it) => (it.kind === 'datasource' ? it.datasource.appliedLatency : null)),
    ).toEqual([4997, 4998, 4999])
    expect(queue.take()).toEqual([])
  })
})
