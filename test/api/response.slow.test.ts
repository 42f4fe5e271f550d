import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import type { InjectOptions } from 'light-my-request'
import { Value } from 'typebox/value'
import { describe, expect, it, onTestFinished } from 'vitest'
import { commonCalls } from '../../src/api/calls/commonCalls.ts'
import { serve } from '../../src/api/serve.ts'
import { commonRoutes } from '../../src/contracts/commonRoutes.ts'
import { ErrorPayload, responseSchema } from '../../src/contracts/envelope.ts'
import { adminLogin, testApi } from '../support/testApi.ts'

const headers = { authorization: adminLogin }
const url = '/api/v2/createAdminUser?i-am-sure=true'
const json = { ...headers, 'content-type': 'application/json' }

async function post(payload: string | Buffer | object, more: InjectOptions = {}) {
  const api = await testApi()
  const answer = await api.call({ method: 'POST', url, headers: json, payload, ...more })
  return { api, status: answer.statusCode, error: answer.json().payload, answer }
}

describe('the response to a failed call', () => {
  it('is wrapped in the envelope', async () => {
    const { call } = await testApi()
    const answer = await call({ url: '/api/v2/ping?x=1' })
    expect(answer.json()).toEqual({
      payloadType: 'ErrorPayload',
      payloadVersion: '1',
      payload: {
        status: 400,
        code: 'unknown-query',
        title: 'The query has a parameter that this call does not support',
        detail: 'This call takes no query parameters.',
        requestId: 'request-1',
        errors: [{ path: 'x', message: 'is not a parameter of this call' }],
      },
    })
    expect(answer.headers['x-request-id']).toBe('request-1')
    expect(answer.headers['cache-control']).toBe('no-store')
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(Value.Check(responseSchema('ErrorPayload', ErrorPayload), answer.json())).toBe(true)
  })

  it.each(['application/problem+json', 'application/json;q=0.5, application/problem+json'])(
    'has no envelope for Accept: %s',
    async (accept) => {
      const { call } = await testApi()
      const answer = await call({ url: '/api/v2/users', headers: { accept } })
      expect(answer.headers['content-type']).toBe('application/problem+json')
      expect(answer.json()).toEqual({
        status: 401,
        code: 'login-required',
        title: 'This call needs a user and a password',
        detail: 'Send a user name and a password with HTTP Basic.',
        requestId: 'request-1',
        errors: [],
      })
    },
  )

  it.each(['*/*', 'application/json, application/problem+json;q=0.1', 'application/problem+json;q=0'])(
    'has the envelope for Accept: %s',
    async (accept) => {
      const { call } = await testApi()
      expect((await call({ url: '/api/v2/users', headers: { accept } })).json().payloadType).toBe(
        'ErrorPayload',
      )
    },
  )

  it('tells the caller nothing about an internal error, and the log everything', async () => {
    const served = commonCalls.map((it) =>
      it.route.name === 'ping' ? { ...it, handle: () => Promise.reject(new Error('what went wrong')) } : it,
    )
    const { call, lines } = await testApi({ served })
    const answer = await call({ url: '/api/v2/ping' })
    expect([answer.statusCode, answer.json().payload.code]).toEqual([500, 'internal'])
    expect(answer.body).not.toContain('went wrong')
    const line = lines.map((it) => JSON.parse(it)).find(({ err }) => err)
    expect([line.err.message, line.requestId]).toEqual(['what went wrong', 'request-1'])
    expect(line.err.stack).toContain('response.slow.test.ts')
  })
})

describe('the Accept header', () => {
  it.each([
    ['/api/v2/ping', 'text/html'],
    ['/api/v2/ping', 'application/json;q=0, */*'],
    ['/metrics', 'application/json'],
    ['/health/live', 'image/*'],
  ])('is refused for %s with %s', async (path, accept) => {
    const { call } = await testApi()
    const answer = await call({ url: path, headers: { ...headers, accept } })
    expect([answer.statusCode, answer.json().payload.code]).toEqual([406, 'not-acceptable'])
  })

  it.each([
    ['/api/v2/ping', 'text/html, */*;q=0.1'],
    ['/api/v2/ping', 'application/*'],
    ['/api/v2/ping', 'application/problem+json'],
    ['/metrics', 'text/plain;version=0.0.4'],
    ['/metrics', 'application/openmetrics-text, text/*'],
  ])('is accepted for %s with %s', async (path, accept) => {
    const { call } = await testApi()
    expect((await call({ url: path, headers: { ...headers, accept } })).statusCode).toBe(200)
  })
})

