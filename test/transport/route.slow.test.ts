import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createOnce } from '../../src/transport/once.ts'
import { startProxyWith } from '../../src/transport/proxyCommand.ts'
import { createSshConnector } from '../../src/transport/ssh.ts'
import { createSshConfigLookup } from '../../src/transport/sshConfigLookup.ts'
import type { SshTarget } from '../../src/transport/sshTarget.ts'
import type { Transport } from '../../src/transport/transport.ts'
import { type SshServer, type SshServerOptions, startSshServer } from '../support/sshServer.ts'
import { failure } from '../support/transportFailure.ts'

// Linux answers at every address of 127.0.0.0/8.
const possible = (() => {
  if (process.platform !== 'linux') return false
  try {
    return execFileSync('sh', ['-c', 'command -v ssh']).length > 0
  } catch {
    return false
  }
})()

let folder: string
const servers: SshServer[] = []
const transports: Transport[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-route-'))
  await mkdir(join(folder, '.ssh'))
})

afterEach(async () => {
  await Promise.all(transports.splice(0).map((transport) => transport.close()))
  await Promise.all(servers.splice(0).map((server) => server.close()))
  await rm(folder, { recursive: true, force: true })
})

/** Servers on addresses of their own, all of which the key ~/.ssh/deploy opens and ~/.ssh/known knows. */
async function start(...wishes: readonly SshServerOptions[]): Promise<readonly SshServer[]> {
  for (const [index, wish] of wishes.entries()) {
    const keys = servers[0] === undefined ? [] : [servers[0].clientPublicKey]
    servers.push(await startSshServer({ address: `127.0.0.${index + 2}`, ...wish, authorizedKeys: keys }))
  }
  const [first] = servers
  if (first !== undefined) {
    await writeFile(join(folder, '.ssh', 'deploy'), await readFile(first.clientKeyPath), { mode: 0o600 })
  }
  await writeFile(join(folder, '.ssh', 'known'), servers.map(({ hostKeyLine }) => hostKeyLine).join(''))
  return servers
}

async function config(...lines: readonly string[]): Promise<string> {
  const path = join(folder, '.ssh', 'config')
  // What every host of these tests has.
  const common = ['Host *', '  IdentityFile ~/.ssh/deploy', `  UserKnownHostsFile ${folder}/.ssh/known`, '']
  await writeFile(path, [...lines, ...common].join('\n'))
  return path
}

type Wish = Partial<SshTarget> & {
  readonly address?: string
  readonly path?: string
  readonly usual?: string
}

async function connect(host: string, wish: Wish): Promise<Transport> {
  const { address = host, path, usual = 'none', ...ssh } = wish
  const env = { PATH: path ?? process.env.PATH }
  const own = { home: folder, user: 'ops', variables: env }
  const connector = createSshConnector({
    readFile: (file) => readFile(file),
    sleep: async () => undefined,
    startProxy: startProxyWith(env),
    askSsh: createSshConfigLookup({ env, ssh: own, usual, sshHome: userInfo().homedir, once: createOnce() }),
  })
  const transport = await connector.connect({ host, address, ssh: { become: false, ...ssh }, env: own })
  transports.push(transport)
  return transport
}

const answers = async (transport: Transport): Promise<string> => (await transport.run('echo in')).stdout.raw()

const block = (name: string, { address, port }: SshServer, ...more: readonly string[]): string =>
  [`Host ${name}`, `  HostName ${address}`, `  Port ${port}`, ...more.map((line) => `  ${line}`)].join('\n')

