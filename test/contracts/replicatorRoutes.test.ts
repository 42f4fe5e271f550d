import { describe, expect, it } from 'vitest'
import { commonRoutes } from '../../src/contracts/commonRoutes.ts'
import { openApiDocument } from '../../src/contracts/openapi.ts'
import { replicatorRoutes } from '../../src/contracts/replicatorRoutes.ts'

const routes = Object.values(replicatorRoutes)

describe('the routes of the replicator', () => {
  it('match the contract', () => {
    expect(
      routes.map((it) => `${it.method} ${it.path} ${it.auth} ${it.guard ? 'guarded' : 'plain'}`),
    ).toEqual([
      'GET /api/v2/replicator/services basic plain',
      'GET /api/v2/replicator/status basic plain',
      'GET /api/v2/replicator/service/{service}/status basic plain',
      'POST /api/v2/replicator/online basic guarded',
      'POST /api/v2/replicator/service/{service}/online basic guarded',
      'POST /api/v2/replicator/offline basic guarded',
      'POST /api/v2/replicator/service/{service}/offline basic guarded',
      'POST /api/v2/replicator/reset basic guarded',
      'POST /api/v2/replicator/service/{service}/reset basic guarded',
    ])
  })

  it('have the names of their keys, and none of a common route', () => {
    expect(routes.map(({ name }) => name)).toEqual(Object.keys(replicatorRoutes))
    expect(Object.keys(commonRoutes).filter((name) => name in replicatorRoutes)).toEqual([])
  })

  it('name the problems of a failing database', () => {
    const text = JSON.stringify(
      openApiDocument({ component: 'replicator', version: '1.2.3', routes, server: 'https://db1:8090' }),
    )
    const { responses } = JSON.parse(text).paths['/api/v2/replicator/service/{service}/online'].post
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(['404', '409', '502', '504']))
    expect(responses['409'].description).toContain('`replication-broken`')
  })
})
