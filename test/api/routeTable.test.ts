import { writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hashPassword } from '../../src/accounts/passwordHash.ts'
import { formatUserFile } from '../../src/accounts/userFile.ts'
import { createRouteTable, readTarget } from '../../src/api/routeTable.ts'
import type { ServedRoute } from '../../src/api/serve.ts'
import { componentApis } from '../../src/components/componentApis.ts'
import { commonRoutes } from '../../src/contracts/commonRoutes.ts'
import { components } from '../../src/contracts/component.ts'
import { Secret } from '../../src/secrets/secret.ts'
import { portOf } from '../support/https.ts'
import { answersIn, openTcp, openTls, type RawAnswer } from '../support/rawConnection.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'
import { adminLogin, testApi, testCost } from '../support/testApi.ts'
import { settingsIn, start } from '../support/testServer.ts'

const served = (method: 'GET' | 'POST', path: string): ServedRoute => ({
  route: { ...commonRoutes.ping, method, path },
  handle: () => null,
})

const find = createRouteTable([
  served('GET', '/a/{x}/{y}'),
  served('GET', '/a/{x}/last'),
  served('GET', '/a/first/last'),
  served('GET', '/a/{x}'),
  served('POST', '/a/{x}'),
  served('GET', '/b'),
  { ...served('GET', '/closed'), route: { ...commonRoutes.users, path: '/closed' } },
])

describe('the route table', () => {
  it.each([
    ['/b', '/b', {}],
    ['/b/', '/b', {}],
    ['/a/1', '/a/{x}', { x: '1' }],
    ['/a/1/2', '/a/{x}/{y}', { x: '1', y: '2' }],
    ['/a/1/last', '/a/{x}/last', { x: '1' }],
    ['/a/first/last', '/a/first/last', {}],
    ['/a/%66irst/last', '/a/{x}/last', { x: 'first' }],
    ['/a/b%2Fc/%E2%82%AC', '/a/{x}/{y}', { x: 'b/c', y: '€' }],
    ['/a/{x}', '/a/{x}', { x: '{x}' }],
    ['/a/__proto__', '/a/{x}', { x: '__proto__' }],
  ])('finds %s at %s', (path, pattern, params) => {
    const found = find(path)
    expect([found?.resource.path, found?.params]).toEqual([pattern, params])
  })

  it.each([
    '',
    '/',
    '/b//',
    '/closed/',
    '//b',
    '/B',
    '/%62',
    '/a',
    '/a/',
    '/a//last',
    '/a/1/2/3',
    '/a/%zz',
    '/a/%E2%82',
    '/a/%',
  ])('finds no route for %j', (path) => {
    expect(find(path)).toBeUndefined()
  })

  it('knows the methods of a resource', () => {
    expect(find('/a/1')?.resource.allow).toBe('GET, HEAD, POST, OPTIONS')
    expect(find('/b')?.resource.allow).toBe('GET, HEAD, OPTIONS')
  })

  it.each(components)('finds every route of the %s as it is written', (component) => {
    const all = componentApis[component].served
    const table = createRouteTable(all)
    for (const it of all) {
      const found = table(it.route.path.replaceAll(/\{\w+\}/g, 'x'))?.resource
      expect(found?.path).toBe(it.route.path)
      expect(found?.served).toContain(it)
    }
  })
})

