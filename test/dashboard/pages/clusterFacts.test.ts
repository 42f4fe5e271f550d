import { describe, expect, it } from 'vitest'
import { clusterFacts, worstFirst } from '../../../src/dashboard/pages/clusterFacts.ts'
import { setClock } from '../../../src/dashboard/state/clock.ts'
import { applyEvents, type ClusterState } from '../../../src/dashboard/state/clusters.ts'
import { Things } from '../../../src/dashboard/state/things.ts'
import { start, troubledCluster } from '../pictures.ts'

describe('the list of clusters', () => {
  it('begins with the worst, and goes by name where they are alike', () => {
    const clusters = [
      { name: 'c10', level: 'ok' },
      { name: 'c2', level: 'ok' },
      { name: 'x', level: 'unknown' },
      { name: 'y', level: 'down' },
      { name: 'z', level: 'degraded' },
    ] as const
    expect(worstFirst(clusters)).toEqual(['y', 'z', 'x', 'c2', 'c10'])
  })

  it('tells the figures of a cluster by the time of its server', () => {
    const clusters = new Things<ClusterState>()
    setClock(start)
    applyEvents(clusters, [{ kind: 'snapshot', time: start, clusters: [troubledCluster()] }])
    const [cluster] = clusters.all()
    expect(cluster && clusterFacts(cluster)).toEqual([
      ['hosts up', '2 of 3'],
      ['data sources online', '2 of 3'],
      ['writer', 'db1'],
      ['highest lag', '40 s'],
      ['first certificate', '5 days'],
      ['release', '0.1.0'],
    ])
  })
})
