import { describe, expect, it } from 'vitest'
import type { AccessLevel } from '../../src/contracts/accessLevels.ts'
import type { ActionRequest } from '../../src/contracts/dashboard.ts'
import { relayedCall as relay } from '../../src/web/relayedCall.ts'

const relayedCall = (asked: ActionRequest, access: AccessLevel = 'full') => relay(asked, access)

const action: ActionRequest = {
  ...{ cluster: 'north', host: 'db1', component: 'manager', route: 'managerShun' },
  params: { service: 'alpha', datasource: 'db3' },
}

describe('a call that the dashboard relays', () => {
  it('is built from the contract alone, with the guard', () => {
    expect(relayedCall(action)).toEqual({
      ...{ host: 'db1', component: 'manager', method: 'POST' },
      path: '/api/v2/manager/control/service/alpha/datasource/db3/shun?i-am-sure=true',
    })
  })

  it('has the query of the action before the guard', () => {
    const { path } = relayedCall({ ...action, route: 'managerRecover', query: { repoint: 'yes' } })
    expect(path).toMatch(/\/recover\?repoint=yes&i-am-sure=true$/)
  })

  it('wraps the payload in the envelope of its route', () => {
    const call = relayedCall({ ...action, route: 'deleteUser', params: {}, payload: { value: 'eve' } })
    expect(call.body).toEqual({
      payloadType: 'StringPayload',
      payloadVersion: '1',
      payload: { value: 'eve' },
    })
  })

  it('creates a user, or sets password and level of one', () => {
    const payload = { user: 'eve', pass: 'a password', access: 'read' }
    const { path, body } = relayedCall({ ...action, route: 'createAdminUser', params: {}, payload })
    expect([path, body]).toEqual([
      '/api/v2/createAdminUser?i-am-sure=true',
      { payloadType: 'CredentialsPayload', payloadVersion: '1', payload },
    ])
    const wrong = { ...action, route: 'createAdminUser', params: {}, payload: { ...payload, access: 'root' } }
    expect(() => relayedCall(wrong)).toThrow(expect.objectContaining({ code: 'invalid-body' }))
  })

  it.each(['read', 'operate'] as const)('creates no user for a session of the level %s', (access) => {
    const payload = { user: 'eve', pass: 'a password', access: 'full' }
    const asked = { ...action, route: 'createAdminUser', params: {}, payload }
    expect(() => relayedCall(asked, access)).toThrow(expect.objectContaining({ code: 'access-level' }))
    // The host checks all other levels itself, and writes down who tried.
    expect(relayedCall(action, access).path).toContain('/shun')
  })

  it('may read, without a guard', () => {
    const { method, path } = relayedCall({
      ...action,
      route: 'managerSwitchPlan',
      params: { service: 'alpha' },
      query: { to: 'db2' },
    })
    expect([method, path]).toEqual(['GET', '/api/v2/manager/status/service/alpha/switch?to=db2'])
  })

  it('is none of another component, without a login, outside of /api/v2 or of no contract', () => {
    const names = ['connectorOnhold', 'ping', 'metrics', 'routing', 'putUsers', 'constructor', '']
    for (const route of names)
      expect(() => relayedCall({ ...action, route }), route).toThrow(
        expect.objectContaining({ code: 'not-found' }),
      )
  })

  it('takes no value that could lead to another path', () => {
    for (const datasource of ['..', 'db3/../../x', 'db3?x', 'db3%2f', 'db 3', 'db3\r\nX: y', ''])
      expect(() => relayedCall({ ...action, params: { service: 'alpha', datasource } }), datasource).toThrow(
        expect.objectContaining({ code: 'invalid-body' }),
      )
    for (const user of ['..', '.', 'a/b', 'a?b'])
      expect(() => relayedCall({ ...action, route: 'user', params: { user } }), user).toThrow(
        expect.objectContaining({ code: 'invalid-body' }),
      )
  })

  it('takes the parameters, query and payload of its route and no others', () => {
    const wrong: readonly Partial<ActionRequest>[] = [
      { params: { service: 'alpha' } },
      { params: { service: 'alpha', datasource: 'db3', task: 'x' } },
      { query: { repoint: 'yes' } },
      { query: { 'i-am-sure': 'true' } },
      { payload: {} },
      { route: 'deleteUser', params: {}, payload: 7 },
      { route: 'deleteUser', params: {} },
      { route: 'managerRecover', query: { repoint: 'no' } },
    ]
    for (const more of wrong)
      expect(() => relayedCall({ ...action, ...more }), JSON.stringify(more)).toThrow(
        expect.objectContaining({ code: 'invalid-body' }),
      )
  })
})
