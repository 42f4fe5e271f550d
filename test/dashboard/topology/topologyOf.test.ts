import { describe, expect, it } from 'vitest'
import { topologyOf, topologyText } from '../../../src/dashboard/topology/topologyOf.ts'
import { dataSource, largeCluster, service, wellCluster } from '../pictures.ts'

describe('the text of a picture', () => {
  it('says who writes, who follows whom and where clients come in', () => {
    const { datasources, hosts } = wellCluster()
    expect(topologyText('alpha', topologyOf({ service: service(), datasources, hosts }))).toBe(
      'db1 is the primary of alpha; db2 and db3 follow db1; clients come through 3 connectors: db1, db2 and db3.',
    )
  })

  it('says that there is no writer, and who follows nobody', () => {
    const writer = { datasource: null, code: null, reason: null, hold: true }
    const datasources = [dataSource({ name: 'db2', follows: null })]
    expect(topologyText('alpha', topologyOf({ service: service({ writer }), datasources, hosts: [] }))).toBe(
      'alpha has no writer; db2 follows nobody; no connector.',
    )
  })

  it('counts many instead of naming them', () => {
    const { datasources, hosts } = largeCluster()
    const text = topologyText('alpha', topologyOf({ service: service(), datasources, hosts }))
    expect(text).toContain('db2, db3, db4, db5, db6, db7 and 174 more follow db1')
    expect(text.length).toBeLessThan(400)
  })
})