describe('the target of a request', () => {
  it.each([
    ['/a/b', { path: '/a/b' }],
    ['/a?b=c?d', { path: '/a', query: 'b=c?d' }],
    ['/a?', { path: '/a', query: '' }],
    ['/%61%2D%2e%5f%7E', { path: '/a-._~' }],
    ['/a%2Fb%3f%23%E2%82%ac', { path: '/a%2Fb%3f%23%E2%82%ac' }],
    ['/a%2561', { path: '/a%2561' }],
    ['/%25%36%31', { path: '/%2561' }],
    ['/%zz%61', { path: '/%zz%61' }],
    ['/a?%61', { path: '/a', query: '%61' }],
    ['/a/%2e%2e/b', { path: '/a/../b' }],
    ['HTTPS://db1:8090/a?b', { path: '/a', query: 'b', origin: { scheme: 'https', authority: 'db1:8090' } }],
    ['http://[::1]', { path: '/', origin: { scheme: 'http', authority: '[::1]' } }],
    ['https://db1?x', { path: '/', query: 'x', origin: { scheme: 'https', authority: 'db1' } }],
    ['/?x=https://db1/', { path: '/', query: 'x=https://db1/' }],
    ['//db1/a', { path: '//db1/a' }],
    ['?x', { path: '', query: 'x' }],
    ['*', { path: '*' }],
  ])('%s is read as %j', (target, parts) => {
    expect(readTarget(target)).toEqual(parts)
  })

  it('keeps its number of separators and its decoded text', () => {
    const piece = fc.oneof(fc.string(), fc.constantFrom('%2F', '%25', '%2e', '%61', '/', '..'))
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const written = `/${pieces.join('').replaceAll('?', '')}`
        const { path } = readTarget(written)
        expect(path.split('/')).toHaveLength(written.split('/').length)
        const decoded = (text: string): string => {
          try {
            return decodeURIComponent(text)
          } catch {
            return `not decodable: ${text}`
          }
        }
        expect(decoded(path)).toBe(decoded(written))
        expect(readTarget(path).path).toBe(path)
      }),
    )
  })
})

/** Sends one request as it is written, over TLS, and returns its answer. */
async function answerTo(port: number, ...lines: readonly string[]): Promise<RawAnswer> {
  const { socket, received } = await openTls(port)
  socket.write([...lines, ...(lines.includes('') ? [] : ['Connection: close', '', ''])].join('\r\n'))
  const [answer] = answersIn(await received)
  if (!answer) throw new Error('the server closed the connection without an answer')
  return answer
}

async function server(): Promise<number> {
  const settings = settingsIn(temporaryFolder(), { allowedHosts: ['db1'] })
  const hash = await hashPassword({ password: new Secret('right'), salt: Buffer.alloc(16), cost: testCost })
  const users = [{ user: 'admin', access: 'full', hash }] as const
  writeFileSync(settings.usersFile, formatUserFile({ version: 1, users }))
  return portOf(await start(settings))
}

const login = `Authorization: ${adminLogin}`
const codeOf = ({ status, body }: RawAnswer): string =>
  status >= 400 && body.startsWith('{') ? `${status} ${JSON.parse(body).payload.code}` : String(status)

describe('a probe of a load balancer', () => {
  it('reaches open calls with HTTP/1.0 and without a Host header', async () => {
    const port = await server()
    for (const path of ['/health/live', '/health/ready', '/api/v2/ping', '/health/live/']) {
      expect([path, codeOf(await answerTo(port, `GET ${path} HTTP/1.0`))]).toEqual([path, '200'])
    }
  })

  it('must name the host in HTTP/1.1, and wherever a login is needed', async () => {
    const port = await server()
    for (const request of [
      ['GET /health/live HTTP/1.1'],
      ['GET /api/v2/users HTTP/1.0', login],
      ['GET /nothing HTTP/1.0', login],
    ]) {
      expect([request[0], codeOf(await answerTo(port, ...request))]).toEqual([request[0], '400 bad-request'])
    }
    expect(codeOf(await answerTo(port, 'GET /health/live HTTP/1.0', 'Host: evil.example'))).toBe(
      '421 unknown-host',
    )
  })
})

