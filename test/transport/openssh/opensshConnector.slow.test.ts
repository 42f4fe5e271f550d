import { execFileSync, spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { appendFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createOnce } from '../../../src/transport/once.ts'
import { startProxyWith } from '../../../src/transport/proxyCommand.ts'
import type { HostConnection } from '../../../src/transport/route.ts'
import { connectUnlessStopped, createSshConnector, type SshConnector } from '../../../src/transport/ssh.ts'
import { createSshConfigLookup } from '../../../src/transport/sshConfigLookup.ts'
import type { SshTarget } from '../../../src/transport/sshTarget.ts'
import type { ListeningPlace, Transport } from '../../../src/transport/transport.ts'
import { type DelayingProxy, startDelayingProxy } from '../../support/delayingProxy.ts'
import { eventually } from '../../support/eventually.ts'
import { servePlain } from '../../support/loopbackServer.ts'
import { rawResult } from '../../support/rawResult.ts'
import { hasSshd, type Sshd, startSshd } from '../../support/sshd.ts'
import { knownHostsName, makeKey } from '../../support/sshServer.ts'
import { failure } from '../../support/transportFailure.ts'

const softhsm = '/usr/lib/softhsm/libsofthsm2.so'

let home: string
let temporary: string | undefined
const closing: (() => Promise<unknown>)[] = []
const transports: Transport[] = []

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'muster-operator-'))
  await mkdir(join(home, '.ssh'), { mode: 0o700 })
  await mkdir(join(home, 'tmp'))
  // Others of this machine have connections, too.
  temporary = process.env.TMPDIR
  process.env.TMPDIR = join(home, 'tmp')
})

afterEach(async () => {
  await Promise.all(transports.splice(0).map((transport) => transport.close()))
  for (const close of closing.splice(0).reverse()) await close()
  await eventually(() => expect(folders()).toEqual([]))
  if (temporary === undefined) delete process.env.TMPDIR
  else process.env.TMPDIR = temporary
  await rm(home, { recursive: true, force: true })
})

/** Folders of connections that are open, or were left. */
const folders = (): readonly string[] =>
  readdirSync(tmpdir()).filter((name) => name.startsWith('muster-ssh-'))

/** Commands of this machine's processes that have a text in them. */
const processesWith = (words: string): readonly string[] =>
  execFileSync('ps', ['-eo', 'pid,stat,args'], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(words) && !line.includes('ps -eo'))

type Lines = (folder: string) => readonly string[]

async function serve(settings: Lines = () => [], address = '127.0.0.1'): Promise<Sshd> {
  const sshd = await startSshd(address, { forwarding: true, settings })
  closing.push(() => sshd.close())
  return sshd
}

async function slow(sshd: Sshd, delay: number): Promise<DelayingProxy> {
  const proxy = await startDelayingProxy({ to: { address: '127.0.0.1', port: sshd.port }, delay })
  closing.push(() => proxy.close())
  const host = await readFile(join(sshd.folder, 'ed25519-public'), 'utf8')
  await appendFile(sshd.knownHosts, `${knownHostsName(proxy.address, proxy.port)} ${host}\n`)
  return proxy
}

/** Writes the ssh_config of the operator. */
async function configure(...lines: readonly string[]): Promise<string> {
  const path = join(home, '.ssh', 'config')
  await writeFile(path, `${lines.join('\n')}\n`)
  return path
}

const newConnector = (env: NodeJS.ProcessEnv = process.env): SshConnector => {
  const ssh = { home, user: 'root', variables: env }
  const usual = existsSync(join(home, '.ssh', 'config')) ? join(home, '.ssh', 'config') : 'none'
  return createSshConnector({
    readFile: (path) => readFile(path),
    askSsh: createSshConfigLookup({ env, ssh, usual, sshHome: home, once: createOnce() }),
    startProxy: startProxyWith(env),
    openssh: { env, usual: { file: usual } },
  })
}

type Wish = { readonly connector?: SshConnector; readonly host?: string; readonly address?: string }

async function connect(
  sshd: Pick<Sshd, 'port' | 'identity' | 'knownHosts'>,
  ssh: Partial<SshTarget> = {},
  { connector = newConnector(), host = 'db1', address = '127.0.0.1' }: Wish = {},
): Promise<Transport> {
  const { port, identity, knownHosts } = sshd
  const transport = await connector.connect({
    host,
    address,
    ssh: { port, identity, knownHosts, become: false, timeout: 10_000, transport: 'openssh', ...ssh },
    env: { home, user: 'root' },
  })
  transports.push(transport)
  return transport
}