describe.skipIf(!possible)('a host in ssh_config (needs Linux and ssh)', () => {
  it('is reached as by ssh: address, port, user, key and known_hosts', async () => {
    const [db1] = (await start({})) as [SshServer]
    const file = await config(block('db1', db1, 'User alice'))
    expect(await answers(await connect('db1', { config: file }))).toBe('in\n')
    expect([...new Set(db1.logins())]).toEqual(['alice ssh-ed25519'])
  })

  it('is looked up in the default file too, and by the address of the YAML', async () => {
    const [db1, other] = (await start({}, {})) as [SshServer, SshServer]
    const usual = await config(
      'Host 127.0.0.2',
      `  Port ${db1.port}`,
      block('db1', other, 'User alice'),
      'Match host 127.0.*',
      '  User bob',
    )
    expect(await answers(await connect('db1', { usual, address: db1.address, port: db1.port }))).toBe('in\n')
    expect([...new Set(db1.logins())]).toEqual(['alice ssh-ed25519'])
    await connect('somewhere', { usual, address: db1.address })
    expect([...new Set(db1.logins())]).toEqual(['alice ssh-ed25519', 'bob ssh-ed25519'])
    expect(other.connections()).toBe(0)
  })

  it('has the settings of the YAML if both set something', async () => {
    const [db1, other, jump] = (await start({}, {}, { forwarding: true })) as [
      SshServer,
      SshServer,
      SshServer,
    ]
    const file = await config(block('db1', other, 'User alice', `ProxyJump ${jump.address}:${jump.port}`))
    const wish = { address: db1.address, port: db1.port, user: 'walter', jump: ['none'] }
    await connect('db1', { config: file, ...wish })
    expect([...new Set(db1.logins())]).toEqual(['walter ssh-ed25519'])
    expect([other.connections(), jump.connections()]).toEqual([0, 0])
  })

  it('is reached through its jump hosts, which have blocks of their own', async () => {
    const [db1, inner, outer] = (await start({}, { forwarding: true }, { forwarding: true })) as [
      SshServer,
      SshServer,
      SshServer,
    ]
    const file = await config(
      block('db1', db1, 'ProxyJump inner'),
      block('inner', inner, 'User gate', 'ProxyJump walter@outer'),
      block('outer', outer, 'User nobody'),
    )
    expect(await answers(await connect('db1', { config: file }))).toBe('in\n')
    expect([...new Set(outer.logins())]).toEqual(['walter ssh-ed25519'])
    expect([...new Set(inner.logins())]).toEqual(['gate ssh-ed25519'])
    expect(outer.forwards()).toEqual([`${inner.address}:${inner.port}`])
  })

  it('is refused if its jump hosts form a cycle', async () => {
    const [db1] = (await start({})) as [SshServer]
    const file = await config(
      block('db1', db1, 'ProxyJump a'),
      'Host a',
      '  ProxyJump x@b',
      'Host b',
      '  ProxyJump x@a',
      'Match user *',
      '  User x',
    )
    const error = await failure(connect('db1', { config: file }))
    expect(error.code).toBe('ssh-config')
    expect(error.message).toMatch(/^the jump hosts of db1 form a cycle: x@a:22 -> x@b:22 -> x@a:22 -> x@127/)
  })

  it('is known by its HostKeyAlias, whatever its port', async () => {
    const [db1] = (await start({})) as [SshServer]
    const line = db1.hostKeyLine.replace(/^\S+/, 'database')
    await writeFile(join(folder, '.ssh', 'known'), line)
    const file = await config(block('db1', db1, 'HostKeyAlias database'))
    expect(await answers(await connect('db1', { config: file }))).toBe('in\n')
    const [, other] = (await start({})) as [SshServer, SshServer]
    await writeFile(join(folder, '.ssh', 'known'), other.hostKeyLine.replace(/^\S+/, 'database'))
    expect((await failure(connect('db1', { config: file }))).code).toBe('host-key-changed')
  })

  it('is checked against known_hosts whatever StrictHostKeyChecking is', async () => {
    const [db1] = (await start({})) as [SshServer]
    await writeFile(join(folder, '.ssh', 'known'), '')
    const file = await config(block('db1', db1, 'StrictHostKeyChecking no'))
    const error = await failure(connect('db1', { config: file }))
    expect(error.code).toBe('host-key-unknown')
    expect(error.message).toContain('StrictHostKeyChecking no of ssh_config is ignored')
    expect(db1.logins()).toEqual([])
  })

  it('is refused if it sets CertificateFile, unless the YAML names a key', async () => {
    const [db1] = (await start({})) as [SshServer]
    const file = await config(block('db1', db1, 'CertificateFile ~/.ssh/deploy-cert.pub'))
    const error = await failure(connect('db1', { config: file }))
    expect(error.code).toBe('ssh-config')
    expect(error.message).toBe(
      'ssh_config sets CertificateFile for db1, which the built-in SSH client does not support',
    )
    expect(error.fix).toContain('identity')
    expect(db1.connections()).toBe(0)
    const identity = join(folder, '.ssh', 'deploy')
    expect(await answers(await connect('db1', { config: file, identity }))).toBe('in\n')
  })
})

describe.skipIf(!possible)('a ProxyCommand (needs Linux and ssh)', () => {
  const pipe =
    'const [h,p]=process.argv.slice(2);const s=require("net").connect(p,h);process.stdin.pipe(s).pipe(process.stdout)'

  it('is used as the connection', async () => {
    const [db1] = (await start({})) as [SshServer]
    const script = join(folder, 'pipe.cjs')
    await writeFile(script, pipe)
    const file = await config(block('db1', db1, `ProxyCommand "${process.execPath}" ${script} %h %p`))
    const transport = await connect('db1', { config: file })
    const content = Buffer.alloc(2_000_000, 'x')
    await transport.upload({ path: join(folder, 'file'), content, mode: 0o600 })
    expect((await readFile(join(folder, 'file'))).equals(content)).toBe(true)
    await transport.close()
    await expect.poll(() => db1.open()).toBe(0)
  })

  it('that fails is reported with its output', async () => {
    const [db1] = (await start({})) as [SshServer]
    const file = await config(block('db1', db1, "ProxyCommand sh -c 'echo no such gateway >&2; exit 1'"))
    const error = await failure(connect('db1', { config: file, timeout: 3000 }))
    expect(error.host).toBe('db1')
    expect(error.message).toMatch(/db1 .*; its ProxyCommand printed: no such gateway$/)
    expect(db1.connections()).toBe(0)
  })
})

describe.skipIf(!possible)('an ssh_config that cannot be read (needs Linux and ssh)', () => {
  it('is reported in the words of ssh: a mistake, a missing file', async () => {
    const file = join(folder, 'bad')
    await writeFile(file, 'Host db1\n  Prot 22\n')
    const bad = await failure(connect('db1', { config: file }))
    expect(bad.code).toBe('ssh-config')
    expect(bad.message).toMatch(
      /^ssh cannot read its configuration for db1: .*line 2: Bad configuration option: prot/,
    )
    const missing = await failure(connect('db1', { config: join(folder, 'nowhere') }))
    expect(missing.message).toMatch(/Can't open user config file .*nowhere/)
    expect(missing.fix).toContain(join(folder, 'nowhere'))
  })

  it('is an error without an ssh program only if the YAML names it', async () => {
    const [db1] = (await start({})) as [SshServer]
    const file = await config(block('db1', db1))
    const path = join(folder, 'empty')
    const named = await failure(connect('db1', { config: file, path }))
    expect(named.code).toBe('ssh-config')
    expect(named.message).toBe(
      'config is set under ssh for db1, but this machine has no ssh program to read it',
    )
    const { address, port, clientKeyPath: identity, knownHostsPath: knownHosts } = db1
    const unnamed = await connect('db1', { usual: file, path, address, port, identity, knownHosts })
    expect(await answers(unnamed)).toBe('in\n')
  })
})
