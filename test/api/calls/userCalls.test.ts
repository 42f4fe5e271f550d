import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { hashPassword } from '../../../src/accounts/passwordHash.ts'
import { callAll } from '../../../src/client/call.ts'
import { Secret } from '../../../src/secrets/secret.ts'
import { temporaryFolder } from '../../support/temporaryFolder.ts'
import { testCost } from '../../support/testApi.ts'
import { certificate, settingsIn, start } from '../../support/testServer.ts'

const hashOf = (password: string): Promise<string> =>
  hashPassword({ password: new Secret(password), salt: Buffer.alloc(16, 3), cost: testCost })

/** A call over the socket, without a login. */
function onSocket(socketPath: string, users: readonly unknown[], query = '?i-am-sure=true') {
  const body = JSON.stringify({ users })
  const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }
  const path = `/muster/users${query}`
  return new Promise<{ status: number | undefined; told: string }>((resolve, reject) => {
    request({ socketPath, method: 'POST', path, headers, agent: false }, (answer) => {
      text(answer).then((told) => resolve({ status: answer.statusCode, told }), reject)
    })
      .on('error', reject)
      .end(body)
  })
}

describe('the users that a host receives over its socket', () => {
  it('are stored by their hashes and can log in at once, and the audit log names them', async () => {
    const settings = settingsIn(temporaryFolder())
    const { port = 0 } = await start(settings)
    const record = { user: 'ops', access: 'full', hash: await hashOf('of ops') }
    const [first, again] = [
      await onSocket(settings.socket, [record]),
      await onSocket(settings.socket, [record]),
    ]
    expect([first.status, JSON.parse(first.told).payload]).toEqual([200, { value: true, changed: true }])
    expect([again.status, JSON.parse(again.told).payload]).toEqual([200, { value: true, changed: false }])
    expect(JSON.parse(readFileSync(settings.usersFile, 'utf8')).users).toEqual([record])
    const login = {
      ...{ id: 'ops', method: 'GET' as const, path: '/api/v2/user/ops', timeout: 25_000 },
      target: { address: '127.0.0.1', port, authorities: [certificate.chain] },
      credentials: { user: 'ops', password: 'of ops' },
    }
    expect(await callAll([login])).toMatchObject([{ status: 200 }])
    const audit = readFileSync(settings.auditFile ?? '', 'utf8')
    expect(audit).toContain('"ops"')
    expect(audit).not.toContain(record.hash)
  })

  it('keep their password or their level where only the other is sent', async () => {
    const settings = settingsIn(temporaryFolder())
    await start(settings)
    const [first, second] = [await hashOf('first'), await hashOf('second')]
    await onSocket(settings.socket, [{ user: 'ops', hash: first, access: 'operate' }])
    const stored = () => JSON.parse(readFileSync(settings.usersFile, 'utf8')).users
    await onSocket(settings.socket, [{ user: 'ops', hash: second }])
    expect(stored()).toEqual([{ user: 'ops', access: 'operate', hash: second }])
    await onSocket(settings.socket, [{ user: 'ops', access: 'read' }])
    expect(stored()).toEqual([{ user: 'ops', access: 'read', hash: second }])
    expect(readFileSync(settings.auditFile ?? '', 'utf8')).toContain('{"user":"ops","access":"read"}')
    const nobody = await onSocket(settings.socket, [{ user: 'gone', access: 'full' }])
    expect(JSON.parse(nobody.told).payload).toEqual({ value: true, changed: false })
  })

  it.each([
    ['an unknown member', [{ user: 'ops', hash: '', pass: 'x' }], 400],
    ['no hash', [{ user: 'ops', hash: 'hunter2' }], 400],
    ['an unknown level', [{ user: 'ops', hash: 'HASH', access: 'admin' }], 400],
    ['no user', [], 400],
    ['a name that none may have', [{ user: 'a:b', hash: 'HASH' }], 400],
  ])('are refused with %s, and none is stored', async (_what, users, status) => {
    const settings = settingsIn(temporaryFolder())
    await start(settings)
    const hash = await hashOf('x')
    const good = { user: 'good', hash }
    const given = users.map((one) => ('hash' in one && one.hash === 'HASH' ? { ...one, hash } : one))
    const answer = await onSocket(settings.socket, given.length === 0 ? [] : [good, ...given])
    expect(answer.status).toBe(status)
    expect(answer.told).not.toContain('hunter2')
    expect(() => readFileSync(settings.usersFile)).toThrow('ENOENT')
  })

  it('need the guard, and have no route except on the socket', async () => {
    const settings = settingsIn(temporaryFolder())
    const { port = 0 } = await start(settings)
    const record = { user: 'ops', access: 'full', hash: await hashOf('of ops') }
    expect((await onSocket(settings.socket, [record], '')).status).toBe(400)
    await onSocket(settings.socket, [record])
    const call = {
      ...{ id: 'put', method: 'POST' as const, path: '/muster/users?i-am-sure=true', timeout: 25_000 },
      target: { address: '127.0.0.1', port, authorities: [certificate.chain] },
      credentials: { user: 'ops', password: 'of ops' },
      body: { users: [{ ...record, user: 'mallory' }] },
    }
    expect(await callAll([call])).toMatchObject([{ status: 404 }])
    expect(readFileSync(settings.usersFile, 'utf8')).not.toContain('mallory')
  })
})