describe('a request body', () => {
  const good = '{"payloadType":"credentials","user":"a","pass":"b"}'

  it.each([
    ['', 'This call needs a body, and the body is empty.'],
    ['{"pass": secret}', 'The body is not valid JSON.'],
    [Buffer.from([0x22, 0xff, 0x22]), 'The body is not UTF-8.'],
    [`${good.slice(0, -1)},"user":"c"}`, 'The body has the key "user" twice in one object.'],
    [`${good.slice(0, -1)},"\\u0075ser":"c"}`, 'The body has the key "user" twice in one object.'],
    [
      '{"payloadType":"credentials","__proto__":{"user":"a","pass":"b"}}',
      "The key '__proto__' is not allowed in the body.",
    ],
    ['{"payload":{"a":[{"b":1,"b":2}]}}', 'The body has the key "b" twice in one object.'],
  ])('is rejected as malformed: %s', async (payload, detail) => {
    const { status, error } = await post(payload)
    expect([status, error.code, error.detail]).toEqual([400, 'malformed-json', detail])
    expect(error.detail).not.toContain('secret')
  })

  it('may repeat a key in different objects, and contain text that looks like one', async () => {
    const { status } = await post(
      '{"payloadType":"credentials","payload":{"user":"payload","pass":"a\\":\\"user\\":{"}}',
    )
    expect(status).toBe(200)
  })

  it.each<[unknown, { path: string; message: string }[]]>([
    [[], [{ path: '', message: 'must be an object' }]],
    [
      { payloadType: 'x', user: 'a', pass: 'b' },
      [{ path: '/payloadType', message: 'must be one of "credentials", "CredentialsPayload"' }],
    ],
    [{ payloadType: 'credentials', user: 'a', pass: 1 }, [{ path: '/pass', message: 'must be a string' }]],
    [
      { payloadType: 'credentials', user: 'a', pass: 'b', more: 'full' },
      [{ path: '/more', message: 'is not a known member' }],
    ],
    [
      { payloadType: 'credentials', user: 'a', pass: 'b', access: 'admin' },
      [{ path: '/access', message: 'must be one of "read", "operate", "full"' }],
    ],
    [
      { payloadType: 'credentials', payloadVersion: '2', user: 'a', pass: 'b' },
      [{ path: '/payloadVersion', message: 'must be "1"' }],
    ],
    [
      { payloadType: 'credentials', user: 'a', pass: 'b', payload: {} },
      [
        {
          path: '/payload',
          message: 'must not be combined with user, pass and access beside it',
        },
      ],
    ],
    [
      { payloadType: 'credentials', payload: { user: 'a' } },
      [{ path: '/payload/pass', message: 'is missing' }],
    ],
    [{ user: 'a', pass: 'b' }, [{ path: '/payloadType', message: 'is missing' }]],
  ])('is rejected because it does not match the schema: %j', async (payload, errors) => {
    const { api, status, error } = await post(JSON.stringify(payload))
    expect([status, error.code, error.errors]).toEqual([400, 'invalid-body', errors])
    expect(await api.accounts.users()).toHaveLength(1)
  })

  it('is rejected with every reserved character of a user name', async () => {
    const { status, error } = await post({
      payloadType: 'credentials',
      payload: { user: 'a:b c', pass: 'x' },
    })
    expect([status, error.code]).toEqual([400, 'invalid-user-name'])
    expect(error.detail).toBe("The user name must not contain ':', must not contain a space.")
    expect(error.errors).toEqual([
      { path: '/payload/user', message: "must not contain ':'" },
      { path: '/payload/user', message: 'must not contain a space' },
    ])
  })

  it('is rejected if the password is too long', async () => {
    for (const pass of ['', 'x'.repeat(1025)]) {
      const { status, error } = await post({ payloadType: 'credentials', user: 'a', pass })
      expect([status, error.code, error.errors[0].path]).toEqual([400, 'invalid-password', '/pass'])
    }
  })

  it.each([
    { 'content-type': 'text/plain' },
    { 'content-type': 'application/x-www-form-urlencoded' },
    { 'content-type': 'application/jsonx' },
    { 'content-type': 'application/json', 'content-encoding': 'gzip' },
  ])('is rejected as not JSON with the headers %j', async (more) => {
    const { status, error } = await post(good, { headers: { ...headers, ...more } })
    expect([status, error.code]).toEqual([415, 'not-json'])
  })

  it('may have a charset in its content type', async () => {
    const { status } = await post(good, {
      headers: { ...headers, 'content-type': 'application/json; charset=utf-8' },
    })
    expect(status).toBe(200)
  })

  it('may have 64 KiB, and not one byte more', async () => {
    expect((await post(good.padEnd(65_536))).status).toBe(200)
    const { status, error } = await post(good.padEnd(65_537))
    expect([status, error.code]).toEqual([413, 'body-too-large'])
  })

  it('is rejected by a call without a body, unless it is empty', async () => {
    const route = { ...commonRoutes.deleteUser, path: '/api/v2/reset', request: null } as const
    const reset = serve(route, () => ({ value: true, changed: true }))
    const api = await testApi({
      served: [...commonCalls.filter((it) => it.route.name !== 'deleteUser'), reset],
    })
    const send = async (payload?: string) => {
      const body = payload === undefined ? {} : { payload }
      const answer = await api.call({
        method: 'POST',
        url: `${route.path}?i-am-sure=true`,
        headers: json,
        ...body,
      })
      return answer.json().payload
    }
    for (const payload of [undefined, '', '{}', ' {} ']) expect((await send(payload)).changed).toBe(true)
    expect(await send('{"immediate":true}')).toMatchObject({
      code: 'invalid-body',
      errors: [{ path: '/immediate', message: 'is not allowed' }],
    })
    for (const payload of ['[]', '"x"', '5', 'true']) {
      expect(await send(payload)).toMatchObject({ code: 'invalid-body', errors: [{ path: '' }] })
    }
  })

  it('is required by a call with a body', async () => {
    const api = await testApi()
    const answer = await api.call({ method: 'POST', url, headers })
    expect([answer.statusCode, answer.json().payload.code]).toEqual([400, 'invalid-body'])
  })

  it('without a content type may be empty, and a call that needs a body says so', async () => {
    const api = await testApi()
    const form = { ...headers, 'content-type': 'application/x-www-form-urlencoded' }
    const answer = await api.call({ method: 'POST', url, headers: form, payload: '' })
    const { code, detail } = answer.json().payload
    expect([answer.statusCode, code, detail]).toEqual([
      400,
      'malformed-json',
      'This call needs a body, and the body is empty.',
    ])
    const route = { ...commonRoutes.deleteUser, path: '/api/v2/reset', request: null } as const
    const served = [...commonCalls, serve(route, () => ({ value: true, changed: true }))]
    const { call } = await testApi({ served })
    for (const more of [{ 'content-length': '0' }, { 'transfer-encoding': 'chunked' }]) {
      const reset = { method: 'POST', url: `${route.path}?i-am-sure=true`, payload: '' } as const
      expect((await call({ ...reset, headers: { ...form, ...more } })).statusCode).toBe(200)
    }
    const chunked = { ...form, 'transfer-encoding': 'chunked' }
    const refused = await call({
      method: 'POST',
      url: `${route.path}?i-am-sure=true`,
      headers: chunked,
      payload: 'a=b',
    })
    expect([refused.statusCode, refused.json().payload.code]).toEqual([415, 'not-json'])
  })
})

