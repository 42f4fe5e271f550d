import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { hashPassword } from '../../src/accounts/passwordHash.ts'
import { parseUserFile } from '../../src/accounts/userFile.ts'
import { processStartTime } from '../../src/base/processIdentity.ts'
import type { ServerSettings } from '../../src/contracts/serverSettings.ts'
import { Secret } from '../../src/secrets/secret.ts'
import { eventually } from '../support/eventually.ts'
import { fetchAt } from '../support/https.ts'
import { createServerCertificate } from '../support/serverCertificate.ts'
import { serverProgram } from '../support/serverProgram.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'
import { basic, testCost } from '../support/testApi.ts'

const certificate = createServerCertificate()
/** An empty folder with the program in it, as on a database host. */
function hostFolder(): string {
  const folder = temporaryFolder()
  copyFileSync(serverProgram, join(folder, 'muster-api.cjs'))
  return folder
}

function start(folder: string, args: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, ['muster-api.cjs', ...args], { cwd: folder, stdio: 'pipe', env: {} })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

async function run(folder: string, args: readonly string[], stdin = '') {
  const child = start(folder, args)
  child.stdin?.on('error', () => undefined)
  child.stdin?.end(stdin)
  if (!child.stdout || !child.stderr) throw new Error('no pipes')
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ])
  return { code, stdout, stderr }
}

function writeSettings(folder: string, more: Partial<ServerSettings> = {}): ServerSettings {
  const settings: ServerSettings = {
    version: 1,
    cluster: 'alpha',
    host: 'db1',
    component: 'connector',
    listen: { address: '127.0.0.1', port: 0 },
    socket: join(folder, 'api.sock'),
    tls: { key: join(folder, 'key.pem'), chain: join(folder, 'chain.pem') },
    usersFile: join(folder, 'users.json'),
    allowedHosts: [],
    remoteBootstrap: false,
    logLevel: 'info',
    pidFile: join(folder, 'api.pid'),
    ...more,
  }
  writeFileSync(settings.tls.key, certificate.key)
  writeFileSync(settings.tls.chain, certificate.chain)
  writeFileSync(join(folder, 'settings.json'), JSON.stringify(settings))
  return settings
}

/** Starts the server and waits for the log line that says that it serves. */
async function serve(folder: string): Promise<{ child: ChildProcess; port: number; log: string[] }> {
  const child = start(folder, ['serve', '--settings', 'settings.json'])
  if (!child.stdout || !child.stderr) throw new Error('no pipes')
  const complaint = text(child.stderr)
  const log: string[] = []
  const port = await new Promise<number>((resolve, reject) => {
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      log.push(line)
      const { msg, port: itsPort } = JSON.parse(line)
      if (msg === 'serving') resolve(itsPort)
    })
    child.once('exit', () => void complaint.then((words) => reject(new Error(words))))
  })
  return { child, port, log }
}

const record = async (user: string, password: string): Promise<string> =>
  JSON.stringify({
    user,
    hash: await hashPassword({ password: new Secret(password), salt: Buffer.alloc(16), cost: testCost }),
  })

describe('muster-api', () => {
  it('prints its version and its help', async () => {
    const folder = hostFolder()
    expect(await run(folder, ['version'])).toEqual({
      code: 0,
      stdout: `${packageJson.version}\n`,
      stderr: '',
    })
    const help = await run(folder, ['--help'])
    expect([help.code, help.stderr]).toEqual([0, ''])
    expect(help.stdout).toMatch(/^muster-api: the REST API/)
  })

  it.each([
    [[], 'a command is missing'],
    [['start'], "no command is named 'start'"],
    [['serve'], 'the option --settings FILE is missing'],
    [['serve', '--settings', 'a', '--settings', 'b'], 'the option --settings is given more than once'],
    [['put-user', '--file'], /argument missing/],
    [['serve', '--settings', 'x', 'y'], /Unexpected argument 'y'/],
    [['call', '--now'], "unexpected argument '--now'"],
  ])('exits with 3 for the arguments %j', async (args, message) => {
    const { code, stdout, stderr } = await run(hostFolder(), args)
    expect([code, stdout]).toEqual([3, ''])
    expect(stderr).toMatch(message)
    expect(stderr).toMatch(/^muster-api: .*; see muster-api --help\n$/)
  })

  it('is a bundle below its size limit', () => {
    expect(statSync(serverProgram).size).toBeLessThan(4 * 1024 * 1024)
  })
})

