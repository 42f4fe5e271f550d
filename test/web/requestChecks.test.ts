import { describe, expect, it } from 'vitest'
import { answersIn, openTcp } from '../support/rawConnection.ts'
import { startDashboard } from '../support/testDashboard.ts'

const login = { user: 'ada', password: 'right' }

async function raw(port: number, text: string) {
  const { socket, received } = await openTcp(port)
  socket.end(text, 'latin1')
  return answersIn(await received)[0]
}

describe('the dashboard, attacked by a page of another site,', () => {
  const code = async (headers: (own: ReturnType<typeof Object>) => object) => {
    const { fromPage, post, state } = await startDashboard()
    const response = await post('/dashboard/login', login, { ...headers(fromPage()) })
    return {
      status: response.status,
      body: response.body,
      cookie: response.cookie,
      calls: state.calls.length,
    }
  }
  const refused = { status: 403, body: expect.objectContaining({ code: 'cross-site' }), cookie: undefined }

  it('refuses a form, which cannot set the header of the page', async () => {
    const form = await code(({ Origin }) => ({ Origin, 'Content-Type': 'application/x-www-form-urlencoded' }))
    expect(form).toMatchObject(refused)
  })

  it('refuses a fetch without the header of the page', async () => {
    expect(await code(({ Origin }) => ({ Origin, 'Content-Type': 'application/json' }))).toMatchObject(
      refused,
    )
  })

  it('refuses a body of another type, even with the header of the page', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', undefined]) {
      const { 'Content-Type': _, ...others } = (await startDashboard()).fromPage()
      expect(await code(() => ({ ...others, ...(type ? { 'Content-Type': type } : {}) }))).toMatchObject({
        cookie: undefined,
        status: 403,
      })
      expect(await code((own) => ({ ...own, 'Content-Type': type ?? 'text/plain' }))).toMatchObject({
        status: 415,
        cookie: undefined,
      })
    }
  })

  it('refuses another origin, also of another port, scheme or none', async () => {
    const { port } = await startDashboard()
    const origins = ['http://evil.example', `http://x.localhost:${port}`, 'null', 'https://x.localhost', '']
    for (const Origin of origins)
      expect(await code((own) => ({ ...own, Origin })), Origin).toMatchObject(refused)
  })

  it('refuses a change without an Origin', async () => {
    expect(await code(({ Origin: _, ...own }) => own)).toMatchObject(refused)
  })

  it('refuses what Sec-Fetch-Site calls cross-site, or of another port of the same name', async () => {
    for (const site of ['cross-site', 'same-site', 'none'])
      expect(await code((own) => ({ ...own, 'Sec-Fetch-Site': site })), site).toMatchObject(refused)
  })

  it('refuses to read data for it, and to open a stream', async () => {
    const { logIn, send } = await startDashboard()
    const Cookie = `__Host-muster=${await logIn()}`
    for (const path of ['session', 'events', 'users?cluster=north'])
      for (const headers of [
        { 'Sec-Fetch-Site': 'cross-site' },
        { 'Sec-Fetch-Site': 'same-site' },
        { Origin: 'http://evil.example' },
      ])
        expect(await send(`/dashboard/${path}`, { headers: { Cookie, ...headers } }), path).toMatchObject({
          status: path.startsWith('users') ? 404 : 403,
        })
  })

  it('lets itself be framed, typed and opened by nobody, whatever it answers', async () => {
    const { get, send } = await startDashboard()
    const all = [
      await get('/dashboard/'),
      await get('/dashboard/session'),
      await get('/dashboard/none'),
      await get('/dashboard'),
      await send('/dashboard/', { headers: { Host: 'evil.example' } }),
    ]
    for (const { headers } of all) {
      expect(headers).toMatchObject({
        'content-security-policy':
          "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'; object-src 'none'",
        'x-frame-options': 'DENY',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
      })
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([])
    }
  })
})

