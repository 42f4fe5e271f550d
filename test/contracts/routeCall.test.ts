import { describe, expect, it } from 'vitest'
import { apiRoutes } from '../../src/contracts/apiRoutes.ts'
import { commonRoutes } from '../../src/contracts/commonRoutes.ts'
import { components } from '../../src/contracts/component.ts'
import { connectorRoutes } from '../../src/contracts/connectorRoutes.ts'
import { hostRoutes } from '../../src/contracts/hostRoutes.ts'
import { managerRoutes } from '../../src/contracts/managerRoutes.ts'
import { replicatorRoutes } from '../../src/contracts/replicatorRoutes.ts'
import type { Route } from '../../src/contracts/route.ts'
import { callOf, type RouteCall } from '../../src/contracts/routeCall.ts'

const shun = { service: 'alpha', datasource: 'db 2/é' }

describe('the call of a route', () => {
  it.each<[RouteCall, string]>([
    [callOf(commonRoutes.ping), 'GET /api/v2/ping'],
    [callOf(commonRoutes.ready), 'GET /health/ready'],
    [callOf(replicatorRoutes.replicatorOnline), 'POST /api/v2/replicator/online?i-am-sure=true'],
    [
      callOf(replicatorRoutes.replicatorServiceOnline, { service: 'a?b' }, { query: { dry: 'yes' } }),
      'POST /api/v2/replicator/service/a%3Fb/online?dry=yes&i-am-sure=true',
    ],
    [
      callOf(managerRoutes.managerShun, shun, { query: { peers: 'check', change: '7f' } }),
      'POST /api/v2/manager/control/service/alpha/datasource/db%202%2F%C3%A9/shun?peers=check&change=7f&i-am-sure=true',
    ],
    [
      callOf(
        managerRoutes.managerSwitchPlan,
        { service: 'a' },
        { query: { to: 'b,c', accept: ['x&', 'y'] } },
      ),
      'GET /api/v2/manager/status/service/a/switch?to=b%2Cc&accept=x%26,y',
    ],
    [
      callOf(managerRoutes.managerSwitchPlan, { service: 'a' }, { query: { to: undefined, accept: [] } }),
      'GET /api/v2/manager/status/service/a/switch',
    ],
    [
      callOf(managerRoutes.managerSwitchPlan, { service: 'a' }, { query: { to: '' } }),
      'GET /api/v2/manager/status/service/a/switch?to=',
    ],
    [
      callOf(managerRoutes.managerTask, { task: '7f' }, { query: { wait: 0 } }),
      'GET /api/v2/manager/task/7f?wait=0',
    ],
  ])('%j is %s', ({ method, path, ...rest }, text) => {
    expect(`${method} ${path}`).toBe(text)
    expect(rest).toEqual({})
  })

  it('has its payload in the envelope that the route takes, or bare', () => {
    const body = (call: RouteCall) => call.body
    expect(body(callOf(commonRoutes.unlock, {}, { payload: { value: 'bob' } }))).toEqual({
      ...{ payloadType: 'StringPayload', payloadVersion: '1' },
      payload: { value: 'bob' },
    })
    expect(body(callOf(commonRoutes.createAdminUser, {}, { payload: { user: 'u', pass: 'p' } }))).toEqual({
      ...{ payloadType: 'CredentialsPayload', payloadVersion: '1' },
      payload: { user: 'u', pass: 'p' },
    })
    expect(body(callOf(hostRoutes.putUsers, {}, { payload: { users: [1] } }))).toEqual({ users: [1] })
  })

  it.each(components)('of the %s has the guard where the route has one, and no brace', (component) => {
    const routes: readonly Route[] = Object.values(apiRoutes[component])
    for (const route of routes) {
      const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, 'x'])
      const { path } = callOf(route, Object.fromEntries(names))
      expect(path).toMatch(route.guard ? /^[^{}?]+\?i-am-sure=true$/ : /^[^{}?]+$/)
    }
  })

  it('is refused by the compiler where a parameter, a query or a payload is missing or unknown', () => {
    const refused = [
      // @ts-expect-error a missing parameter
      () => callOf(replicatorRoutes.replicatorServiceOnline),
      // @ts-expect-error one of two is missing
      () => callOf(managerRoutes.managerShun, { service: 'a' }),
      // @ts-expect-error an unknown parameter beside a known one
      () => callOf(managerRoutes.managerServiceStatus, { service: 'a', datasource: 'b' }),
      // @ts-expect-error a parameter of a path without any
      () => callOf(replicatorRoutes.replicatorOnline, { service: 'a' }),
      // @ts-expect-error a parameter of a path that the prefix makes
      () => callOf(connectorRoutes.connectorReset, { service: 'a' }),
      // @ts-expect-error an unknown name in the query
      () => callOf(connectorRoutes.connectorOffline, {}, { query: { immediately: 'true' } }),
      // @ts-expect-error a value that the query does not take
      () => callOf(connectorRoutes.connectorOffline, {}, { query: { immediate: 'yes' } }),
      // @ts-expect-error a query of a route without one
      () => callOf(commonRoutes.ping, {}, { query: { dry: 'yes' } }),
      // @ts-expect-error a payload of a route without a request
      () => callOf(managerRoutes.managerReset, {}, { payload: { value: 'x' } }),
      // @ts-expect-error a missing payload
      () => callOf(commonRoutes.unlock),
      // @ts-expect-error a payload of another shape
      () => callOf(commonRoutes.unlock, {}, { payload: { name: 'x' } }),
    ]
    // The running program does not refuse them: each @ts-expect-error above fails the check of types if it is not needed.
    expect(refused).toHaveLength(11)
  })
})
