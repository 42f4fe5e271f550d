import { describe, expect, it } from 'vitest'
import { adminLogin, basic, type TestApi, testApi } from '../support/testApi.ts'

const url = '/api/v2/users'
const minute = 60_000

async function get(api: TestApi, authorization: string, more: { remoteAddress?: string; url?: string } = {}) {
  const answer = await api.call({ url, headers: { authorization }, remoteAddress: '10.0.0.9', ...more })
  return { answer, outcome: [answer.statusCode, answer.json().payload.code] }
}

async function fail(api: TestApi, user: string, more: { remoteAddress?: string; url?: string } = {}) {
  for (let guess = 1; guess <= 5; guess += 1) {
    expect((await get(api, basic(user, `wrong${guess}`), more)).outcome).toEqual([401, 'login-refused'])
  }
}

describe('an address that guesses', () => {
  it('is told how long to wait, and may try again then', async () => {
    const time = { now: 0 }
    const api = await testApi({ clock: () => time.now })
    await fail(api, 'admin')
    time.now = 1.5 * minute
    const { answer, outcome } = await get(api, adminLogin)
    expect([...outcome, answer.headers['retry-after']]).toEqual([429, 'locked-out', '210'])
    expect(answer.json().payload.detail).toBe(
      'Within 5 minutes, 5 logins with this user name from your address failed or are being checked. ' +
        'Try again in 210 s; a login that worked before still works.',
    )
    time.now = 5 * minute
    expect((await get(api, adminLogin)).outcome).toEqual([200, undefined])
  })

  it('is told the same for a user that there is and one that there is not', async () => {
    const api = await testApi({ clock: () => 0, context: { newRequestId: () => 'same' } })
    const bodies: string[] = []
    for (const user of ['admin', 'nobody', '']) {
      await fail(api, user)
      const { answer } = await get(api, basic(user, 'right'))
      const { date: _date, ...headers } = answer.headers
      bodies.push(JSON.stringify([answer.statusCode, headers, answer.body]))
    }
    expect(new Set(bodies).size).toBe(1)
    expect(bodies[0]).toMatch(/^\[429,/)
  })

  it('locks out neither other addresses nor who was let in before', async () => {
    const api = await testApi()
    await fail(api, 'admin')
    expect((await get(api, adminLogin, { remoteAddress: '10.0.0.8' })).outcome).toEqual([200, undefined])
    expect((await get(api, adminLogin)).outcome).toEqual([200, undefined])
    expect((await get(api, basic('admin', 'wrong'))).outcome).toEqual([429, 'locked-out'])
  })

  it('is the same one in all of its IPv6 network', async () => {
    const api = await testApi()
    for (let guess = 1; guess <= 5; guess += 1) {
      const remoteAddress = `2001:db8::${guess}`
      expect((await get(api, basic('admin', 'wrong'), { remoteAddress })).answer.statusCode).toBe(401)
    }
    const same = await get(api, adminLogin, { remoteAddress: '2001:db8::ffff:9' })
    expect(same.outcome).toEqual([429, 'locked-out'])
    const other = await get(api, adminLogin, { remoteAddress: '2001:db8:0:1::9' })
    expect(other.outcome).toEqual([200, undefined])
  })

  it('cannot guess at a resource that there is not, nor where a login is optional', async () => {
    const api = await testApi({ context: { isStopping: () => true } })
    const ready = async (authorization: string) =>
      (await api.call({ url: '/health/ready', headers: { authorization } })).body
    for (let guess = 1; guess <= 5; guess += 1) expect(await ready(basic('admin', 'x'))).toBe('unready\n')
    expect(await ready(adminLogin)).toBe('unready\n')
    const other = await testApi()
    await fail(other, 'admin', { url: '/nothing' })
    expect((await get(other, adminLogin)).outcome).toEqual([429, 'locked-out'])
  })

  it('is not one while the host has no user', async () => {
    const api = await testApi({ withAdmin: false })
    for (let guess = 1; guess <= 9; guess += 1) {
      expect((await get(api, adminLogin)).outcome).toEqual([401, 'no-user'])
    }
  })

  it('is not one that sends no login, or what is none', async () => {
    const api = await testApi()
    for (let guess = 1; guess <= 9; guess += 1) {
      expect((await get(api, 'Basic nonsense')).outcome).toEqual([401, 'login-refused'])
      expect((await api.call({ url, remoteAddress: '10.0.0.9' })).statusCode).toBe(401)
    }
    expect((await get(api, adminLogin)).outcome).toEqual([200, undefined])
  })
})

describe('a lock-out', () => {
  const unlock = (api: TestApi, value: string, authorization?: string) =>
    api.call({
      method: 'POST',
      url: '/api/v2/unlock?i-am-sure=true',
      headers: authorization === undefined ? {} : { authorization },
      remoteAddress: '10.0.0.7',
      payload: { payloadType: 'StringPayload', payload: { value } },
    })

  it('is ended by another login of a user, for that user name alone', async () => {
    const api = await testApi()
    await fail(api, 'admin')
    await fail(api, 'other')
    await fail(api, 'admin', { remoteAddress: '10.0.0.8' })
    expect((await get(api, adminLogin)).outcome).toEqual([429, 'locked-out'])
    expect((await unlock(api, 'admin')).statusCode).toBe(401)
    expect((await unlock(api, 'admin', adminLogin)).json().payload).toEqual({ value: true, changed: true })
    expect((await unlock(api, 'admin', adminLogin)).json().payload).toEqual({ value: true, changed: false })
    expect((await get(api, basic('admin', 'x'))).outcome).toEqual([401, 'login-refused'])
    expect((await get(api, basic('admin', 'x'), { remoteAddress: '10.0.0.8' })).outcome[0]).toBe(401)
    expect((await get(api, basic('other', 'x'))).outcome).toEqual([429, 'locked-out'])
    expect(api.auditEntries()).toMatchObject([
      { call: 'unlock', status: 401, changed: false },
      { call: 'unlock', user: 'admin', parameters: { user: 'admin' }, changed: true },
      { call: 'unlock', user: 'admin', parameters: { user: 'admin' }, changed: false },
    ])
  })

  it('forgets failures that did not lock anybody out yet', async () => {
    const api = await testApi()
    for (let round = 0; round < 3; round += 1) {
      for (let guess = 1; guess <= 4; guess += 1) {
        expect((await get(api, basic('admin', `x${guess}`))).outcome[0]).toBe(401)
      }
      expect((await unlock(api, 'admin', adminLogin)).json().payload.changed).toBe(true)
    }
  })
})

describe('the socket', () => {
  it('counts no failures', async () => {
    const api = await testApi({ listener: 'socket' })
    for (let guess = 1; guess <= 9; guess += 1) {
      expect((await get(api, basic('admin', 'old'))).outcome).toEqual([401, 'login-refused'])
    }
  })
})
