import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { Agent, request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { hashPassword } from '../../src/accounts/passwordHash.ts'
import { findUser, formatUserFile, putUser, removeUser } from '../../src/accounts/userFile.ts'
import { Secret } from '../../src/secrets/secret.ts'
import { fetchAt, portOf } from '../support/https.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'
import { adminLogin, basic, type TestApi, testApi, testCost } from '../support/testApi.ts'
import { certificate, settingsIn, start } from '../support/testServer.ts'

/** Calls over one connection that stays open: the status of each, and how many passwords were checked for it. */
async function oneConnection(api: TestApi) {
  const { server } = api.app
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => {
    agent.destroy()
    server.close()
  })
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  let connections = 0
  server.on('connection', () => {
    connections += 1
  })
  const call = (authorization: string | undefined, more: object = {}): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const headers = { host: 'db1', ...(authorization === undefined ? {} : { authorization }) }
      const options = { host: '127.0.0.1', port, agent, path: '/api/v2/user/admin', headers, ...more }
      const request = httpRequest(options, (answer) => {
        answer.resume()
        answer.on('end', () => resolve(answer.statusCode))
      })
      request.on('error', reject)
      request.end()
    })
  return { call, connections: () => connections }
}

async function setPassword({ accounts }: TestApi, password: string): Promise<void> {
  const record = await accounts.recordFor({ user: 'admin', password: new Secret(password) })
  await accounts.change((file) => putUser(file, record))
}

describe('a login over an open connection', () => {
  it('is verified once, and valid only for itself', async () => {
    const api = await testApi()
    const { call, connections } = await oneConnection(api)
    const outcomes: unknown[] = []
    for (const password of ['right', 'right', 'wrong', 'right'])
      outcomes.push(await call(basic('admin', password)))
    outcomes.push(
      await call(undefined),
      await call(basic('nobody', 'right')),
      await call(basic('admin', 'right')),
    )
    expect(outcomes).toEqual([200, 200, 401, 200, 401, 401, 200])
    expect(connections()).toBe(1)
  })

  it('is refused as soon as its password or its user changes', async () => {
    const api = await testApi()
    const { call, connections } = await oneConnection(api)
    for (let time = 0; time < 3; time += 1) expect(await call(basic('admin', 'right'))).toBe(200)
    await setPassword(api, 'second')
    expect(await call(basic('admin', 'right'))).toBe(401)
    for (let time = 0; time < 3; time += 1) expect(await call(basic('admin', 'second'))).toBe(200)
    await api.accounts.change((file) => removeUser(file, 'admin'))
    expect(await call(basic('admin', 'second'))).toBe(401)
    expect(connections()).toBe(1)
  })

  it('has the level of its user at each call', async () => {
    const api = await testApi()
    const { call, connections } = await oneConnection(api)
    const own = basic('admin', 'right')
    // Lacks its body: 400 says that the level was enough.
    const change = { method: 'POST', path: '/api/v2/unlock?i-am-sure=true' }
    const outcomes: unknown[] = []
    for (const access of ['full', 'operate', 'read', 'full'] as const) {
      await api.accounts.change((file) => putUser(file, { user: 'admin', access }))
      // As a call over another connection does meanwhile.
      await api.accounts.users()
      outcomes.push(await call(own), await call(own, change), await call(own, change))
    }
    expect(outcomes).toEqual([200, 400, 400, 200, 403, 403, 200, 403, 403, 200, 400, 400])
    expect(connections()).toBe(1)
  })

  it('is verified again if its user changed during the check', async () => {
    const own = await testApi()
    const late: TestApi['accounts'] = {
      ...own.accounts,
      verify: async (...login) => {
        const verdict = await own.accounts.verify(...login)
        const file = await own.accounts.users()
        if (findUser({ version: 1, users: file }, 'admin')) await setPassword(own, 'second')
        // As another call does meanwhile.
        await own.accounts.users()
        return verdict
      },
    }
    const { call, connections } = await oneConnection(await testApi({ context: { accounts: late } }))
    expect(await call(basic('admin', 'right'))).toBe(200)
    expect(await call(basic('admin', 'right'))).toBe(401)
    expect(connections()).toBe(1)
  })
})

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