describe('muster-api serve', () => {
  it('serves from an empty folder, writes its pid file and stops cleanly', async () => {
    const folder = hostFolder()
    const settings = writeSettings(folder)
    await run(folder, ['put-user', '--file', 'users.json'], await record('admin', 'right'))
    const { child, port, log } = await serve(folder)
    const place = { port, ca: certificate.chain }
    const headers = { authorization: basic('admin', 'right') }
    const version = JSON.parse((await fetchAt(place, { path: '/api/v2/version', headers })).body)
    expect(version.payload).toEqual({
      version: packageJson.version,
      component: 'connector',
      node: process.version,
    })
    const pid = readFileSync(join(folder, 'api.pid'), 'utf8')
    expect(pid).toBe(
      `${child.pid} ${processStartTime(child.pid ?? 0)} ${readlinkSync(`/proc/${child.pid}/exe`)}\n`,
    )
    expect(statSync(settings.socket).mode & 0o777).toBe(0o600)

    child.kill('SIGTERM')
    // Not at its exit: its last lines may still be on their way then.
    expect(await once(child, 'close')).toEqual([0, null])
    expect([existsSync(settings.socket), existsSync(join(folder, 'api.pid'))]).toEqual([false, false])
    const lines = log.map((line) => JSON.parse(line))
    expect(lines.map(({ msg }) => msg)).toContain('stopping')
    for (const line of lines)
      expect(line).toMatchObject({ cluster: 'alpha', host: 'db1', component: 'connector' })
    expect(log.join('')).not.toContain(headers.authorization.slice('Basic '.length))
  })

  it('serves a new certificate after SIGHUP without a restart', async () => {
    const folder = hostFolder()
    const settings = writeSettings(folder)
    const { child, port, log } = await serve(folder)
    const refusals = () => log.filter((line) => line.includes('the new certificate was rejected'))
    writeFileSync(settings.tls.key, 'not a key')
    child.kill('SIGHUP')
    await eventually(() => expect(refusals()).not.toEqual([]))
    // What is as it was before it would not read by itself.
    const before = refusals().length
    child.kill('SIGHUP')
    await eventually(() => expect(refusals().length).toBeGreaterThan(before))
    const next = createServerCertificate()
    writeFileSync(settings.tls.key, next.key)
    writeFileSync(settings.tls.chain, next.chain)
    child.kill('SIGHUP')
    await eventually(async () =>
      expect((await fetchAt({ port, ca: next.chain }, { path: '/api/v2/ping' })).status).toBe(200),
    )
    expect(child.exitCode).toBeNull()
  })

  it('starts again after it was killed', async () => {
    const folder = hostFolder()
    writeSettings(folder)
    const first = await serve(folder)
    first.child.kill('SIGKILL')
    await once(first.child, 'exit')
    const second = await serve(folder)
    expect(
      (await fetchAt({ port: second.port, ca: certificate.chain }, { path: '/api/v2/ping' })).status,
    ).toBe(200)
    expect(readFileSync(join(folder, 'api.pid'), 'utf8')).toContain(`${second.child.pid} `)
  })

  it('check validates the settings without starting a server', async () => {
    const folder = hostFolder()
    const settings = writeSettings(folder)
    const check = () => run(folder, ['check', '--settings', 'settings.json'])
    expect(await check()).toEqual({ code: 0, stdout: '', stderr: '' })
    writeFileSync(join(folder, 'settings.json'), JSON.stringify({ ...settings, fromTheFuture: 1 }))
    expect(await check()).toEqual({
      code: 1,
      stdout: '',
      stderr: 'muster-api: the settings settings.json cannot be used: /fromTheFuture is not a known member\n',
    })
    expect(existsSync(join(folder, 'api.pid'))).toBe(false)
  })

  it('reports in one line why it cannot start', async () => {
    const folder = hostFolder()
    const failure = async (): Promise<string> => {
      const { code, stderr } = await run(folder, ['serve', '--settings', 'settings.json'])
      expect(code).toBe(1)
      expect(existsSync(join(folder, 'api.pid'))).toBe(false)
      return stderr
    }
    expect(await failure()).toBe(
      'muster-api: cannot read the settings settings.json: no such file or folder\n',
    )
    const settings = writeSettings(folder)
    writeFileSync(join(folder, 'settings.json'), JSON.stringify({ ...settings, component: 'x' }))
    expect(await failure()).toBe(
      'muster-api: the settings settings.json cannot be used: /component must be one of "manager", "connector", "replicator"\n',
    )
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    onTestFinished(() => void other.close())
    const taken = other.address()
    const port = typeof taken === 'object' ? (taken?.port ?? 0) : 0
    writeSettings(folder, { listen: { address: '127.0.0.1', port } })
    expect(await failure()).toBe(
      `muster-api: cannot listen on 127.0.0.1:${port}: another program uses this port; stop it or choose another port\n`,
    )
    rmSync(settings.tls.key)
    writeFileSync(join(folder, 'settings.json'), JSON.stringify(settings))
    expect(await failure()).toBe(
      `muster-api: cannot read the private key ${settings.tls.key}: no such file or folder\n`,
    )
  })

  describe.skipIf(process.geteuid?.() !== 0)('started by root for another user (needs root)', () => {
    const uid = (): number => Number(execFileSync('id', ['-u', 'nobody'], { encoding: 'utf8' }))
    const gid = (): number => Number(execFileSync('id', ['-g', 'nobody'], { encoding: 'utf8' }))

    it('drops its privileges before it opens anything', async () => {
      const folder = hostFolder()
      const settings = writeSettings(folder, { user: 'nobody' })
      const given = [folder, settings.tls.key, settings.tls.chain, join(folder, 'settings.json')]
      for (const path of given) chownSync(path, uid(), gid())
      chmodSync(join(folder, 'muster-api.cjs'), 0o644)
      const { child } = await serve(folder)
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
      expect(status).toMatch(new RegExp(`^Uid:\\t${uid()}\\t${uid()}\\t${uid()}\\t${uid()}$`, 'm'))
      expect(status).toMatch(new RegExp(`^Gid:\\t${gid()}\\t${gid()}\\t${gid()}\\t${gid()}$`, 'm'))
      expect(status).toMatch(new RegExp(`^Groups:\\t${gid()} ?$`, 'm'))
      expect(statSync(settings.socket).uid).toBe(uid())
      expect(statSync(join(folder, 'api.pid')).uid).toBe(uid())
    })

    it('refuses an unknown user, and a port that only root may open', async () => {
      const folder = hostFolder()
      writeSettings(folder, { user: 'no-such-user' })
      const missing = await run(folder, ['serve', '--settings', 'settings.json'])
      expect([missing.code, missing.stderr]).toEqual([
        1,
        'muster-api: the user no-such-user from the settings is not in /etc/passwd; create it first\n',
      ])
      writeSettings(folder, { user: 'nobody', listen: { address: '127.0.0.1', port: 443 } })
      const privileged = await run(folder, ['serve', '--settings', 'settings.json'])
      expect([privileged.code, privileged.stderr]).toEqual([
        1,
        'muster-api: only root can open port 443, and the server runs as nobody; choose port 1024 or higher\n',
      ])
    })
  })
})