describe('a request target in absolute form', () => {
  it('is served by its path, and its authority replaces the Host header', async () => {
    const port = await server()
    const get = async (target: string, ...headers: string[]) =>
      codeOf(await answerTo(port, `GET ${target} HTTP/1.1`, ...headers))
    expect(await get('https://db1:8090/api/v2/users', 'Host: db1', login)).toBe('200')
    expect(await get('HTTPS://DB1/api/v2/users', 'Host: evil.example', login)).toBe('200')
    expect(await get('https://evil.example/api/v2/users', 'Host: db1', login)).toBe('421 unknown-host')
    expect(await get('https://db1.evil.example/api/v2/users', 'Host: db1', login)).toBe('421 unknown-host')
    expect(await get('http://db1/api/v2/users', 'Host: db1', login)).toBe('421 unknown-host')
    expect(await get('https://db1/api/v2/users', login)).toBe('400 bad-request')
    expect(await get('https:///api/v2/users', 'Host: db1', login)).toBe('400 bad-request')
    expect(codeOf(await answerTo(port, 'GET https://db1/api/v2/ping HTTP/1.0'))).toBe('200')
    expect(codeOf(await answerTo(port, 'GET https://evil.example/api/v2/ping HTTP/1.0'))).toBe(
      '421 unknown-host',
    )
  })

  it('is refused without quoting it if it contains a user name', async () => {
    const answer = await answerTo(
      await server(),
      'GET https://admin:hidden@db1/api/v2/ping HTTP/1.1',
      'Host: db1',
    )
    expect(codeOf(answer)).toBe('400 bad-request')
    expect(answer.body).not.toContain('hidden')
  })

  it('is the origin for the cross-site check and for the URLs in the response', async () => {
    const port = await server()
    const body = JSON.stringify({ payloadType: 'credentials', user: 'admin', pass: 'right' })
    const create = (...headers: string[]) =>
      answerTo(
        port,
        'POST https://db1:7/api/v2/createAdminUser?i-am-sure=true HTTP/1.1',
        'Host: localhost',
        login,
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
        'Connection: close',
        ...headers,
        '',
        body,
      )
    expect(codeOf(await create('Origin: https://localhost'))).toBe('403 cross-site')
    const answer = await create('Origin: https://db1:7')
    expect(JSON.parse(answer.body).payload.value).toBe('https://db1:7/api/v2/user/admin')
  })
})

describe('the TLS port', () => {
  it('sends Strict-Transport-Security, and the socket does not', async () => {
    const answer = await answerTo(await server(), 'GET /api/v2/users HTTP/1.1', 'Host: db1')
    expect(answer.headers['strict-transport-security']).toBe('max-age=31536000')
    const api = await testApi({ listener: 'socket' })
    const local = await api.call({ url: '/api/v2/ping' })
    expect(local.headers['strict-transport-security']).toBeUndefined()
  })

  it('responds to plain HTTP with one line about https, quotes nothing of the request and closes', async () => {
    const port = await server()
    const send = async (text: string): Promise<string> => {
      const { socket, received } = await openTcp(port)
      socket.on('end', () => socket.end())
      socket.write(text)
      return (await received).toString()
    }
    const answer = await send(`GET /hidden HTTP/1.1\r\nHost: db1\r\n${login}\r\n\r\n`)
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
    expect(answer.split('\r\n\r\n')[1]).toBe(
      'This port accepts HTTPS only: use https:// instead of http://.\n',
    )
    expect(await send('POST /other HTTP/1.0\r\n\r\n')).toBe(answer)
    expect(await send('nothing that is HTTP\r\n')).not.toContain('HTTP/1.1 200')
    expect(codeOf(await answerTo(port, 'GET /health/live HTTP/1.1', 'Host: db1'))).toBe('200')
  })
})

describe('a percent-encoded unreserved character in a path', () => {
  it('equals the character itself, and gives no access without a login', async () => {
    const port = await server()
    const get = async (path: string, ...headers: string[]) =>
      codeOf(await answerTo(port, `GET ${path} HTTP/1.1`, 'Host: db1', ...headers))
    expect(await get('/api/v2/%75sers', login)).toBe('200')
    expect(await get('/api/v2/%75sers')).toBe('401 login-required')
    expect(await get('/health/%6Cive')).toBe('200')
    expect(await get('/health/live/%2e%2e')).toBe('401 login-required')
    expect(await get('/health/%2e%2e/api/v2/users', login)).toBe('404 not-found')
  })
})
