import { rm } from 'node:fs/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeAuthority } from '../support/clientCertificate.ts'
import { serveTls } from '../support/loopbackServer.ts'
import { freePort } from '../support/ports.ts'
import { authority, type FakeApi, fakeApi, leaf, type RunOptions, sentinel, workplace } from './support.ts'

let place: Awaited<ReturnType<typeof workplace>>
let api: FakeApi

beforeEach(async () => {
  place = await workplace()
  api = await fakeApi({ admin: sentinel })
  await place.record('alpha', [
    {
      name: 'db1',
      address: '127.0.0.1',
      apis: [{ component: 'manager', address: '0.0.0.0', port: api.port }],
    },
    { name: 'db2', address: '127.0.0.2', apis: [{ component: 'manager', address: '0.0.0.0', port: 1 }] },
  ])
})

afterEach(async () => {
  await api.close()
  await place.remove()
})

const login = { TAPI_USER: 'admin', TAPI_PASSWORD: sentinel }

/** Runs tapi and proves on the way that no password is in what it printed. */
async function tapi(argv: readonly string[], options: RunOptions = {}) {
  const { code, stdout, stderr } = await place.run(argv, options)
  for (const secret of [sentinel, JSON.stringify(sentinel), Buffer.from(sentinel).toString('base64')]) {
    expect(stdout + stderr).not.toContain(secret)
  }
  return { code, stdout, stderr }
}

describe('tapi ping', () => {
  it('finds port and authority by the host name', async () => {
    expect(await tapi(['--host', 'db1', 'ping'])).toEqual({
      code: 0,
      stdout: `db1 manager at https://127.0.0.1:${api.port} answered
  message  Ping test
  host     db1
  pid      4711
  uptime   2 h 3 min
  date     Mon Mar 10 10:12:18 UTC 2025
`,
      stderr: '',
    })
    expect(api.seen).toEqual([{ method: 'GET', url: '/api/v2/ping', login: undefined, body: '' }])
  })

  it('accepts options after the command too, and prints the response unchanged with --json', async () => {
    const { code, stdout, stderr } = await tapi(['ping', '--host', '127.0.0.1', '--json'])
    expect({ code, stderr, json: JSON.parse(stdout) }).toEqual({
      code: 0,
      stderr: '',
      json: {
        payloadType: 'PingPayload',
        payloadVersion: '1',
        payload: {
          message: 'Ping test',
          date: 'Mon Mar 10 10:12:18 UTC 2025',
          hostName: 'db1',
          pid: 4711,
          jvmUptime: 7_384_000,
        },
      },
    })
  })
})

