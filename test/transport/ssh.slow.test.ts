import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { connectSsh, connectUnlessStopped, createSshConnector } from '../../src/transport/ssh.ts'
import type { SshTarget } from '../../src/transport/sshTarget.ts'
import type { Transport } from '../../src/transport/transport.ts'
import { eventually } from '../support/eventually.ts'
import { fakeTransport } from '../support/fakeTransport.ts'
import { rawResult } from '../support/rawResult.ts'
import {
  makeKey,
  makeLockedKey,
  type SshServer,
  type SshServerOptions,
  startSshServer,
} from '../support/sshServer.ts'
import { failure } from '../support/transportFailure.ts'

let folder: string
const servers: SshServer[] = []
const transports: Transport[] = []
const slept: number[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-ssh-'))
  slept.length = 0
})

afterEach(async () => {
  await Promise.all(transports.splice(0).map((transport) => transport.close()))
  await Promise.all(servers.splice(0).map((server) => server.close()))
  await rm(folder, { recursive: true, force: true })
})

async function start(options: SshServerOptions = {}): Promise<SshServer> {
  const server = await startSshServer(options)
  servers.push(server)
  return server
}

type Overrides = {
  readonly ssh?: Partial<SshTarget>
  readonly agentSocket?: string
  readonly noIdentity?: boolean
  readonly noKnownHosts?: boolean
  readonly keepalive?: number
  readonly address?: string
  readonly onSleep?: () => void
}

async function connect(server: SshServer | undefined, overrides: Overrides = {}): Promise<Transport> {
  const transport = await connectSsh({
    host: 'db1',
    address: overrides.address ?? server?.address ?? '127.0.0.1',
    ssh: {
      port: server?.port ?? 1,
      become: false,
      timeout: 5000,
      ...(server === undefined || overrides.noIdentity ? {} : { identity: server.clientKeyPath }),
      ...(server === undefined || overrides.noKnownHosts ? {} : { knownHosts: server.knownHostsPath }),
      ...overrides.ssh,
    },
    env: {
      home: folder,
      user: 'ops',
      ...(overrides.agentSocket === undefined ? {} : { agentSocket: overrides.agentSocket }),
    },
    readFile: (path) => readFile(path),
    sleep: async (milliseconds) => {
      slept.push(milliseconds)
      overrides.onSleep?.()
    },
    ...(overrides.keepalive === undefined ? {} : { keepalive: overrides.keepalive }),
  })
  transports.push(transport)
  return transport
}

const program = (name: string, text: string): Promise<void> =>
  writeFile(join(folder, 'bin', name), `#!/bin/sh\n${text}\n`, { mode: 0o755 })

const pathWith = (): string => `${join(folder, 'bin')}:${process.env.PATH}`

describe('a host over SSH', () => {
  it('runs scripts and writes files over one connection, whatever the login prints', async () => {
    const server = await start({ chatter: 'Welcome to db1\nAuthorised use only' })
    const transport = await connect(server)
    expect(rawResult(await transport.run('echo out; cat >&2; exit 3', { stdin: 'in' }))).toEqual({
      code: 3,
      stdout: 'out\n',
      stderr: 'in',
    })
    const content = Buffer.alloc(5_000_000, 'x')
    await transport.upload({ path: join(folder, 'file'), content, mode: 0o600 })
    expect((await readFile(join(folder, 'file'))).equals(content)).toBe(true)
    expect(server.connections()).toBe(1)
  })

  it('ends its running scripts when the connection is closed', async () => {
    const server = await start()
    const transport = await connect(server)
    await transport.run('true')
    expect(server.running()).toBe(1)
    await transport.close()
    expect(server.running()).toBe(0)
  })

  it('refuses 50 MB of output and goes on', async () => {
    const transport = await connect(await start())
    expect((await failure(transport.run('head -c 50000000 /dev/zero'))).code).toBe('too-much-output')
    expect((await transport.run('echo still here')).stdout.raw()).toBe('still here\n')
  })
})

