import { describe, expect, it } from 'vitest'
import { readSwitchCall } from '../../../src/commands/dashboard/switchAs.ts'

const call = (method: 'GET' | 'POST', path: string, component: 'manager' | 'connector' = 'manager') =>
  readSwitchCall({ host: 'db1', component, method, path })

describe('a call for a switch from the page', () => {
  it('is recognized with its service and the new primary', () => {
    expect(call('POST', '/api/v2/manager/control/service/alpha/switch?to=db2&i-am-sure=true')).toEqual({
      ...{ kind: 'switch', service: 'alpha', to: 'db2', accept: [] },
    })
    expect(call('POST', '/api/v2/manager/control/service/alpha/switch?accept=filter,events')).toMatchObject({
      accept: ['filter', 'events'],
    })
    expect(call('POST', '/api/v2/manager/control/service/a%2Fb/switch?i-am-sure=true')).toMatchObject({
      ...{ service: 'a/b', to: undefined },
    })
  })

  it('is recognized as a failover', () => {
    expect(call('POST', '/api/v2/manager/control/service/alpha/failover?i-am-sure=true')).toEqual({
      ...{ kind: 'failover', service: 'alpha', to: undefined, accept: [] },
    })
    expect(call('GET', '/api/v2/manager/status/service/alpha/failover')).toMatchObject({ kind: 'plan' })
  })

  it('asks for a plan in which the caller holds the clients of other hosts', () => {
    expect(call('GET', '/api/v2/manager/status/service/alpha/switch?to=db2')).toEqual({
      kind: 'plan',
      path: '/api/v2/manager/status/service/alpha/switch?to=db2&peers=held',
    })
  })

  it('is no other call', () => {
    expect(call('POST', '/api/v2/manager/control/service/alpha/offline?i-am-sure=true')).toBeUndefined()
    expect(call('POST', '/api/v2/manager/control/service/alpha/switch', 'connector')).toBeUndefined()
    expect(call('GET', '/api/v2/manager/status/service/alpha')).toBeUndefined()
  })
})