describe('an address that guesses passwords', () => {
  it('gets the time to wait, and may try again after it', async () => {
    const time = { now: 0 }
    const api = await testApi({ clock: () => time.now })
    await fail(api, 'admin')
    time.now = 1.5 * minute
    const { answer, outcome } = await get(api, adminLogin)
    expect([...outcome, answer.headers['retry-after']]).toEqual([429, 'locked-out', '210'])
    expect(answer.json().payload.detail).toBe(
      '5 logins with this user name from your address failed within 5 minutes, or are being checked. ' +
        'Try again in 210 s. A login that worked before still works.',
    )
    time.now = 5 * minute
    expect((await get(api, adminLogin)).outcome).toEqual([200, undefined])
  })

  it('gets the same response for an existing and for an unknown user', async () => {
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

  it('locks out neither other addresses nor callers that logged in before', async () => {
    const api = await testApi()
    await fail(api, 'admin')
    expect((await get(api, adminLogin, { remoteAddress: '10.0.0.8' })).outcome).toEqual([200, undefined])
    expect((await get(api, adminLogin)).outcome).toEqual([200, undefined])
    expect((await get(api, basic('admin', 'wrong'))).outcome).toEqual([429, 'locked-out'])
  })

  it('is counted by its whole IPv6 network', async () => {
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

  it('cannot guess at an unknown resource, nor where a login is optional', async () => {
    const api = await testApi({ context: { isStopping: () => true } })
    const ready = async (authorization: string) =>
      (await api.call({ url: '/health/ready', headers: { authorization } })).body
    for (let guess = 1; guess <= 5; guess += 1) expect(await ready(basic('admin', 'x'))).toBe('unready\n')
    expect(await ready(adminLogin)).toBe('unready\n')
    const other = await testApi()
    await fail(other, 'admin', { url: '/nothing' })
    expect((await get(other, adminLogin)).outcome).toEqual([429, 'locked-out'])
  })

  it('is not counted while the host has no user', async () => {
    const api = await testApi({ withAdmin: false })
    for (let guess = 1; guess <= 9; guess += 1) {
      expect((await get(api, adminLogin)).outcome).toEqual([401, 'no-user'])
    }
  })

  it('is not counted if it sends no login, or a malformed one', async () => {
    const api = await testApi()
    for (let guess = 1; guess <= 9; guess += 1) {
      expect((await get(api, 'Basic nonsense')).outcome).toEqual([401, 'login-refused'])
      expect((await api.call({ url, remoteAddress: '10.0.0.9' })).statusCode).toBe(401)
    }
    expect((await get(api, adminLogin)).outcome).toEqual([200, undefined])
  })
})

describe('the lockout of a user name', () => {
  const unlock = (api: TestApi, value: string, authorization?: string) =>
    api.call({
      method: 'POST',
      url: '/api/v2/unlock?i-am-sure=true',
      headers: authorization === undefined ? {} : { authorization },
      remoteAddress: '10.0.0.7',
      payload: { payloadType: 'StringPayload', payload: { value } },
    })

  it('is ended by another login of a user, for that user name only', async () => {
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

  it('drops failures that did not lock anybody out yet', async () => {
    const api = await testApi()
    for (let round = 0; round < 3; round += 1) {
      for (let guess = 1; guess <= 4; guess += 1) {
        expect((await get(api, basic('admin', `x${guess}`))).outcome[0]).toBe(401)
      }
      expect((await unlock(api, 'admin', adminLogin)).json().payload.changed).toBe(true)
    }
  })
})

describe('the Unix socket', () => {
  it('counts no failed logins', async () => {
    const api = await testApi({ listener: 'socket' })
    for (let guess = 1; guess <= 9; guess += 1) {
      expect((await get(api, basic('admin', 'old'))).outcome).toEqual([401, 'login-refused'])
    }
  })
})

async function serverWithAdmin() {
  const folder = temporaryFolder()
  const hash = await hashPassword({ password: new Secret('right'), salt: Buffer.alloc(16), cost: testCost })
  const text = formatUserFile({ version: 1, users: [{ user: 'admin', access: 'full', hash }] })
  writeFileSync(join(folder, 'users.json'), text)
  const server = await start(settingsIn(folder))
  return { port: portOf(server), ca: certificate.chain }
}

/** Statuses of logins of admin that a user of this host makes, each over a connection of its own. */
async function guessAs(
  uid: number,
  port: number,
  passwords: readonly string[],
  localAddress = '127.0.0.1',
): Promise<readonly number[]> {
  const program = `
    const { request } = require('node:https')
    const call = (password) => new Promise((resolve) => request({
      host: '127.0.0.1', port: ${port}, path: '/api/v2/users', agent: false, rejectUnauthorized: false, localAddress: '${localAddress}',
      headers: { authorization: 'Basic ' + Buffer.from('admin:' + password).toString('base64') },
    }, (answer) => { answer.resume(); resolve(answer.statusCode) }).end())
    ;(async () => {
      const all = []
      for (const password of ${JSON.stringify(passwords)}) all.push(await call(password))
      console.log(JSON.stringify(all))
    })()`
  const options = { uid, gid: uid, cwd: '/', env: {} }
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', program], options)
  return JSON.parse(stdout)
}

const wrong = ['a', 'b', 'c', 'd', 'e', 'f']

describe.skipIf(process.geteuid?.() !== 0)('a local user that guesses passwords (needs root)', () => {
  it('locks out itself, but neither root nor another user of the host', async () => {
    const place = await serverWithAdmin()
    expect(await guessAs(1234, place.port, wrong)).toEqual([401, 401, 401, 401, 401, 429])
    const headers = { authorization: basic('admin', 'wrong') }
    expect((await fetchAt(place, { path: '/api/v2/users', headers })).status).toBe(401)
    expect(await guessAs(1235, place.port, ['right'])).toEqual([200])
  })

  it('gains nothing from another loopback address, and stays locked on a new connection', async () => {
    const place = await serverWithAdmin()
    await guessAs(1234, place.port, wrong)
    expect(await guessAs(1234, place.port, ['right'], '127.0.0.2')).toEqual([429])
  })
})