describe('the host key check of SSH', () => {
  it('refuses an unknown key before any login, showing its fingerprint', async () => {
    const server = await start()
    await writeFile(join(folder, 'empty'), '')
    const error = await failure(connect(server, { ssh: { knownHosts: join(folder, 'empty') } }))
    expect(error.code).toBe('host-key-unknown')
    expect(error.message).toContain(`presented ${server.hostKeyFingerprint} (ssh-ed25519)`)
    expect(server.logins()).toEqual([])
    expect(server.connections()).toBe(1)
  })

  it('refuses an unknown key without any known_hosts file', async () => {
    const error = await failure(connect(await start(), { noKnownHosts: true }))
    expect(error.code).toBe('host-key-unknown')
    expect(error.message).toContain(join(folder, '.ssh', 'known_hosts'))
  })

  it('refuses a changed key, once, showing both fingerprints', async () => {
    const [server, before] = [await start(), await start()]
    const line = before.hostKeyLine.replace(`:${before.port}`, `:${server.port}`)
    await writeFile(join(folder, 'known'), line)
    const error = await failure(connect(server, { ssh: { knownHosts: join(folder, 'known') } }))
    expect(error.code).toBe('host-key-changed')
    expect(error.message).toContain(server.hostKeyFingerprint)
    expect(error.message).toContain(before.hostKeyFingerprint)
    expect(server.connections()).toBe(1)
    expect(server.logins()).toEqual([])
  })

  it('trusts a pinned fingerprint, of whichever of its keys, and no other', async () => {
    const server = await start({ hostKeys: ['ed25519', 'ecdsa'] })
    for (const hostKey of server.hostKeyFingerprints) {
      const transport = await connect(server, { noKnownHosts: true, ssh: { hostKey } })
      expect((await transport.run('echo in')).stdout.raw()).toBe('in\n')
    }
    const hostKey = `SHA256:${'A'.repeat(43)}`
    const error = await failure(connect(server, { ssh: { hostKey } }))
    expect(error.code).toBe('host-key-changed')
    expect(error.message).toContain(`host-key in the YAML is ${hostKey}`)
  })

  it('requests the known key type if the host prefers another', async () => {
    const server = await start({ hostKeys: ['rsa', 'ed25519'] })
    const known = server.hostKeyLine.split('\n').filter((line) => line.includes('ssh-ed25519'))
    await writeFile(join(folder, 'known'), known.join('\n'))
    const transport = await connect(server, { ssh: { knownHosts: join(folder, 'known') } })
    expect((await transport.run('echo in')).stdout.raw()).toBe('in\n')
  })
})