describe('muster-api put-user', () => {
  it('adds and replaces a user, and reports if anything changed', async () => {
    const folder = hostFolder()
    const put = async (line: string) => run(folder, ['put-user', '--file', 'users.json'], line)
    expect(await put(await record('admin', 'a'))).toEqual({
      code: 0,
      stdout: '{"changed":true}\n',
      stderr: '',
    })
    expect((await put(await record('admin', 'a'))).stdout).toBe('{"changed":false}\n')
    expect((await put(await record('admin', 'b'))).stdout).toBe('{"changed":true}\n')
    expect(statSync(join(folder, 'users.json')).mode & 0o777).toBe(0o600)
  })

  it('adds a list of users, and take-back-user reverts the whole list', async () => {
    const folder = hostFolder()
    const put = await Promise.all(['admin', 'ops'].map((user) => record(user, 'x')))
    const names = (): readonly string[] =>
      parseUserFile(readFileSync(join(folder, 'users.json'), 'utf8')).users.map(({ user }) => user)
    const written = await run(folder, ['put-user', '--file', 'users.json'], `[${put}]`)
    expect(written.stdout).toBe('{"changed":true}\n')
    expect(names()).toEqual(['admin', 'ops'])
    const bare = put.map((line) => {
      const { user, hash } = JSON.parse(line)
      return { user, hash }
    })
    const taken = await run(folder, ['take-back-user', '--file', 'users.json'], JSON.stringify(bare))
    expect(taken.stdout).toBe('{"changed":true}\n')
    expect(names()).toEqual([])
    // One that is wrong leaves the others unwritten.
    const { code } = await run(folder, ['put-user', '--file', 'users.json'], `[${put[0]},{"user":"x"}]`)
    expect([code, names()]).toEqual([1, []])
  })

  it('keeps the users of three concurrent writers', async () => {
    const folder = hostFolder()
    const users = ['a', 'b', 'c']
    const results = await Promise.all(
      users.map(async (user) => run(folder, ['put-user', '--file', 'users.json'], await record(user, 'x'))),
    )
    expect(results.map(({ stdout }) => stdout)).toEqual(users.map(() => '{"changed":true}\n'))
    const file = parseUserFile(readFileSync(join(folder, 'users.json'), 'utf8'))
    expect(file.users.map(({ user }) => user).sort()).toEqual(users)
  })

  it.each([
    ['', 'it is not JSON'],
    ['{"user":"a","hash":"plain"}', "user 'a' has no hash of the form $scrypt$ln=…,r=…,p=…$salt$hash"],
    ['{"user":"a"}', "user 'a' has no hash of the form $scrypt$ln=…,r=…,p=…$salt$hash"],
  ])('refuses the input %j', async (line, message) => {
    const folder = hostFolder()
    const { code, stderr } = await run(folder, ['put-user', '--file', 'users.json'], line)
    expect([code, stderr]).toEqual([1, `muster-api: standard input contains no user: ${message}\n`])
    expect(existsSync(join(folder, 'users.json'))).toBe(false)
  })

  it('refuses a user name with reserved characters', async () => {
    const line = await record('a:b', 'x')
    const { code, stderr } = await run(hostFolder(), ['put-user', '--file', 'users.json'], line)
    expect([code, stderr]).toEqual([
      1,
      "muster-api: standard input contains no user: the user name must not contain ':'\n",
    ])
  })
})