describe('tapi user', () => {
  it('logs in with user and password from the environment', async () => {
    expect(await tapi(['--host', 'db1', 'user', 'admin'], { env: login })).toEqual({
      code: 0,
      stdout: 'user    admin\naccess  full\n',
      stderr: '',
    })
    expect(api.seen.map(({ login, url }) => ({ login, url }))).toEqual([
      { login: `admin:${sentinel}`, url: '/api/v2/user/admin' },
    ])
  })

  it('logs in with a password from a file, from standard input and from a prompt', async () => {
    const file = await place.file('pass', `${sentinel}\n`)
    const argv = ['--host', 'db1', '--user', 'admin', 'user', 'admin']
    expect((await tapi([...argv, '--password-file', file])).code).toBe(0)
    expect((await tapi([...argv, '--password-stdin'], { stdin: `${sentinel}\n` })).code).toBe(0)
    expect(await tapi(argv, { typed: [`${sentinel}\r`] })).toEqual({
      code: 0,
      stdout: 'user    admin\naccess  full\n',
      stderr: 'The password of admin: \n',
    })
    expect(
      await tapi(['--host', 'db1', 'user', 'admin'], { typed: ['admin\n', `${sentinel}\r`] }),
    ).toMatchObject({
      code: 0,
      stderr: 'User: The password of admin: \n',
    })
    expect(api.seen.every((seen) => seen.login === `admin:${sentinel}`)).toBe(true)
  })

  it('shows the problem that the API returns', async () => {
    const wrong = { env: { TAPI_USER: 'admin', TAPI_PASSWORD: 'wrong' } }
    expect(await tapi(['--host', 'db1', 'user', 'admin'], wrong)).toEqual({
      code: 1,
      stdout: '',
      stderr: `error: The user or the password is wrong [401 login-refused]
  Try another.
  request: r-1
`,
    })
    const { code, stdout, stderr } = await tapi(['--host', 'db1', 'user', 'bob', '--json'], { env: login })
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
    expect(JSON.parse(stdout)).toMatchObject({ payloadType: 'ErrorPayload', payload: { code: 'not-found' } })
  })

  it('reports what is missing for a login without a terminal', async () => {
    expect(await tapi(['--host', 'db1', 'user', 'admin'])).toEqual({
      code: 3,
      stdout: '',
      stderr: `error: This call needs a login, and no user is given.
  fix: Name the user with --user, or in the environment as TAPI_USER.
`,
    })
    expect(await tapi(['--host', 'db1', '--user', 'admin', 'user', 'admin'])).toEqual({
      code: 3,
      stdout: '',
      stderr: `error: There is no terminal to ask for the password of admin.
  fix: Pass it with --password-file FILE, with --password-stdin, or in the environment variable TAPI_PASSWORD.
`,
    })
    expect(api.seen).toEqual([])
  })

  it('refuses an invalid user name before it asks anything', async () => {
    expect(await tapi(['--host', 'db1', 'user', 'a/b'], { typed: [] })).toEqual({
      code: 3,
      stdout: '',
      stderr: `error: The user name "a/b" must not contain '/'.
  fix: Choose a name of letters, digits, dots, dashes and underscores.
`,
    })
  })
})

describe('tapi get and post', () => {
  it('get ping, /ping and /api/v2/ping alike, without a login', async () => {
    for (const path of ['ping', '/ping', '/api/v2/ping']) {
      const { code, stdout } = await tapi(['--host', 'db1', 'get', path])
      expect({ code, pid: JSON.parse(stdout).pid }).toEqual({ code: 0, pid: 4711 })
    }
    expect(api.seen.map(({ url }) => url)).toEqual(['/api/v2/ping', '/api/v2/ping', '/api/v2/ping'])
  })

  it('print the payload, and nothing that controls a terminal', async () => {
    expect(await tapi(['--host', 'db1', 'get', 'version'], { env: login })).toEqual({
      code: 0,
      stdout: '{\n  "version": "1.2.3",\n  "component": "manager",\n  "node": "v24.1.0"\n}\n',
      stderr: '',
    })
    expect(await tapi(['--host', 'db1', 'get', 'nothing'], { env: login })).toEqual({
      code: 1,
      stdout: '',
      stderr: `error: The resource does not exist [404 not-found]
  There is nothing at /api/v2/nothing.\\x1b[31m
  request: r-1
`,
    })
  })

  it('add the guard only with --i-am-sure', async () => {
    expect(await tapi(['--host', 'db1', 'post', 'manager/reset'], { env: login })).toEqual({
      code: 1,
      stdout: '',
      stderr: `error: This call makes changes and was not confirmed [400 not-confirmed]
  Repeat it with the query member i-am-sure=true.
  ?i-am-sure: is missing
  request: r-1
`,
    })
    expect(await tapi(['--host', 'db1', 'post', 'manager/reset', '--i-am-sure'], { env: login })).toEqual({
      code: 0,
      stdout: '{\n  "value": true,\n  "changed": true\n}\n',
      stderr: '',
    })
    const urls = ['/api/v2/manager/reset', '/api/v2/manager/reset?i-am-sure=true']
    expect(api.seen.map(({ url }) => url)).toEqual(urls)
  })

  it('send a body from an argument, a file or standard input', async () => {
    const file = await place.file('body.json', '{"a":2}')
    const argv = ['--host', 'db1', 'post', 'manager/reset', '--yes', '--body']
    expect((await tapi([...argv, '{"a":1}'], { env: login })).code).toBe(0)
    expect((await tapi([...argv, `@${file}`], { env: login })).code).toBe(0)
    expect((await tapi([...argv, '-'], { env: login, stdin: '{"a":3}\n' })).code).toBe(0)
    expect(api.seen.map(({ body }) => body)).toEqual(['{"a":1}', '{"a":2}', '{"a":3}'])
  })

  it('refuse a body that is not JSON or that has a password in an argument', async () => {
    const argv = ['--host', 'db1', 'post', 'x', '--body']
    expect(await tapi([...argv, `{"pass":${sentinel}}`], { env: login })).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('error: The body in --body is not valid JSON.\n'),
    })
    expect(await tapi([...argv, JSON.stringify({ payload: { pass: sentinel } })], { env: login })).toEqual({
      code: 3,
      stdout: '',
      stderr: `error: The body contains a password, and every user of this machine can read arguments.
  fix: Use --body @FILE, or --body - for standard input. Change the password: it was exposed.
`,
    })
    expect(await tapi([...argv, '-', '--password-stdin'], { env: login })).toMatchObject({ code: 3 })
    expect(api.seen).toEqual([])
  })
})