describe('the log of calls', () => {
  it('records every call and no secret', async () => {
    const api = await testApi()
    const payload = { payloadType: 'credentials', user: 'jane', pass: 'hidden-password' }
    await api.call({ method: 'POST', url, headers, payload })
    await api.call({ method: 'POST', url, headers, payload: { ...payload, user: 'jane:' } })
    await api.call({ method: 'POST', url, headers: json, payload: '{"pass": "hidden-password" oops' })
    await api.call({ url: '/api/v2/users?pass=hidden-password', headers })
    const calls = api.lines.map((it) => JSON.parse(it)).filter(({ msg }) => msg === 'call')
    expect(calls.map(({ status, path, user }) => `${status} ${path} ${user}`)).toEqual([
      '200 /api/v2/createAdminUser admin',
      '400 /api/v2/createAdminUser admin',
      '400 /api/v2/createAdminUser admin',
      '400 /api/v2/users admin',
    ])
    for (const line of api.lines) expect(line.match(/"requestId":/g)).toHaveLength(1)
    const log = api.lines.join('')
    expect(log).not.toContain('hidden-password')
    expect(log).not.toContain('Basic')
    expect(log).not.toContain(Buffer.from('admin:right').toString('base64'))
    expect(log).not.toContain('right')
  })

  it('does not treat a caller that disconnects within a body as a server error', async () => {
    const api = await testApi()
    const { server } = api.app
    const reading = new Promise<void>((resolve) => {
      server.on('request', (it) => it.on('newListener', (event) => event === 'data' && resolve()))
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    onTestFinished(() => void server.close())
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : undefined
    const more = { host: 'db1', 'content-type': 'application/json', 'content-length': '100' }
    const options = { host: '127.0.0.1', port, path: url, method: 'POST', headers: { ...headers, ...more } }
    const request = httpRequest(options)
    request.on('error', () => undefined)
    request.flushHeaders()
    await reading
    request.destroy()
    const told = () => api.lines.map((it) => JSON.parse(it))
    await expect.poll(() => told().map(({ msg }) => msg)).toContain('the caller closed the connection')
    expect(told().filter(({ level }) => level > 30)).toEqual([])
  })
})

describe('a request', () => {
  it('may have a hundred headers at most', async () => {
    const { call } = await testApi()
    const many = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`x-${at}`, '1']))
    // The other two are host and user-agent.
    expect((await call({ url: '/api/v2/ping', headers: many(98) })).statusCode).toBe(200)
    const answer = await call({ url: '/api/v2/ping', headers: many(99) })
    expect([answer.statusCode, answer.json().payload.code]).toEqual([431, 'headers-too-large'])
  })
})