describe('muster-api take-back-user', () => {
  it('undoes put-user under the lock of the file, and keeps later changes', async () => {
    const folder = hostFolder()
    const at = (command: string) => [command, '--file', 'users.json']
    const [old, put, later] = await Promise.all(['a', 'b', 'c'].map((password) => record('admin', password)))
    const hashOf = (line = '{}'): string => JSON.parse(line).hash
    const takeBack = (before?: string) =>
      run(folder, at('take-back-user'), JSON.stringify({ user: 'admin', hash: hashOf(put), before }))
    const admin = () => parseUserFile(readFileSync(join(folder, 'users.json'), 'utf8')).users[0]?.hash
    await run(folder, at('put-user'), put)
    expect(await takeBack(hashOf(old))).toEqual({ code: 0, stdout: '{"changed":true}\n', stderr: '' })
    expect(admin()).toBe(hashOf(old))
    await run(folder, at('put-user'), later)
    expect((await takeBack(hashOf(old))).stdout).toBe('{"changed":false}\n')
    expect(admin()).toBe(hashOf(later))
    await run(folder, at('put-user'), put)
    expect((await takeBack()).stdout).toBe('{"changed":true}\n')
    expect(admin()).toBeUndefined()
    const { code, stderr } = await run(folder, at('take-back-user'), '{"user":"admin"}')
    expect([code, stderr]).toEqual([
      1,
      "muster-api: standard input contains no user: user 'admin' has no hash of the form $scrypt$ln=…,r=…,p=…$salt$hash\n",
    ])
  })
})

describe('muster-api remove-user', () => {
  it('removes a user with an unchanged hash, take-back-user restores it, and a later password stays', async () => {
    const folder = hostFolder()
    const at = (command: string) => [command, '--file', 'users.json']
    const [seen, later, ops] = await Promise.all([record('zoe', 'a'), record('zoe', 'b'), record('ops', 'c')])
    const names = (): readonly string[] =>
      parseUserFile(readFileSync(join(folder, 'users.json'), 'utf8')).users.map(({ user }) => user)
    await run(folder, at('put-user'), `[${ops},${later}]`)
    expect((await run(folder, at('remove-user'), seen)).stdout).toBe('{"changed":false}\n')
    await run(folder, at('put-user'), seen)
    expect(await run(folder, at('remove-user'), seen)).toEqual({
      code: 0,
      stdout: '{"changed":true}\n',
      stderr: '',
    })
    expect(names()).toEqual(['ops'])
    const { hash: before } = JSON.parse(seen ?? '{}')
    const back = () => run(folder, at('take-back-user'), JSON.stringify({ user: 'zoe', before }))
    expect((await back()).stdout).toBe('{"changed":true}\n')
    expect(names()).toEqual(['ops', 'zoe'])
    await run(folder, at('put-user'), later)
    expect((await back()).stdout).toBe('{"changed":false}\n')
  })
})

describe('muster-api call', () => {
  it('calls the server on the same host, over TLS and over the socket', async () => {
    const folder = hostFolder()
    const settings = writeSettings(folder)
    await run(folder, ['put-user', '--file', 'users.json'], await record('admin', 'right'))
    const { port } = await serve(folder)
    const target = { address: '127.0.0.1', port, authorities: [certificate.chain] }
    const common = { method: 'GET', path: '/api/v2/user/admin', timeout: 5000 }
    const requests = [
      { ...common, id: 'login', target, credentials: { user: 'admin', password: 'right' } },
      {
        ...common,
        id: 'old',
        target: { socket: settings.socket },
        credentials: { user: 'admin', password: 'old' },
      },
    ]
    const { code, stdout } = await run(folder, ['call'], JSON.stringify(requests))
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject([
      {
        id: 'login',
        status: 200,
        body: { payload: { user: 'admin', pass: '**obfuscated**', access: 'full' } },
      },
      { id: 'old', status: 401, body: { payload: { code: 'login-refused' } } },
    ])
  })

  it('reports invalid input without quoting it', async () => {
    const { code, stdout, stderr } = await run(hostFolder(), ['call'], '{"password":"hidden"')
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/^muster-api: standard input contains no list of calls: .*\n$/)
    expect(stderr).not.toContain('hidden')
  })
})