const said = async (transport: Transport, script: string): Promise<string> =>
  (await transport.run(script)).stdout.raw().trim()

describe.skipIf(!hasSshd)('the transport over the system ssh (needs root and /usr/sbin/sshd)', () => {
  it('runs scripts, uploads files, chains and follows over one process', async () => {
    const sshd = await serve()
    const transport = await connect(sshd)
    expect(rawResult(await transport.run('id -u; cat; echo no >&2; exit 4', { stdin: 'data' }))).toEqual({
      code: 4,
      stdout: '0\ndata',
      stderr: 'no\n',
    })
    const path = join(sshd.folder, 'uploaded')
    await transport.upload({ path, content: Buffer.alloc(5_000_000, 7), mode: 0o640 })
    expect((await readFile(path)).length).toBe(5_000_000)
    const chain = transport.chain?.()
    const first = chain?.run('exit 1')
    await expect(chain?.run('true')).rejects.toMatchObject({ code: 'not-run' })
    expect((await first)?.code).toBe(1)
    const stop = new AbortController()
    const heard: string[] = []
    const followed = transport.follow?.('echo line; read x; echo end', {
      onOutput: (bytes) => {
        heard.push(bytes.toString())
        stop.abort()
      },
      signal: stop.signal,
    })
    expect((await followed)?.code).toBe(0)
    expect(heard.join('')).toBe('line\nend\n')
    expect(processesWith(`tmp/${folders()[0]}/1/c`)).toHaveLength(1)
  })

  it('leaves no process, socket or file after it is closed', async () => {
    const sshd = await serve()
    const server = await servePlain((_message, answer) => answer.write('more to come'))
    closing.push(() => server.close())
    /** Milliseconds in which a connection closes over which a stream is open. */
    const closingTime = async (): Promise<number> => {
      const transport = await connect(sshd)
      const pid = Number(await said(transport, 'echo $$'))
      const open = await transport.dial?.({ address: '127.0.0.1', port: server.port })
      if (open instanceof Duplex) open.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
      const [folder = ''] = folders()
      const began = performance.now()
      await transport.close()
      // time: compared with the second after which an ssh that does not end is killed; it needs some milliseconds.
      const took = performance.now() - began
      await eventually(() => {
        expect(folders()).toEqual([])
        expect(processesWith(folder)).toEqual([])
        expect(existsSync(`/proc/${pid}`)).toBe(false)
      })
      return took
    }
    // Again where the machine stood still: one that is killed takes longer each time.
    const times = [await closingTime()]
    while (Math.min(...times) >= 900 && times.length < 5) times.push(await closingTime())
    expect(Math.min(...times)).toBeLessThan(900)
  })

  it('forwards connections to listeners on the host, or ends the stream where the host refuses', async () => {
    const sshd = await serve()
    const path = join(sshd.folder, 'api.sock')
    const servers = [
      await servePlain((_message, answer) => answer.end('on the socket'), { path }),
      await servePlain((_message, answer) => answer.end('over TCP')),
    ]
    const transport = await connect(sshd)
    const ask = async (place: ListeningPlace): Promise<string> => {
      const stream = await transport.dial?.(place)
      if (!(stream instanceof Duplex)) return 'no connection'
      stream.on('error', () => undefined)
      stream.write('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
      return (await text(stream).catch(() => '')).split('\r\n').at(-1) ?? ''
    }
    const port = servers[1]?.port ?? 0
    const places = [
      { socket: path },
      { address: '127.0.0.1', port },
      { socket: `${path}2` },
      { socket: path },
    ]
    expect(await Promise.all(places.map(ask))).toEqual(['on the socket', 'over TCP', '', 'on the socket'])
    expect(await said(transport, 'echo on')).toBe('on')
    const warnings: Error[] = []
    const warn = (warning: Error): void => void warnings.push(warning)
    process.on('warning', warn)
    closing.push(async () => void process.off('warning', warn))
    for (let count = 0; count < 12; count += 1) expect(await ask({ socket: path })).toBe('on the socket')
    await new Promise((resolve) => setImmediate(resolve))
    expect(warnings).toEqual([])
    for (const server of servers) await server.close()
  })

  it('forwards again after ssh could not be asked once', async () => {
    const sshd = await serve()
    const bin = join(home, 'bin')
    await mkdir(bin)
    const once = `case " $* " in *" -O "*) mkdir ${home}/asked && exit 1 ;; esac`
    const wrapper = `#!/bin/sh\n${once}\nexec ${execFileSync('which', ['ssh'], { encoding: 'utf8' }).trim()} "$@"\n`
    await writeFile(join(bin, 'ssh'), wrapper, { mode: 0o755 })
    const connector = newConnector({ ...process.env, PATH: `${bin}:${process.env.PATH}` })
    const transport = await connect(sshd, {}, { connector })
    const server = await servePlain((_message, answer) => answer.end('there'))
    closing.push(() => server.close())
    const place = { address: '127.0.0.1', port: server.port }
    expect(await transport.dial?.(place)).toBeInstanceOf(Error)
    expect(await transport.dial?.(place)).toBeInstanceOf(Duplex)
  })

  // OpenSSH asks for the service, for the methods and for each key in turns of their own, which we send together.
  it('needs at most three round trips more than the built-in client for a login by key, and no more after it', async () => {
    const sshd = await serve()
    const proxy = await slow(sshd, 100)
    // The default key exchange takes as long as a turn on a busy machine.
    await configure('KexAlgorithms curve25519-sha256')
    const once = async (
      transport: 'builtin' | 'openssh',
      identity = sshd.identity,
    ): Promise<readonly number[]> => {
      const counts = [proxy.turns()]
      const connected = await connect({ ...sshd, identity, port: proxy.port }, { transport })
      counts.push(proxy.turns())
      await said(connected, 'echo on')
      counts.push(proxy.turns())
      // Its keepalive would count with the next one.
      await connected.close()
      return counts.slice(1).map((count, index) => count - (counts[index] ?? 0))
    }
    // On a busy machine two messages may share a round trip, or one may need two: at most so many, in the best of three.
    const trips = async (...of: Parameters<typeof once>): Promise<readonly number[]> => {
      const counted = [await once(...of), await once(...of), await once(...of)]
      return [0, 1].map((part) => Math.min(...counted.map((one) => one[part] ?? 0)))
    }
    const expectTrips = ([login = 0, after = 0]: readonly number[], most: number): void => {
      expect(login).toBeLessThanOrEqual(most)
      expect(after).toBeLessThanOrEqual(1)
    }
    expectTrips(await trips('builtin'), 5)
    expectTrips(await trips('openssh'), 8)
    // The offer falls away if ssh does not know the public key.
    const pem = join(home, 'pem')
    execFileSync('ssh-keygen', ['-q', '-t', 'rsa', '-b', '2048', '-m', 'PEM', '-N', '', '-f', pem])
    await appendFile(join(sshd.folder, 'authorized_keys'), await readFile(`${pem}.pub`, 'utf8'))
    await rm(`${pem}.pub`)
    expectTrips(await trips('openssh', pem), 7)
  })

  describe('logs in', () => {
    const authority = async (folder: string, name: string): Promise<void> => {
      execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, name)])
    }
    const sign = (ca: string, key: string, ...more: readonly string[]): void => {
      execFileSync('ssh-keygen', ['-q', '-s', ca, '-I', 'test', ...more, key], { stdio: 'ignore' })
    }

    it('with a certificate beside the key, which the built-in client cannot offer', async () => {
      const sshd = await serve((folder) => [`TrustedUserCAKeys ${folder}/ca.pub`])
      await authority(sshd.folder, 'ca')
      const key = join(home, 'id')
      execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key])
      await expect(connect(sshd, { identity: key, transport: 'openssh' })).rejects.toMatchObject({
        code: 'login-refused',
        message: expect.stringMatching(
          /^db1 refused the login of root; it accepts: publickey[^\n]*\nssh: root@127.0.0.1: Permission denied \(publickey/,
        ),
      })
      sign(join(sshd.folder, 'ca'), `${key}.pub`, '-n', 'root')
      await expect(connect(sshd, { identity: key, transport: 'builtin' })).rejects.toMatchObject({
        code: 'login-refused',
        message: expect.stringContaining('a certificate, which only transport: openssh supports'),
      })
      expect(await said(await connect(sshd, { identity: key, transport: 'auto' }), 'echo in')).toBe('in')
    })

    it('with CertificateFile of ssh_config, whose path is none that muster reads', async () => {
      const sshd = await serve((folder) => [`TrustedUserCAKeys ${folder}/ca.pub`])
      await authority(sshd.folder, 'ca')
      const key = join(home, 'id')
      execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key])
      sign(join(sshd.folder, 'ca'), `${key}.pub`, '-n', 'root')
      const variable = ['$', '{CERTIFICATES}'].join('')
      await configure(`IdentityFile ${key}`, `CertificateFile ${variable}/id-cert.pub`)
      const connector = newConnector({ ...process.env, CERTIFICATES: home })
      const { port, knownHosts } = sshd
      const wanted = {
        host: 'db1',
        address: '127.0.0.1',
        ssh: { port, knownHosts, become: false, transport: 'auto' },
        env: { home, user: 'root', variables: { CERTIFICATES: home } },
      } as const
      const transport = await connector.connect(wanted)
      transports.push(transport)
      expect(await said(transport, 'echo in')).toBe('in')
      const builtin = { ...wanted, ssh: { ...wanted.ssh, transport: 'builtin' } } as const
      await expect(newConnector().connect(builtin)).rejects.toMatchObject({
        code: 'ssh-config',
        message: 'ssh_config sets CertificateFile for db1, which the built-in SSH client does not support',
        fix: expect.stringMatching(/^Set transport: openssh under ssh/),
      })
    })

    it('where only a @cert-authority knows the host, by the name in the YAML', async () => {
      const sshd = await serve((folder) => [`HostCertificate ${folder}/ed25519-cert.pub`])
      await authority(sshd.folder, 'ca')
      await writeFile(join(sshd.folder, 'ed25519.pub'), await readFile(join(sshd.folder, 'ed25519-public')))
      sign(join(sshd.folder, 'ca'), join(sshd.folder, 'ed25519.pub'), '-h', '-n', 'db1')
      const ca = await readFile(join(sshd.folder, 'ca.pub'), 'utf8')
      const knownHosts = join(home, 'known')
      // sshd has read its configuration before the certificate was there.
      await sshd.reload()
      await writeFile(knownHosts, `@cert-authority * ${ca}`)
      const ssh = { knownHosts, transport: 'auto' } as const
      expect(await said(await connect(sshd, ssh), 'echo in')).toBe('in')
      await expect(connect(sshd, ssh, { host: 'db2' })).rejects.toMatchObject({
        code: 'host-key-unknown',
        message: expect.stringContaining('the host key of db2 is unknown'),
      })
      await expect(connect(sshd, { ...ssh, transport: 'builtin' })).rejects.toMatchObject({
        code: 'host-key-unknown',
        message: expect.stringContaining('@cert-authority'),
      })
    })

    // PKCS11Provider itself cannot be asked for a PIN here; the agent has it, as with a smart card.
    it.skipIf(!existsSync(softhsm))(
      'with a key that never leaves a PKCS#11 token (needs softhsm2)',
      async () => {
        const sshd = await serve()
        const [tokens, pin] = [join(home, 'tokens'), '1234']
        await mkdir(tokens)
        await writeFile(join(home, 'softhsm2.conf'), `directories.tokendir = ${tokens}\n`)
        const askpass = join(home, 'askpass')
        await writeFile(askpass, `#!/bin/sh\necho ${pin}\n`, { mode: 0o755 })
        const env = { ...process.env, SOFTHSM2_CONF: join(home, 'softhsm2.conf') }
        const call = (program: string, more: NodeJS.ProcessEnv, ...words: readonly string[]): string =>
          execFileSync(program, words, {
            encoding: 'utf8',
            env: { ...env, ...more },
            stdio: ['ignore', 'pipe', 'ignore'],
          })
        const key = join(home, 'key.pem')
        call('openssl', {}, 'genpkey', '-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:2048', '-out', key)
        const token = ['--token', 'test', '--label', 'test']
        call('softhsm2-util', {}, '--init-token', '--free', ...token.slice(2), '--pin', pin, '--so-pin', pin)
        call('softhsm2-util', {}, '--import', key, ...token, '--id', '01', '--pin', pin)
        await rm(key)
        await writeFile(join(sshd.folder, 'authorized_keys'), call('ssh-keygen', {}, '-D', softhsm))
        const socket = join(home, 'agent')
        const agent = spawn('ssh-agent', ['-D', '-a', socket], { env, stdio: 'ignore' })
        closing.push(async () => agent.kill())
        await eventually(() => expect(existsSync(socket)).toBe(true))
        const asked = { SSH_ASKPASS: askpass, SSH_ASKPASS_REQUIRE: 'force', SSH_AUTH_SOCK: socket }
        call('ssh-add', asked, '-s', softhsm)
        await configure(`PKCS11Provider ${softhsm}`, `IdentityAgent ${socket}`)
        const { port, knownHosts } = sshd
        const connector = newConnector(env)
        const wanted = (transport: 'auto' | 'builtin'): HostConnection => ({
          host: 'db1',
          address: '127.0.0.1',
          ssh: { port, knownHosts, become: false, transport },
          env: { home, user: 'root' },
        })
        const transport = await connector.connect(wanted('auto'))
        transports.push(transport)
        expect(await said(transport, 'echo in')).toBe('in')
        await expect(connector.connect(wanted('builtin'))).rejects.toMatchObject({
          message: 'ssh_config sets PKCS11Provider for db1, which the built-in SSH client does not support',
        })
        await configure(`PKCS11Provider ${softhsm}`, 'IdentityAgent none')
        expect(await failure(newConnector(env).connect(wanted('auto')))).toMatchObject({
          code: 'login-refused',
          fix: expect.stringContaining('PIN into the agent'),
        })
      },
    )

    it('as `Match exec` of ssh_config says', async () => {
      const sshd = await serve()
      await configure(
        'Match originalhost db1 exec "test %n = db1"',
        '  User root',
        `  IdentityFile ${sshd.identity}`,
        'Match exec "false"',
        '  User nobody',
      )
      const { identity: _, ...rest } = sshd
      const options = { ...rest, identity: '' }
      const connector = newConnector()
      const transport = await connector.connect({
        host: 'db1',
        address: '127.0.0.1',
        ssh: { port: options.port, knownHosts: options.knownHosts, become: false, transport: 'openssh' },
        env: { home, user: 'nobody' },
      })
      transports.push(transport)
      expect(await said(transport, 'id -un')).toBe('root')
    })
  })

  describe('accepts the host key', () => {
    const fingerprintOf = async (sshd: Sshd, type: 'rsa' | 'ed25519'): Promise<string> =>
      execFileSync('ssh-keygen', ['-lf', join(sshd.folder, `${type}-public`)], { encoding: 'utf8' }).split(
        ' ',
      )[1] ?? ''

    it('that the YAML pins, also if ssh would ask for another one first, and no other', async () => {
      const sshd = await serve()
      for (const type of ['ed25519', 'rsa'] as const) {
        const pinned = { hostKey: await fingerprintOf(sshd, type), knownHosts: '/nonexistent' }
        expect(await said(await connect(sshd, pinned), 'echo in')).toBe('in')
      }
      const other = 'SHA256:nThbg6kXUpJWGl7E1IGOCspRomTxdCARLviKw6E5SY8'
      await expect(connect(sshd, { hostKey: other })).rejects.toMatchObject({
        code: 'host-key-changed',
        message: expect.stringContaining(`but host-key in the YAML is ${other}`),
      })
    })

    it('that known_hosts has under the name in the YAML', async () => {
      const sshd = await serve()
      const knownHosts = join(home, 'known')
      const key = await readFile(join(sshd.folder, 'ed25519-public'), 'utf8')
      await writeFile(knownHosts, `${knownHostsName('db1', sshd.port)} ${key}\n`)
      expect(await said(await connect(sshd, { knownHosts }), 'echo in')).toBe('in')
    })

    it('never if it is unknown, changed or revoked, whatever ssh_config says', async () => {
      const sshd = await serve()
      const knownHosts = join(home, 'known')
      await configure(
        'StrictHostKeyChecking no',
        'NoHostAuthenticationForLocalhost yes',
        'UpdateHostKeys yes',
        `UserKnownHostsFile ${home}/written`,
      )
      const name = knownHostsName('127.0.0.1', sshd.port)
      const [key, another] = [
        await readFile(join(sshd.folder, 'ed25519-public'), 'utf8'),
        makeKey('ed25519').public,
      ]
      const cases = [
        ['', 'host-key-unknown', 'the host key of db1 is unknown'],
        [`${name} ${another}\n`, 'host-key-changed', 'the host key of db1 has changed'],
        [
          `@revoked db1,${knownHostsName('db1', sshd.port)} ${key}\n${name} ${key}\n`,
          'host-key-revoked',
          'revokes',
        ],
      ] as const
      for (const [lines, code, words] of cases) {
        await writeFile(knownHosts, lines)
        const { knownHosts: _, ...rest } = sshd
        await expect(connect({ ...rest, knownHosts })).rejects.toMatchObject({
          code,
          message: expect.stringMatching(new RegExp(`${words}[^]*\nssh: `)),
        })
      }
      expect(existsSync(join(home, 'written'))).toBe(false)
    })
  })

  describe('goes through a jump host', () => {
    it('with one login there for all hosts, and tells which of them fails', async () => {
      const [gate, inner] = [await serve(), await serve()]
      const proxy = await slow(gate, 0)
      for (const file of ['known_hosts']) {
        await appendFile(gate.knownHosts, await readFile(join(inner.folder, file)))
      }
      await writeFile(join(home, 'id'), await readFile(gate.identity), { mode: 0o600 })
      const inside = await readFile(join(gate.folder, 'authorized_keys'))
      await writeFile(join(inner.folder, 'authorized_keys'), inside)
      const connector = newConnector()
      const jump = [`root@127.0.0.1:${proxy.port}`]
      const to = { ...inner, knownHosts: gate.knownHosts, identity: gate.identity }
      const both = await Promise.all([
        connect(to, { jump }, { connector }),
        connect(to, { jump }, { connector }),
      ])
      for (const one of both) expect(await said(one, 'echo through')).toBe('through')
      expect(proxy.connections()).toBe(1)
      const refused = await failure(connect({ ...to, port: 1 }, { jump }, { connector }))
      expect(refused).toMatchObject({ code: 'connection-refused' })
      expect(refused.message).toMatch(/^the jump host 127.0.0.1 cannot connect to db1/)
      for (const one of both) await one.close()
      await eventually(() => expect(folders()).toEqual([]))
      const nobody = await failure(
        connect(to, { jump: [`nobody@127.0.0.1:${proxy.port}`] }, { connector: newConnector() }),
      )
      expect(nobody).toMatchObject({ code: 'login-refused', jump: 'the jump host 127.0.0.1' })
    })

    it('whose key it checks like that of a host, and reads keys behind it', async () => {
      const [gate, inner] = [await serve(), await serve()]
      const connector = newConnector()
      const wanted = (knownHosts: string): HostConnection => ({
        host: 'db1',
        address: '127.0.0.1',
        ssh: {
          ...{ port: inner.port, identity: gate.identity, knownHosts, become: false, timeout: 10_000 },
          ...({ transport: 'openssh', jump: [`root@127.0.0.1:${gate.port}`] } as const),
        },
        env: { home, user: 'root' },
      })
      await expect(connector.connect(wanted(inner.knownHosts))).rejects.toMatchObject({
        code: 'host-key-unknown',
        message: expect.stringContaining('db1 is behind the jump host 127.0.0.1: the host key of'),
      })
      const { target, jumps } = await connector.routeOf(wanted(gate.knownHosts))
      const keys = await connector.hostKeysOf(target, jumps)
      const shown = keys.map((key) => key.toString('base64'))
      expect(shown).toContain(
        (await readFile(join(inner.folder, 'ed25519-public'), 'utf8')).split(' ')[1]?.trim(),
      )
    })
  })

  describe('is not misled by', () => {
    it('options of ssh_config that would leave no shell, run a command or share a connection', async () => {
      const sshd = await serve(() => ['AcceptEnv *'])
      const control = join(home, 'master')
      await configure(
        'RemoteCommand touch /tmp/never',
        'RequestTTY force',
        'PermitLocalCommand yes',
        `LocalCommand touch ${home}/ran`,
        'ForwardAgent yes',
        'SetEnv LC_ALL=de_DE BASH_ENV=/nonexistent',
        'SendEnv *',
        'ControlMaster auto',
        `ControlPath ${control}`,
        'ControlPersist yes',
        'SessionType none',
        'StdinNull yes',
        'ForkAfterAuthentication yes',
        'LogLevel QUIET',
        'LocalForward 1 127.0.0.1:1',
        'ExitOnForwardFailure yes',
        'EscapeChar x',
        'ServerAliveInterval 1000',
        'Compression yes',
      )
      const secret = 'sentinel-of-the-environment'
      const connector = newConnector({ ...process.env, ADMIN_PASS: secret })
      const transport = await connect(sshd, {}, { connector })
      expect(rawResult(await transport.run('cat; env', { stdin: 'x.x\n~.\n' })).stdout).toMatch(
        /^x\.x\n~\.\n/,
      )
      const environment = await said(transport, 'env; tty')
      expect(environment).not.toContain(secret)
      expect(environment).toContain('not a tty')
      expect(existsSync(control)).toBe(false)
      expect(existsSync(join(home, 'ran'))).toBe(false)
    })

    it("a master of the user's own, which it neither uses nor ends", async () => {
      const sshd = await serve()
      const control = join(home, 'master')
      await configure(`ControlPath ${control}`, 'ControlMaster auto')
      const master = spawn(
        'ssh',
        [
          ...['-F', 'none', '-M', '-S', control, '-N', '-p', String(sshd.port), '-i', sshd.identity],
          ...['-o', `UserKnownHostsFile=${sshd.knownHosts}`, 'root@127.0.0.1'],
        ],
        { stdio: 'ignore' },
      )
      closing.push(async () => master.kill())
      await eventually(() => expect(existsSync(control)).toBe(true))
      const check = () =>
        execFileSync('ssh', ['-F', 'none', '-S', control, '-O', 'check', 'x'], { stdio: 'pipe' })
      check()
      // The master would let it in.
      await expect(
        connect(sshd, { hostKey: 'SHA256:nThbg6kXUpJWGl7E1IGOCspRomTxdCARLviKw6E5SY8' }),
      ).rejects.toMatchObject({ code: 'host-key-changed' })
      const transport = await connect(sshd)
      expect(await said(transport, 'echo in')).toBe('in')
      await transport.close()
      check()
    })

    it('a host that prints before the first frame, closes in the middle of one, or never stops printing', async () => {
      const sshd = await serve((folder) => [`ForceCommand ${folder}/force`])
      const force = async (...lines: readonly string[]): Promise<void> => {
        await writeFile(join(sshd.folder, 'force'), ['#!/bin/sh', ...lines].join('\n'), { mode: 0o755 })
      }
      const run = 'exec sh -c "$SSH_ORIGINAL_COMMAND"'
      await force('head -c 3000000 /dev/urandom; head -c 300000 /dev/urandom >&2; printf "\\033[2J"', run)
      expect(await said(await connect(sshd), 'echo on')).toBe('on')
      await force(run)
      const cut = await connect(sshd)
      await expect(cut.run('printf half; kill -9 $PPID $$', { timeout: 5000 })).rejects.toMatchObject({
        code: 'connection-lost',
      })
      const loud = await connect(sshd)
      await expect(loud.run('head -c 9000000 /dev/zero >&2')).rejects.toMatchObject({
        code: 'too-much-output',
      })
      expect(await said(loud, 'echo on')).toBe('on')
      await force('echo "no shell for you $(printf "\\033[31m")" >&2; exit 1')
      const none = await failure(connect(sshd))
      expect(none).toMatchObject({ code: 'login-refused' })
      expect(none.message).toMatch(/^root could log in to db1, but no sh started there: .*no shell for you/)
    })

    it('a ProxyCommand that fails, whose words are told', async () => {
      const sshd = await serve()
      const proxy = join(home, 'proxy')
      await writeFile(proxy, '#!/bin/sh\necho "no way through" >&2\nexit 1\n', { mode: 0o755 })
      await configure(`ProxyCommand ${proxy} %h`)
      const error = await failure(connect(sshd))
      expect(error.message).toContain('its ProxyCommand printed: no way through')
      await configure('ProxyCommand socat-is-not-here %h %p')
      expect((await failure(connect(sshd))).message).toContain('socat-is-not-here')
    })

    it('its own limit for files where a ProxyCommand writes large ones', async () => {
      const sshd = await serve()
      const proxy = join(home, 'proxy')
      await writeFile(join(home, 'log'), Buffer.alloc(2_000_000))
      const node = `const s=require('net').connect(process.argv[1],'127.0.0.1');s.pipe(process.stdout);process.stdin.pipe(s)`
      await writeFile(
        proxy,
        `#!/bin/sh\necho "$1" >>${home}/log || exit 1\nexec ${process.execPath} -e "${node}" "$2"\n`,
        { mode: 0o755 },
      )
      await configure(`ProxyCommand ${proxy} "a %n" %p`)
      expect(await said(await connect(sshd), 'echo in')).toBe('in')
      expect((await readFile(join(home, 'log'), 'utf8')).endsWith('\0a db1\n')).toBe(true)
    })

    it('names that look like options, or are commands', async () => {
      const sshd = await serve()
      for (const name of ['-oProxyCommand=touch x', '$(touch x)', 'a;touch x', '--']) {
        const error = await failure(connect(sshd, {}, { host: name, address: name }))
        expect(['name-not-found', 'login-refused', 'ssh-config']).toContain(error.code)
      }
      for (const user of ['$(touch x)', '-oProxyCommand=x', "';touch x;'", 'ü"\\ü']) {
        expect(await failure(connect(sshd, { user }))).toMatchObject({ code: 'login-refused' })
      }
      expect(existsSync('x')).toBe(false)
    })
  })

  describe('ends in time', () => {
    it('if a server is silent, closes or is not there', async () => {
      const silent = createServer(() => undefined)
      const closes = createServer((socket) => socket.destroy())
      for (const server of [silent, closes]) {
        await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
        closing.push(async () => server.close())
      }
      const sshd = await serve()
      const portOf = (server: Server): number => (server.address() as AddressInfo).port
      const began = performance.now()
      const late = await failure(connect({ ...sshd, port: portOf(silent) }, { timeout: 2000 }))
      expect(late).toMatchObject({
        code: 'no-ssh-banner',
        message: expect.stringMatching(
          /^db1 .* sent no SSH banner\nssh: Connection timed out during banner exchange$/,
        ),
      })
      expect(performance.now() - began).toBeLessThan(25_000)
      expect(await failure(connect({ ...sshd, port: portOf(closes) }))).toMatchObject({
        code: 'no-ssh-banner',
      })
      expect(await failure(connect({ ...sshd, port: 1 }))).toMatchObject({
        code: 'connection-refused',
        message: expect.stringMatching(/^db1 refused the connection to .*\nssh: .*Connection refused$/),
      })
      await eventually(() => expect(folders()).toEqual([]))
    })

    it('if muster is killed while a script runs, with jump hosts and files', async () => {
      const [gate, inner] = [await serve(), await serve()]
      await appendFile(gate.knownHosts, await readFile(inner.knownHosts))
      await writeFile(
        join(inner.folder, 'authorized_keys'),
        await readFile(join(gate.folder, 'authorized_keys')),
      )
      const file = join(home, 'alpha.yaml')
      const way = `jump: root@localhost:${gate.port}, identity: ${gate.identity}, known-hosts: ${gate.knownHosts}`
      const gateKey = await readFile(join(gate.folder, 'ed25519-public'), 'utf8')
      await appendFile(gate.knownHosts, `${knownHostsName('localhost', gate.port)} ${gateKey}\n`)
      await writeFile(
        file,
        `cluster: alpha
ssh: { transport: openssh, user: root, port: ${inner.port}, ${way} }
services:
  alpha: { topology: clustered, master: db1, members: [db1], connectors: [db1] }
hosts:
  db1: { address: 127.0.0.1 }
`,
      )
      const muster = spawn(process.execPath, ['dist/muster.js', 'exec', file, '--', 'sleep', '86123'], {
        env: { ...process.env, HOME: home },
        stdio: 'ignore',
      })
      // On the host itself, whose own end of a broken connection is not ours.
      const sleeps = () =>
        processesWith('sleep 86123').filter((line) => /^ *\d+ \S+ +sleep 86123$/.test(line))
      await eventually(() => expect(sleeps()).toHaveLength(1))
      const [folder = ''] = folders()
      expect(processesWith(`ssh -T -E ${join(tmpdir(), folder)}`)).toHaveLength(2)
      muster.kill('SIGKILL')
      await eventually(() => {
        expect(processesWith(folder)).toEqual([])
        expect(folders()).toEqual([])
      })
      for (const line of sleeps()) process.kill(Number(line.trim().split(' ')[0]))
    })

    it('if the command is stopped while ssh connects', async () => {
      const silent = createServer(() => undefined)
      await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
      closing.push(async () => silent.close())
      const sshd = await serve()
      const stop = new AbortController()
      const port = (silent.address() as AddressInfo).port
      const stopped = connectUnlessStopped({ host: 'db1', signal: stop.signal }, () =>
        connect({ ...sshd, port }, { timeout: 3000 }),
      )
      await eventually(() => expect(folders()).toHaveLength(1))
      stop.abort()
      await expect(stopped).rejects.toMatchObject({ code: 'stopped' })
      await eventually(() => expect(folders()).toEqual([]))
    })

    it('with words of its own if it cannot write its files', async () => {
      const sshd = await serve()
      const usual = process.env.TMPDIR
      process.env.TMPDIR = join(home, 'gone')
      const error = await failure(connect(sshd))
      process.env.TMPDIR = usual
      expect(error).toMatchObject({
        code: 'ssh-config',
        message: `ssh for db1 cannot have its files in the temporary folder ${home}/gone: no such file or folder`,
      })
    })

    it('with words of its own if there is no ssh, or an old one', async () => {
      const sshd = await serve()
      const bin = join(home, 'bin')
      await mkdir(bin)
      for (const name of ['sh', 'cat']) execFileSync('ln', ['-s', `/bin/${name}`, join(bin, name)])
      const connector = newConnector({ ...process.env, PATH: bin })
      expect(await failure(connect(sshd, {}, { connector }))).toMatchObject({
        code: 'ssh-config',
        message: 'this machine has no ssh program, by which db1 is reached (transport: openssh)',
      })
      const old = 'command-line: line 0: Bad configuration option: controlpersist'
      await writeFile(join(bin, 'ssh'), `#!/bin/sh\necho '${old}' >&2\nexit 255\n`, { mode: 0o755 })
      expect((await failure(connect(sshd, {}, { connector }))).message).toBe(
        `the program ssh of this machine is too old for db1: ${old}`,
      )
    })
  })
})