describe('tapi create-admin-user', () => {
  const other = 'new-passwörd'

  it('needs no login on a host without users', async () => {
    api.users.clear()
    const file = await place.file('new', sentinel)
    expect(
      await tapi(['--host', 'db1', 'create-admin-user', 'bob', '--i-am-sure', '--new-password-file', file]),
    ).toEqual({
      code: 0,
      stdout: `https://127.0.0.1:${api.port}/api/v2/user/bob
This changed only db1. Other hosts of alpha: db2; --all creates the user on all of them.
`,
      stderr: '',
    })
    expect(Object.fromEntries(api.users)).toEqual({ bob: sentinel })
    expect(api.seen.map(({ method, url, login }) => ({ method, url, login }))).toEqual([
      { method: 'POST', url: '/api/v2/createAdminUser?i-am-sure=true', login: undefined },
    ])
  })

  it('asks on a terminal for confirmation, the new password twice, and the login if the host needs one', async () => {
    const typed = ['yes\n', `${other}\r`, `${other}\r`, 'admin\n', `${sentinel}\r`]
    expect(await tapi(['--host', 'db1', 'create-admin-user', 'bob'], { typed })).toMatchObject({
      code: 0,
      stderr: `Create the user bob on db1 manager at https://127.0.0.1:${api.port}, or change its password? [yes/no] \
The new password of bob: \nThe new password of bob, again: \nUser: The password of admin: \n`,
    })
    expect(api.users.get('bob')).toBe(other)
    expect(api.seen.map(({ login }) => login)).toEqual([undefined, `admin:${sentinel}`])
  })

  it('without NAME creates --user as the first user, and needs no login', async () => {
    api.users.clear()
    const argv = ['--host', 'db1', '--user', 'bob', 'create-admin-user', '--yes']
    expect((await tapi(argv, { env: { TAPI_PASSWORD: sentinel } })).code).toBe(0)
    expect(Object.fromEntries(api.users)).toEqual({ bob: sentinel })
    expect(api.seen.map(({ login }) => login)).toEqual([undefined])
  })

  it('without NAME explains how to continue if the host already has a user, and changes nothing', async () => {
    const before = Object.fromEntries(api.users)
    const argv = ['--host', 'db1', '--user', 'bob', 'create-admin-user', '--yes']
    const { code, stderr } = await tapi(argv, { env: { TAPI_PASSWORD: other } })
    expect(code).toBe(1)
    expect(stderr).toContain('name the user to create after create-admin-user')
    expect(Object.fromEntries(api.users)).toEqual(before)
  })

  it('without NAME changes the password of --user if a new one is given', async () => {
    const env = { TAPI_PASSWORD: sentinel, TAPI_NEW_PASSWORD: other }
    const argv = ['--host', 'db1', '--user', 'admin', 'create-admin-user', '--yes']
    expect((await tapi(argv, { env })).code).toBe(0)
    expect(api.users.get('admin')).toBe(other)
    expect(api.seen.map(({ login }) => login)).toEqual([`admin:${sentinel}`])
  })

  it('logs in at once with --user', async () => {
    const env = { TAPI_PASSWORD: sentinel, TAPI_NEW_PASSWORD: other }
    const argv = ['--host', 'db1', '--user', 'admin', 'create-admin-user', 'bob', '--yes']
    expect((await tapi(argv, { env })).code).toBe(0)
    expect(api.seen.map(({ login }) => login)).toEqual([`admin:${sentinel}`])
  })

  it('changes nothing without confirmation', async () => {
    const argv = ['--host', 'db1', 'create-admin-user', 'bob']
    expect(await tapi(argv, { typed: ['no\n'] })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Nothing was changed.\n'),
    })
    expect(await tapi(argv, { env: { TAPI_NEW_PASSWORD: other } })).toEqual({
      code: 3,
      stdout: '',
      stderr: `error: create-admin-user changes db1 manager at https://127.0.0.1:${api.port}, and there is no terminal to ask.
  fix: Confirm it with --i-am-sure.
`,
    })
    expect(api.seen).toEqual([])
  })

  it('explains how to log in if it cannot ask', async () => {
    const argv = ['--host', 'db1', 'create-admin-user', 'bob', '--yes']
    expect(await tapi(argv, { env: { TAPI_NEW_PASSWORD: other } })).toEqual({
      code: 1,
      stdout: '',
      stderr: `error: This call needs a user and a password [401 login-required]
  Send them.
  request: r-1
  fix: db1 manager at https://127.0.0.1:${api.port} already has a user: log in with --user and --password-file.
`,
    })
  })

  it('refuses two passwords from one standard input, and an invalid password', async () => {
    const argv = ['--host', 'db1', 'create-admin-user', 'bob', '--yes']
    expect(await tapi([...argv, '--new-password-stdin', '--password-stdin'])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('cannot both read standard input'),
    })
    expect(await tapi(argv, { env: { TAPI_NEW_PASSWORD: 'x'.repeat(1025) } })).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('error: The new password has 1025 characters; the maximum is 1024.\n'),
    })
  })
})

