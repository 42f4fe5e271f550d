import { describe, expect, it } from 'vitest'
import { commonRoutes } from '../../src/contracts/commonRoutes.ts'

const routes = Object.values(commonRoutes)

describe('the common routes', () => {
  it('match the contract', () => {
    expect(
      routes.map((it) => `${it.method} ${it.path} ${it.auth} ${it.guard ? 'guarded' : 'plain'}`),
    ).toEqual([
      'GET /api/v2/ping none plain',
      'POST /api/v2/createAdminUser bootstrap guarded',
      'GET /api/v2/user/{user} basic plain',
      'GET /api/v2/users basic plain',
      'POST /api/v2/deleteUser basic guarded',
      'POST /api/v2/unlock basic guarded',
      'GET /api/v2/version basic plain',
      'GET /api/v2/uris basic plain',
      'GET /openapi.json none plain',
      'GET /docs none plain',
      'GET /health/live none plain',
      'GET /health/ready optional plain',
      'GET /metrics basic plain',
    ])
  })

  it('change nothing by GET, and are guarded if they change something', () => {
    for (const route of routes) expect(route.guard, route.name).toBe(route.method === 'POST')
  })

  it('have the names of their keys', () => {
    expect(routes.map(({ name }) => name)).toEqual(Object.keys(commonRoutes))
  })
})