describe('an SSH login', () => {
  it('that is refused is tried once and reports user, host and keys', async () => {
    const server = await start({ fault: 'refuse-login' })
    const error = await failure(connect(server, { ssh: { user: 'root' } }))
    expect(error.code).toBe('login-refused')
    expect(error.message).toBe(`db1 refused the login of root (tried: ${server.clientKeyPath})`)
    expect(server.connections()).toBe(1)
    expect(server.logins()).toEqual(['root ssh-ed25519'])
  })

  it('that is refused names a certificate that was not tried', async () => {
    const server = await start({ fault: 'refuse-login' })
    await writeFile(`${server.clientKeyPath}-cert.pub`, 'ssh-ed25519-cert-v01@openssh.com AAAA')
    expect((await failure(connect(server))).message).toBe(
      `db1 refused the login of ops (tried: ${server.clientKeyPath}; not tried: ${server.clientKeyPath}-cert.pub (a certificate, which only transport: openssh supports))`,
    )
  })

  it('reports a key file that is missing or invalid', async () => {
    const identity = join(folder, 'nothing')
    const missing = await failure(connect(await start(), { ssh: { identity } }))
    expect(missing.code).toBe('no-login-method')
    expect(missing.message).toBe(`the key for db1, ${identity}, cannot be read (no such file or folder)`)
    await writeFile(identity, 'hello')
    const odd = await failure(connect(await start(), { ssh: { identity } }))
    expect(odd.message).toBe(
      `the key for db1, ${identity}, is not a supported private key (Unsupported key format)`,
    )
  })

  it('reports a key with a passphrase that no agent holds', async () => {
    const identity = join(folder, 'locked')
    await writeFile(identity, makeLockedKey('secret').private)
    const error = await failure(connect(await start(), { ssh: { identity } }))
    expect(error.code).toBe('no-login-method')
    expect(error.message).toBe(`the key for db1, ${identity}, has a passphrase, and no agent is running`)
    expect(error.fix).toBe(`Add it to an agent: eval "$(ssh-agent)"; ssh-add ${identity}`)
  })

  it('tries the default keys of ~/.ssh and reports if there are none', async () => {
    const key = makeKey('ecdsa')
    const server = await start({ authorizedKeys: [key.public] })
    const none = await failure(connect(server, { noIdentity: true }))
    expect(none.message).toBe(
      `no key to log in to db1: no agent is running, and ${folder}/.ssh has none of id_ed25519, id_ecdsa, id_rsa`,
    )
    await mkdir(join(folder, '.ssh'))
    await writeFile(join(folder, '.ssh', 'id_ed25519'), makeKey('ed25519').private)
    await writeFile(join(folder, '.ssh', 'id_ecdsa'), key.private)
    await connect(server, { noIdentity: true })
    expect(server.logins().map((login) => login.split(' ')[1])).toEqual([
      'ssh-ed25519',
      'ecdsa-sha2-nistp256',
    ])
  })

  it('signs immediately with a local key of every type', async () => {
    for (const type of ['ed25519', 'ecdsa', 'rsa'] as const) {
      const key = makeKey(type)
      const identity = join(folder, type)
      await writeFile(identity, key.private)
      const server = await start({ authorizedKeys: [key.public] })
      const transport = await connect(server, { ssh: { identity } })
      expect((await transport.run('echo in')).stdout.raw()).toBe('in\n')
      expect(server.logins()).toHaveLength(1)
    }
  })

  const canAgent = (() => {
    try {
      return execFileSync('sh', ['-c', 'command -v ssh-agent ssh-add']).length > 0
    } catch {
      return false
    }
  })()

  it.skipIf(!canAgent)('lets the agent sign with a key that has a passphrase (needs ssh-agent)', async () => {
    const agentSocket = join(folder, 'agent')
    const agent = spawn('ssh-agent', ['-D', '-a', agentSocket], { stdio: ['ignore', 'pipe', 'ignore'] })
    await once(agent.stdout, 'data')
    try {
      const [key, stranger] = [makeKey('ed25519'), makeKey('ed25519')]
      const env = { ...process.env, SSH_AUTH_SOCK: agentSocket }
      for (const { private: input } of [stranger, key])
        execFileSync('ssh-add', ['-q', '-'], { input, env, stdio: ['pipe', 'ignore', 'ignore'] })
      const server = await start({ authorizedKeys: [key.public] })
      await connect(server, { noIdentity: true, agentSocket })
      expect(server.logins().length).toBe(3)

      const identity = join(folder, 'locked')
      await writeFile(identity, makeLockedKey('secret').private)
      await writeFile(`${identity}.pub`, key.public)
      const again = await start({ authorizedKeys: [key.public] })
      await connect(again, { ssh: { identity }, agentSocket })
      expect(again.logins().length).toBe(2)
    } finally {
      agent.kill()
    }
  })

  it('works without an agent whose socket is gone', async () => {
    const server = await start()
    await mkdir(join(folder, '.ssh'))
    await writeFile(join(folder, '.ssh', 'id_ed25519'), await readFile(server.clientKeyPath))
    await connect(server, { noIdentity: true, agentSocket: join(folder, 'no-agent') })
    expect(server.logins().length).toBe(1)
  })

  it('reports the output of a host that starts no shell', async () => {
    await mkdir(join(folder, 'bin'))
    await program('nologin', 'echo "This account is currently not available."; exit 1')
    const server = await start({ shell: join(folder, 'bin', 'nologin') })
    const error = await failure(connect(server))
    expect(error.code).toBe('login-refused')
    expect(error.message).toBe(
      'ops could log in to db1, but no sh started there: This account is currently not available.',
    )
  })

  it('reports the configured timeout if no shell responds', async () => {
    const errors = await Promise.all(
      [false, true].map(async (become) => {
        const server = await start({ serve: () => undefined })
        // Long enough to log in on a busy machine.
        return failure(connect(server, { ssh: { become, timeout: 2000 } }))
      }),
    )
    expect(errors.map(({ code, message }) => [code, message])).toEqual([
      ['timeout', 'ops could log in to db1, but no sh started there: no answer within 2 s'],
      ['timeout', 'sudo on db1 does not let ops become root: no answer within 2 s'],
    ])
    for (const { fix } of errors) expect(fix).toMatch(/ Set a longer timeout under ssh for a slow host\.$/)
  })

  it('reports a host that opens no session', async () => {
    const error = await failure(connect(await start({ fault: 'refuse-session' })))
    expect(error.message).toMatch(/^ops could log in to db1, but no sh started there: .*Channel open failure/)
  })
})