describe('the trust of tapi in a host', () => {
  it('needs --ca for a host without a record, and the error says so', async () => {
    const argv = ['--host', 'localhost', '--port', String(api.port), 'ping']
    expect(await tapi(argv)).toEqual({
      code: 1,
      stdout: '',
      stderr: `error: The certificate of https://localhost:${api.port} is not signed by an authority that this call trusts. [certificate-untrusted]
  fix: No cluster with localhost is recorded. \`muster status FILE\` records an installed cluster for the user who runs it, as \`muster install\` does; or use --ca FILE with its authority: authority.crt in .muster/<cluster>/ beside the YAML file.
`,
    })
    await place.file('authority.crt', authority.certificate)
    expect((await tapi([...argv, '--ca', 'authority.crt'])).code).toBe(0)
  })

  it('ignores the record if --ca names another authority', async () => {
    const file = await place.file('other.crt', makeAuthority().certificate)
    expect(await tapi(['--host', 'db1', 'ping', '--ca', file])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('fix: Use --ca with the authority that signed it;'),
    })
    const text = await place.file('text', 'nothing')
    expect(await tapi(['--host', 'db1', 'ping', '--ca', text])).toEqual({
      code: 3,
      stdout: '',
      stderr: `error: ${text} contains no readable PEM certificate.
  fix: Use --ca with the certificate of the authority, a file with a BEGIN CERTIFICATE line.
`,
    })
    expect(await tapi(['--host', 'db1', 'ping', '--ca', 'nowhere'])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining(`cannot be read from ${place.home}/nowhere: no such file or folder.\n`),
    })
  })

  it('accepts any certificate with --insecure, and a warning says so', async () => {
    const argv = ['--host', 'localhost', '--port', String(api.port), '--insecure', 'get', 'version']
    expect(await tapi(argv, { env: login })).toMatchObject({
      code: 0,
      stderr: `warning: --insecure: the certificate of localhost manager at https://localhost:${api.port} is not verified. Any server that answers there can read the password.\n`,
    })
    expect(await tapi([...argv, '--ca', 'x'], { env: login })).toMatchObject({ code: 3 })
  })

  it('protects the password: an untrusted host never receives it', async () => {
    const argv = ['--host', 'localhost', '--port', String(api.port), 'get', 'version']
    expect((await tapi(argv, { env: login })).code).toBe(1)
    expect(api.seen).toEqual([])
  })
})