describe('the dashboard, reached by a name that is not its own,', () => {
  it('refuses every path, as DNS rebinding leads to', async () => {
    const { send, port, logIn } = await startDashboard()
    const Cookie = `__Host-muster=${await logIn()}`
    const names = [
      'evil.example',
      `evil.example:${port}`,
      `x.localhost:${port + 1}`,
      'x.localhost',
      `127.0.0.1:${port}`,
      '',
    ]
    for (const Host of names)
      for (const path of ['/dashboard/', '/dashboard/app.js', '/dashboard/session'])
        expect(await send(path, { headers: { Host, Cookie } }), `${Host}${path}`).toMatchObject({
          status: 421,
          body: { code: 'unknown-host' },
        })
  })

  it('refuses a target that names another host beside its own Host header', async () => {
    const { port, host } = await startDashboard()
    const answer = await raw(
      port,
      `GET http://evil.example/dashboard/session HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
    )
    expect(answer?.status).toBe(404)
  })
})

describe('the dashboard, sent what two readers understand differently,', () => {
  it('refuses headers that stand twice', async () => {
    const { port, host, logIn } = await startDashboard()
    const cookie = await logIn()
    const get = (more: string) =>
      raw(port, `GET /dashboard/session HTTP/1.1\r\nHost: ${host}\r\n${more}Connection: close\r\n\r\n`)
    expect((await get(`Cookie: __Host-muster=${cookie}\r\n`))?.body).toContain('"in"')
    for (const more of [
      'Host: evil.example\r\n',
      'Origin: http://evil.example\r\nOrigin: http://evil.example\r\n',
      `Cookie: a=1\r\nCookie: __Host-muster=${cookie}\r\n`,
      'Sec-Fetch-Site: same-origin\r\nSec-Fetch-Site: cross-site\r\n',
    ])
      expect(await get(more), more).toMatchObject({ status: 400 })
  })

  it('takes no session of a cookie that is there twice', async () => {
    const { send, logIn } = await startDashboard()
    const cookie = await logIn()
    const twice = await send('/dashboard/session', {
      headers: { Cookie: `__Host-muster=${'A'.repeat(43)}; __Host-muster=${cookie}` },
    })
    expect(twice.body).toMatchObject({ state: 'login' })
  })

  it('refuses a length beside chunks, and a second request hidden in a body', async () => {
    const { port, host, fromPage, state, logIn } = await startDashboard()
    const cookie = await logIn()
    const headers = Object.entries(fromPage(cookie))
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('')
    const hidden = `POST /dashboard/logout HTTP/1.1\r\nHost: ${host}\r\n${headers}Content-Length: 2\r\n\r\n{}`
    const answer = await raw(
      port,
      `POST /dashboard/action HTTP/1.1\r\nHost: ${host}\r\n${headers}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`,
    )
    expect(answer?.status).toBe(400)
    expect(state.calls).toEqual([])
  })
})

describe('the bodies that the dashboard takes', () => {
  it('end at 64 KiB, whether their length is said or not', async () => {
    const { send, fromPage } = await startDashboard()
    const large = JSON.stringify({ user: 'ada', password: 'x'.repeat(70_000) })
    for (const headers of [fromPage(), { ...fromPage(), 'Transfer-Encoding': 'chunked' }])
      expect(await send('/dashboard/login', { method: 'POST', headers, body: large })).toMatchObject({
        status: 413,
        headers: { connection: 'close' },
      })
  })

  it('are JSON in UTF-8 of the members that the call has, and errors quote none of them', async () => {
    const { send, fromPage } = await startDashboard()
    const bodies = [
      ['', 'malformed-json'],
      ['{"user":"ada","password":"s3cret"', 'malformed-json'],
      [Buffer.from([0x22, 0xff, 0x22]), 'malformed-json'],
      ['[]', 'invalid-body'],
      ['{"user":"ada"}', 'invalid-body'],
      ['{"user":"ada","password":"s3cret","extra":1}', 'invalid-body'],
      ['{"user":"ada","password":["s3cret"]}', 'invalid-body'],
      [`${'['.repeat(1000)}${']'.repeat(1000)}`, 'malformed-json'],
    ] as const
    for (const [body, code] of bodies) {
      const response = await send('/dashboard/login', { method: 'POST', headers: fromPage(), body })
      expect(response, String(body)).toMatchObject({ status: 400, body: { code } })
      expect(response.text).not.toContain('s3cret')
    }
  })
})