describe('an SSH connection with become', () => {
  beforeEach(() => mkdir(join(folder, 'bin')))

  const become = async (sudo: string | undefined, user = 'ops'): Promise<Transport> => {
    if (sudo !== undefined) await program('sudo', sudo)
    const server = await start({ env: { PATH: pathWith(), HOME: folder } })
    return connect(server, { ssh: { become: true, user } })
  }

  it('runs every script through sudo without a terminal or a password', async () => {
    const transport = await become('[ "$1" = -n ] && shift && AS=root exec env AS=root "$@"')
    expect((await transport.run('echo "$AS"')).stdout.raw()).toBe('root\n')
  })

  it('does not use sudo for root', async () => {
    const transport = await become('exit 1', 'root')
    expect((await transport.run('echo in')).stdout.raw()).toBe('in\n')
  })

  it.each([
    ['sudo: a password is required', 'sudo on db1 requires a password for ops: ', 'NOPASSWD'],
    [
      'sudo: sorry, you must have a tty to run sudo',
      'sudo on db1 requires a terminal (requiretty), ',
      '!requiretty',
    ],
    ['ops is not in the sudoers file.', 'sudo on db1 does not let ops become root: ', 'sudo -n true'],
  ])('reports the words of sudo: %s', async (words, message, fix) => {
    const error = await failure(become(`echo "${words}" >&2; exit 1`))
    expect(error.code).toBe('sudo-refused')
    expect(error.message.startsWith(message)).toBe(true)
    expect(error.message.endsWith(words)).toBe(true)
    expect(error.fix).toContain(fix)
  })
})

describe('an unreachable SSH host', () => {
  it('is reported at once if nothing listens on the port', async () => {
    const server = await start()
    await server.close()
    const error = await failure(connect(server, { ssh: { identity: await spareKey() } }))
    expect(error.code).toBe('connection-refused')
    expect(error.message).toBe(`db1 refused the connection to 127.0.0.1 port ${server.port}`)
    expect(slept).toEqual([])
  })

  it('is reported at once if its name cannot be resolved', async () => {
    const identity = await spareKey()
    const error = await failure(connect(undefined, { address: 'no-such-host.invalid', ssh: { identity } }))
    expect(error.code).toBe('name-not-found')
    expect(error.message).toMatch(/^the name no-such-host\.invalid of db1 /)
  })

  it('is reported if it accepts the connection and sends no banner', async () => {
    const server = await start({ fault: 'silent' })
    const error = await failure(connect(server, { ssh: { timeout: 200 } }))
    expect(error.code).toBe('no-ssh-banner')
    expect(error.message).toBe(
      `db1 (127.0.0.1 port ${server.port}) accepted the connection, but sent no SSH banner within 0.2 s`,
    )
  })

  it('is reported if it speaks another protocol', async () => {
    const door = createServer((socket) =>
      socket.on('error', () => undefined).end('HTTP/1.1 400 Bad Request\r\n\r\n'),
    )
    await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve))
    const bound = door.address()
    const port = typeof bound === 'object' ? (bound?.port ?? 0) : 0
    const error = await failure(connect(undefined, { ssh: { port, identity: await spareKey() } }))
    door.close()
    expect(error.code).toBe('no-ssh-banner')
  })

  it.each(['close-before-banner', 'reset-after-banner'] as const)(
    'tries a few times more: %s',
    async (fault) => {
      const server = await start({ fault })
      const error = await failure(connect(server))
      expect(error.code).toBe(fault === 'close-before-banner' ? 'no-ssh-banner' : 'connection-lost')
      expect(server.connections()).toBe(4)
      expect(slept.length).toBe(3)
    },
  )

  it('is reached if a later attempt succeeds', async () => {
    const server = await start({ fault: 'close-before-banner' })
    const transport = await connect(server, { onSleep: () => server.setFault('none') })
    expect((await transport.run('echo in')).stdout.raw()).toBe('in\n')
    expect(server.connections()).toBe(2)
  })
})