describe('tapi, choosing a host,', () => {
  it('lists all matches if there are several', async () => {
    await place.record('beta', [{ name: 'db1', address: '10.9.9.9', apis: [] }])
    expect(await tapi(['--host', 'db1', 'ping'])).toEqual({
      code: 3,
      stdout: '',
      stderr: `error: db1 matches 2 clusters:
  alpha  ${place.folderOf('alpha')}
  beta   ${place.folderOf('beta')}
  fix: Call from the folder of the cluster, or select one, for example with --cluster alpha.
`,
    })
    expect((await place.run(['--host', 'db1', 'ping'], { cwd: place.folderOf('alpha') })).code).toBe(0)
    expect((await tapi(['--host', 'db1', '--cluster', 'alpha', 'ping'])).code).toBe(0)
    expect(await tapi(['--host', 'db1', '--cluster', 'gamma', 'ping'])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining(
        'error: There is no record of a cluster gamma. Recorded: alpha, beta.\n',
      ),
    })
    expect(await tapi(['--host', 'db7', '--cluster', 'alpha', 'ping'])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('error: Cluster alpha has no host db7. It has: db1, db2.\n'),
    })
  })

  it('removes the record of a cluster whose folder no longer exists, with one note', async () => {
    await place.record('beta', [{ name: 'db1', address: '10.9.9.9', apis: [] }])
    await rm(place.folderOf('beta'), { recursive: true })
    expect(await tapi(['--host', 'db1', 'ping'])).toMatchObject({
      code: 0,
      stderr: `note: removed the record of cluster beta: its folder ${place.folderOf('beta')} no longer exists\n`,
    })
    expect(await tapi(['--host', 'db1', 'ping'])).toMatchObject({ code: 0, stderr: '' })
  })

  it('explains how to record an unknown host', async () => {
    expect(await tapi(['--host', 'nowhere.invalid', 'ping'])).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('`muster status FILE` records an installed cluster'),
    })
  })

  it('wraps its help between words at 60 columns', async () => {
    const { stdout } = await place.run(['--help'], { columns: 60 })
    expect(stdout).toContain('TAPI_PASSWORD')
    expect(stdout.split('\n').filter((line) => line.length > 60)).toEqual([])
  })

  it('fills the lines of the text after its help up to the width of the terminal', async () => {
    const footer = async (columns?: number) => {
      const { stdout } = await place.run(['--help'], columns === undefined ? {} : { columns })
      const [text = ''] = stdout
        .slice(stdout.indexOf('The password of --user comes'))
        .split(/\n\n\S*Examples:/)
      return text.split('\n')
    }
    for (const columns of [undefined, 60, 80, 100]) {
      const lines = await footer(columns)
      for (const [index, line] of lines.entries()) {
        const [word = ''] = lines[index + 1]?.split(' ') ?? []
        const isEnd = index === lines.length - 1 || word === 'Exit'
        expect(isEnd || `${line} ${word}`.length > (columns ?? 80)).toBe(true)
      }
      expect(lines.join(' ')).toContain('the environment variable TAPI_PASSWORD, or a prompt')
    }
  })

  it('lists the components of a host', async () => {
    expect(await tapi(['--host', 'db1', '--component', 'connector', 'ping'])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining(
        `error: db1 of cluster alpha has no connector API. It has: manager (${api.port}).\n`,
      ),
    })
  })

  it('explains a refused connection to an API that listens on loopback of another host', async () => {
    const port = await freePort()
    await place.record('gamma', [
      { name: 'db9', address: '127.0.0.9', apis: [{ component: 'replicator', address: '127.0.0.1', port }] },
    ])
    expect(await tapi(['--host', 'db9', 'ping'])).toEqual({
      code: 4,
      stdout: '',
      stderr: `error: The connection to https://127.0.0.9:${port} was refused: nothing listens there. [refused]
  fix: The replicator API of db9 listens on loopback only: call it on db9 itself, or set replicator-rest-api-address in the YAML file and run \`muster install\`.
`,
    })
  })

  it('skips an invalid record with a warning', async () => {
    await place.file('config/muster/clusters/broken.json', '{')
    const { code, stderr } = await tapi(['--host', 'db1', 'ping'])
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: `warning: The cluster record ${place.dir}/broken.json is skipped: it is not valid JSON. Run \`muster status\` to replace it.\n`,
    })
  })
})

