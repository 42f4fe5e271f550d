import { mkdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import type { RequestListener, ServerResponse } from 'node:http'
import { dirname, join } from 'node:path'
import { inject } from 'light-my-request'
import { Type } from 'typebox'
import { describe, expect, it } from 'vitest'
import { commonCalls } from '../../../src/api/calls/commonCalls.ts'
import { ProblemError } from '../../../src/api/problemError.ts'
import { type ServedRoute, serve } from '../../../src/api/serve.ts'
import { commonRoutes } from '../../../src/contracts/commonRoutes.ts'
import { temporaryFolder } from '../../support/temporaryFolder.ts'
import { adminLogin, basic, type TestApi, testApi } from '../../support/testApi.ts'

const headers = { authorization: adminLogin }
const sure = '?i-am-sure=true'
const jane = { payloadType: 'credentials', user: 'jane', pass: 'hidden-password' }

const create = (api: TestApi, payload: object | string = jane, more: object = {}) =>
  api.call({ method: 'POST', url: `/api/v2/createAdminUser${sure}`, headers, payload, ...more })
const remove = (api: TestApi, value: string) =>
  api.call({
    method: 'POST',
    url: `/api/v2/deleteUser${sure}`,
    headers,
    payload: { payloadType: 'StringPayload', payload: { value } },
  })

/** The common calls with another thing done for deleteUser. */
const instead = (handle: ServedRoute['handle']): readonly ServedRoute[] =>
  commonCalls.map((it) => (it.route.name === 'deleteUser' ? { ...it, handle } : it))

const inMissingFolder = (): string => join(temporaryFolder(), 'log', 'audit.jsonl')

describe('the audit of a changing call', () => {
  it('records the request and the state before and after', async () => {
    const api = await testApi()
    const record = { user: 'jane', access: 'full' }
    await create(api)
    await create(api)
    await create(api, { ...jane, pass: 'another' })
    await remove(api, 'jane')
    await remove(api, 'jane')
    const common = { status: 200, caller: 'user', user: 'admin', parameters: { user: 'jane' } }
    expect(api.auditEntries()).toMatchObject([
      {
        ...common,
        requestId: 'request-1',
        call: 'createAdminUser',
        changed: true,
        before: null,
        after: record,
      },
      {
        ...common,
        requestId: 'request-2',
        call: 'createAdminUser',
        changed: false,
        before: record,
        after: record,
      },
      {
        ...common,
        requestId: 'request-3',
        call: 'createAdminUser',
        changed: true,
        before: record,
        after: record,
      },
      { ...common, requestId: 'request-4', call: 'deleteUser', changed: true, before: record, after: null },
      { ...common, requestId: 'request-5', call: 'deleteUser', changed: false, before: null, after: null },
    ])
    expect(statSync(api.auditFile).mode & 0o777).toBe(0o600)
  })

  it('records dry=yes as a call that changed nothing, and nothing of another value of it', async () => {
    const api = await testApi()
    await create(api)
    const tried = (dry: string) =>
      api.call({
        method: 'POST',
        url: `/api/v2/deleteUser${sure}&dry=${dry}`,
        headers,
        payload: { payloadType: 'StringPayload', payload: { value: 'jane' } },
      })
    expect((await tried('yes')).json().payload).toEqual({ value: true, changed: true })
    for (const dry of ['a'.repeat(1000), 'yes&dry=yes']) expect((await tried(dry)).statusCode).toBe(400)
    const [, ...entries] = api.auditEntries()
    expect(entries.map(({ parameters, changed, status }) => ({ parameters, changed, status }))).toEqual([
      { parameters: { dry: 'yes', user: 'jane' }, changed: false, status: 200 },
      { parameters: {}, changed: false, status: 400 },
      { parameters: {}, changed: false, status: 400 },
    ])
  })

  it('writes the line before the response is sent', async () => {
    const api = await testApi()
    const lines: number[] = []
    const noting: RequestListener = (request, response) => {
      const writeHead = response.writeHead.bind(response) as (...all: unknown[]) => ServerResponse
      response.writeHead = (...all: unknown[]) => {
        if (request.method === 'POST') lines.push(api.auditEntries().length)
        return writeHead(...all)
      }
      api.app.requestListener(request, response)
    }
    for (const user of ['jane', 'jack']) {
      const payload = { payloadType: 'credentials', user, pass: 'secret' }
      const url = `/api/v2/createAdminUser${sure}`
      await inject(noting, { method: 'POST', url, headers: { host: 'db1', ...headers }, payload })
    }
    expect(lines).toEqual([1, 2])
  })

  it('records the listener, the remote address and the caller', async () => {
    const tcp = await testApi({ withAdmin: false })
    await create(tcp, jane, { headers: {}, remoteAddress: '127.0.0.2' })
    expect(tcp.auditEntries()).toMatchObject([{ door: 'tcp', peer: '127.0.0.2', caller: 'anonymous' }])
    const socket = await testApi({ listener: 'socket' })
    await create(socket, jane, { headers: {} })
    await create(socket)
    expect(socket.auditEntries()).toMatchObject([
      { door: 'socket', caller: 'socket' },
      { door: 'socket', caller: 'user', user: 'admin' },
    ])
  })

  it('records a refused call too, whatever refused it', async () => {
    const api = await testApi({ context: { remoteBootstrap: false } })
    const url = `/api/v2/createAdminUser${sure}`
    await create(api, jane, { headers: {} })
    await create(api, jane, { headers: { authorization: basic('admin', 'wrong') } })
    await create(api, jane, { headers: { host: 'evil.example' } })
    await create(api, jane, { headers: { ...headers, origin: 'https://evil.example' } })
    await create(api, jane, { url: '/api/v2/createAdminUser' })
    await create(api, '{"pass": "hidden-password" oops', {
      url,
      headers: { ...headers, 'content-type': 'application/json' },
    })
    await create(api, 'pass=hidden-password', { headers: { ...headers, 'content-type': 'text/plain' } })
    await create(api, { ...jane, more: 1 })
    await create(api, { ...jane, user: 'jane:x' })
    await remove(api, 'admin')
    expect(
      api.auditEntries().map(({ status, code, caller, changed }) => [status, code, caller, changed]),
    ).toEqual([
      [401, 'login-required', 'unknown', false],
      [401, 'login-refused', 'unknown', false],
      [421, 'unknown-host', 'unknown', false],
      [403, 'cross-site', 'unknown', false],
      [400, 'not-confirmed', 'user', false],
      [400, 'malformed-json', 'user', false],
      [415, 'not-json', 'user', false],
      [400, 'invalid-body', 'user', false],
      [400, 'invalid-user-name', 'user', false],
      [409, 'last-user', 'user', false],
    ])
    expect(api.auditEntries().at(-1)).toMatchObject({ before: { user: 'admin', access: 'full' } })
    expect(readFileSync(api.auditFile, 'utf8')).not.toContain('hidden-password')
  })

  it('records neither reads nor calls of unknown paths', async () => {
    const api = await testApi()
    await api.call({ url: '/api/v2/users', headers })
    await api.call({ method: 'POST', url: '/api/v2/users', headers })
    await api.call({ method: 'POST', url: '/nothing', headers })
    await api.call({ method: 'PUT', url: '/api/v2/deleteUser', headers })
    expect(api.auditEntries()).toEqual([])
  })

  it('leaves open whether a call changed something if its failure does not say', async () => {
    const api = await testApi({ served: instead(() => Promise.reject(new Error('broken'))) })
    await remove(api, 'jane')
    expect(api.auditEntries()).toMatchObject([{ status: 500, code: 'internal', changed: null }])
  })

  it('counts a call for several objects as a change if one of them changed', async () => {
    const payloads = [
      { a: { changed: false }, b: { changed: true } },
      [{ changed: false }, { changed: false }],
      { value: 'x' },
    ]
    const response = {
      kind: 'payload',
      payloadType: 'SomePayload',
      payload: Type.Union([Type.Object({}), Type.Array(Type.Object({}))]),
    } as const
    const some = serve(
      { ...commonRoutes.deleteUser, name: 'some', path: '/api/v2/some', request: null, response },
      () => payloads.shift() ?? {},
    )
    const api = await testApi({ served: [...commonCalls, some] })
    for (let call = 0; call < 3; call += 1) {
      await api.call({ method: 'POST', url: `/api/v2/some${sure}`, headers })
    }
    expect(api.auditEntries().map(({ changed }) => changed)).toEqual([true, false, null])
  })

  it('takes facts step by step, path parameters included', async () => {
    const route = {
      ...commonRoutes.deleteUser,
      path: '/api/v2/service/{name}/offline',
      request: null,
    } as const
    const offline = serve(route, (call) => {
      call.audit({ before: { state: 'ONLINE' } })
      call.audit({ parameters: { immediate: true }, after: { state: 'OFFLINE' } })
      return { value: true, changed: true }
    })
    const api = await testApi({ served: [...commonCalls, offline] })
    await api.call({ method: 'POST', url: `/api/v2/service/a%20b/offline${sure}`, headers })
    expect(api.auditEntries()).toMatchObject([
      {
        parameters: { name: 'a b', immediate: true },
        before: { state: 'ONLINE' },
        after: { state: 'OFFLINE' },
      },
    ])
  })
})

describe('an audit log that cannot be written', () => {
  it('stops changes, says why, and allows them again when it is writable', async () => {
    const api = await testApi({ auditFile: inMissingFolder() })
    const answer = await create(api)
    expect([answer.statusCode, answer.json().payload.code]).toEqual([503, 'audit-unavailable'])
    expect(await api.accounts.users()).toHaveLength(1)
    const ready = await api.call({ url: '/health/ready', headers })
    expect([ready.statusCode, ready.body]).toEqual([
      503,
      `unready\nthe audit log ${api.auditFile} cannot be written: no such file or folder\n`,
    ])
    expect((await api.call({ url: '/api/v2/users', headers })).statusCode).toBe(200)

    mkdirSync(dirname(api.auditFile))
    expect((await create(api)).statusCode).toBe(200)
    expect((await api.call({ url: '/health/ready', headers })).statusCode).toBe(200)
    // The refusal was told to the server's log alone.
    expect(api.auditEntries()).toMatchObject([{ requestId: 'request-4', status: 200, leftOut: 1 }])
    const missing = api.lines.map((line) => JSON.parse(line)).filter(({ audit }) => audit)
    expect(missing.map(({ audit }) => audit)).toMatchObject([{ requestId: 'request-1', status: 503 }])
  })

  it('does not alter the response to a refused call', async () => {
    const api = await testApi({ auditFile: inMissingFolder() })
    expect((await create(api, jane, { headers: {} })).statusCode).toBe(401)
  })

  it('is reported to a caller whose change is done, and the missed line is written first', async () => {
    const folder = join(temporaryFolder(), 'log')
    mkdirSync(folder)
    const served = instead(() => {
      renameSync(folder, `${folder}.away`)
      return { value: true, changed: true }
    })
    const api = await testApi({ served, auditFile: join(folder, 'audit.jsonl') })
    const answer = await remove(api, 'jane')
    expect([answer.statusCode, answer.json().payload.code]).toEqual([500, 'audit-failed'])
    expect(answer.headers['content-length']).toBe(String(answer.rawPayload.length))
    expect((await create(api)).json().payload.code).toBe('audit-unavailable')
    rmSync(`${folder}.away`, { recursive: true })
    mkdirSync(folder)
    await create(api)
    expect(api.auditEntries()).toMatchObject([
      { requestId: 'request-1', call: 'deleteUser', status: 200, changed: true },
      { requestId: 'request-3', call: 'createAdminUser', status: 200, changed: true },
    ])
  })

  it('does not hide another failure of a call', async () => {
    const folder = join(temporaryFolder(), 'log')
    mkdirSync(folder)
    const served = instead(() => {
      rmSync(folder, { recursive: true })
      throw new ProblemError({ code: 'last-user', detail: 'No.' })
    })
    const api = await testApi({ served, auditFile: join(folder, 'audit.jsonl') })
    expect((await remove(api, 'jane')).json().payload.code).toBe('last-user')
  })
})