describe('a lost SSH connection', () => {
  it('fails the current run and the waiting runs', async () => {
    const server = await start()
    const transport = await connect(server)
    const path = join(folder, 'started')
    const errors = Promise.all([
      failure(transport.run(`touch ${path}; sleep 5`)),
      failure(transport.run('true')),
    ])
    await expect.poll(() => readdir(folder)).toContain('started')
    server.breakConnections('reset')
    const [first, second] = await errors
    expect(first.code).toBe('connection-lost')
    expect(first.message).toBe('the connection to db1 was lost: the other side reset the connection')
    expect(second.code).toBe('connection-lost')
  })

  it('is detected if the host stops responding', async () => {
    const server = await start()
    const transport = await connect(server, { keepalive: 30 })
    await transport.run('true')
    const running = failure(transport.run('sleep 5'))
    server.breakConnections('freeze')
    expect((await running).message).toBe('the connection to db1 was lost: it no longer answers')
  })

  it('is not assumed while a script runs without output', async () => {
    const transport = await connect(await start(), { keepalive: 30 })
    expect((await transport.run('sleep 0.4; echo done')).stdout.raw()).toBe('done\n')
  })

  it('leaves no part of an incomplete upload', async () => {
    const server = await start()
    const transport = await connect(server)
    await mkdir(join(folder, 'target'))
    const path = join(folder, 'target', 'file')
    const uploading = failure(transport.upload({ path, content: Buffer.alloc(100_000_000), mode: 0o600 }))
    await expect.poll(() => readdir(join(folder, 'target'))).not.toEqual([])
    server.breakConnections('reset')
    expect((await uploading).code).toBe('connection-lost')
    await expect.poll(() => readdir(join(folder, 'target'))).toEqual([])
  })
})

async function spareKey(): Promise<string> {
  const path = join(folder, 'spare')
  await writeFile(path, makeKey('ed25519').private)
  await chmod(path, 0o600)
  return path
}

describe('SSH connections to many hosts', () => {
  it('log in ten at a time, and all stay connected', async () => {
    const server = await start({ fault: 'silent' })
    const connector = createSshConnector({ readFile: (path) => readFile(path), sleep: async () => undefined })
    const { port, clientKeyPath: identity, knownHostsPath: knownHosts } = server
    const wanted = {
      address: server.address,
      ssh: { port, become: false, identity, knownHosts },
      env: { home: folder, user: 'ops' },
    }
    const names = Array.from({ length: 25 }, (_, index) => `db${index + 1}`)
    const connecting = names.map((host) => connector.connect({ ...wanted, host }))
    await eventually(() => expect(server.connections()).toBe(10))
    // time: long enough for the others, had they not to wait.
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(server.connections()).toBe(10)
    server.setFault('none')
    server.breakConnections('reset')
    transports.push(...(await Promise.all(connecting)))
    expect(server.open()).toBe(25)
  })
})

/** A way to a host that opens, or fails, when the test says so. */
function way() {
  const stop = new AbortController()
  let open = (_: Transport): void => {}
  let fail = (_: Error): void => {}
  let dialled = 0
  const connect = (): Promise<Transport> =>
    connectUnlessStopped({ host: 'db1', signal: stop.signal }, () => {
      dialled += 1
      return new Promise((resolve, reject) => {
        open = resolve
        fail = reject
      })
    })
  return {
    stop: () => stop.abort(),
    open: (transport: Transport) => open(transport),
    fail: (error: Error) => fail(error),
    dialled: () => dialled,
    connect,
  }
}

const stopped = { name: 'TransportError', host: 'db1', code: 'stopped' }

describe('connectUnlessStopped', () => {
  it('returns the connection if nothing is stopped', async () => {
    const { connect, open, stop } = way()
    const transport = fakeTransport({})
    const connecting = connect()
    open(transport)
    expect(await connecting).toBe(transport)
    stop()
    expect(transport.closed()).toBe(false)
  })

  it('rejects as the connection does', async () => {
    const { connect, fail } = way()
    const connecting = connect()
    fail(new Error('no answer'))
    await expect(connecting).rejects.toThrow('no answer')
  })

  it('rejects when stopped and closes a connection that opens later', async () => {
    const { connect, open, stop } = way()
    const connecting = connect()
    stop()
    await expect(connecting).rejects.toMatchObject(stopped)
    const transport = fakeTransport({})
    open(transport)
    await expect.poll(() => transport.closed()).toBe(true)
  })

  it('ignores a connection that fails after the stop', async () => {
    const { connect, fail, stop } = way()
    const connecting = connect()
    stop()
    await expect(connecting).rejects.toMatchObject(stopped)
    fail(new Error('no answer'))
    // An unhandled rejection would fail the test.
    await new Promise((resolve) => setImmediate(resolve))
  })

  it('does not connect once stopped', async () => {
    const { connect, stop, dialled } = way()
    stop()
    await expect(connect()).rejects.toMatchObject(stopped)
    expect(dialled()).toBe(0)
  })
})