describe('tapi', () => {
  it('exits with 4 if nothing responds, with the error as JSON on request', async () => {
    const port = String(await freePort())
    const { code, stdout, stderr } = await tapi(['--host', 'db1', '--port', port, 'ping', '--json'])
    expect({ code, stderr, json: JSON.parse(stdout) }).toEqual({
      code: 4,
      stderr: '',
      json: {
        error: {
          code: 'refused',
          message: `The connection to https://127.0.0.1:${port} was refused: nothing listens there.`,
          fix: 'Check the address and the port, and that the API runs and listens on that address.',
        },
      },
    })
    const mute = await serveTls(leaf, () => {})
    try {
      const argv = ['--host', 'db1', '--port', String(mute.port), '--timeout', '200ms', 'ping']
      expect(await tapi(argv)).toMatchObject({
        code: 4,
        stderr: expect.stringContaining('did not answer within 0.2 s. [timeout]'),
      })
    } finally {
      await mute.close()
    }
  })

  it('exits with 1 if another program responds', async () => {
    const other = await serveTls(leaf, (_message, answer) => answer.end('hello'))
    try {
      const argv = ['--host', 'db1', '--port', String(other.port), 'ping']
      expect(await tapi(argv)).toMatchObject({ code: 1, stderr: expect.stringContaining('[bad-answer]') })
    } finally {
      await other.close()
    }
  })

  it('exits with 130 if it is interrupted: at a prompt, and while it waits for a response', async () => {
    const argv = ['--host', 'db1', 'user', 'admin', '--user', 'admin']
    expect(await tapi(argv, { typed: ['half\u0003'] })).toEqual({
      code: 130,
      stdout: '',
      stderr: 'The password of admin: \n',
    })
    const abort = new AbortController()
    const mute = await serveTls(leaf, () => abort.abort())
    try {
      const waiting = ['--host', 'db1', '--port', String(mute.port), 'ping', '--json']
      expect(await tapi(waiting, { signal: abort.signal })).toEqual({ code: 130, stdout: '', stderr: '' })
    } finally {
      await mute.close()
    }
  })

  it.each([
    [[], 3, 'Usage: tapi'],
    [['ping'], 3, 'error: --host is missing.'],
    [['--host', 'https://db1', 'ping'], 3, 'error: --host takes a name or an address, not a URL.'],
    [['--host', 'db1:8090', 'ping'], 3, 'error: --host takes no port.'],
    [['--host', 'db1', '--component', 'x', 'ping'], 3, 'error: "x" is not a component.'],
    [['--host', 'db1', '--port', '0', 'ping'], 3, 'error: --port takes a whole number from 1 to 65535'],
    [['--host', 'db1', '--timeout', '10', 'ping'], 3, 'error: --timeout takes a duration with a unit'],
    [['--host', 'db1', '--user', 'a:b', 'ping'], 3, 'error: A user name must not be empty'],
    [['--host', 'db1', 'frobnicate'], 3, "error: unknown command 'frobnicate'\n  fix: See `tapi --help`.\n"],
    [['ping', 'db1'], 3, 'fix: Did you mean --host db1? Otherwise see `tapi ping --help`.\n'],
    [['--host', 'db1', 'replicator', 'onlin'], 3, 'fix: Did you mean `tapi replicator online`?'],
    [['help', 'replicator', 'onlin'], 3, 'fix: Did you mean `tapi replicator online`?'],
    [['--host', 'db1', 'user'], 3, "error: missing required argument 'name'"],
    [['--host', 'db1', 'ping', '--frob=x'], 3, "error: unknown option '--frob'\n"],
  ])('exits with 3 for wrong usage: %j', async (argv, code, message) => {
    expect(await tapi(argv)).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(message) })
  })

  it('prints each call with its status with --verbose, and nothing of its content', async () => {
    const { code, stdout, stderr } = await tapi(['--host', 'db1', 'ping', '-v'])
    expect(code).toBe(0)
    expect(stdout).toEqual((await tapi(['--host', 'db1', 'ping'])).stdout)
    expect(stderr).toMatch(/^db1 manager at https:\S+: GET \/api\/v2\/\S*ping: 200 \(\d+ ms\)\n$/)
  })

  it('exits with 0 for help and version', async () => {
    expect(await tapi(['--version'])).toEqual({ code: 0, stdout: '9.9.9\n', stderr: '' })
    expect(await tapi(['version'])).toEqual({ code: 0, stdout: '9.9.9\n', stderr: '' })
    expect(await tapi(['help', 'map', 'show'])).toEqual(await tapi(['map', 'show', '--help']))
    expect((await tapi(['help'])).stdout).toMatch(/^Usage: tapi /)
    // --help lists what the index says of commands that are not loaded, help what their definitions say.
    expect(await tapi(['help'])).toEqual(await tapi(['--help']))
    const { code, stdout } = await tapi(['post', '--help'])
    expect(code).toBe(0)
    expect(stdout).toContain(' --password-file ')
    expect(stdout).not.toMatch(/--password[ ,[]/)
  })
})

describe('a password in an argument of tapi', () => {
  it.each([
    [['-p', sentinel, '--host', 'db1', 'ping']],
    [['--host', 'db1', 'ping', `-p${sentinel}`]],
    [['--host', 'db1', 'ping', `--password=${sentinel}`]],
    [['--host', 'db1', '--password', sentinel, 'ping']],
    [['--host', 'db1', 'ping', '--pass', sentinel]],
    [['--host', 'db1', 'create-admin-user', 'bob', '--new-password', sentinel]],
  ])('is refused with one message: %#', async (argv) => {
    expect(await tapi(argv)).toEqual({
      code: 3,
      stdout: '',
      stderr: `error: A password cannot be an argument: every user of this machine can read the arguments of a program.
  fix: Use --password-file FILE, --password-stdin, TAPI_PASSWORD or the prompt. If it was a real password, change it.
`,
    })
  })

  it.each([
    [`--passwrd=${sentinel}`],
    [`-q${sentinel}`],
    [`-qletters-${sentinel}`],
    [`-z${sentinel}`],
    [`--passwrd=it's ${sentinel}`],
  ])('is not printed even after a mistyped option: %#', async (argument) => {
    const { code, stderr } = await tapi(['--host', 'db1', 'ping', argument])
    expect(code).toBe(3)
    expect(stderr).not.toContain('letters')
    expect(stderr).toMatch(/^error: unknown option '(--passwrd|-…)'\n/)
  })
})
