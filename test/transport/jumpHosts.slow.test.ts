import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { connect as openSocket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, pipeline, Transform } from 'node:stream'
import type { ServerChannel } from 'ssh2'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parseJumpHosts } from '../../src/transport/route.ts'
import { createSshConnector, type SshConnector } from '../../src/transport/ssh.ts'
import { forwardError } from '../../src/transport/sshErrors.ts'
import type { SshTarget } from '../../src/transport/sshTarget.ts'
import type { Transport } from '../../src/transport/transport.ts'
import { TransportError } from '../../src/transport/transportError.ts'
import { heapInUse } from '../support/heapInUse.ts'
import { type SshServer, type SshServerOptions, startSshServer } from '../support/sshServer.ts'
import { failure } from '../support/transportFailure.ts'

let folder: string
let connector: SshConnector
const servers: SshServer[] = []
const transports: Transport[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-jump-'))
  connector = createSshConnector({ readFile: (path) => readFile(path), sleep: async () => undefined })
})

afterEach(async () => {
  await Promise.all(transports.splice(0).map((transport) => transport.close()))
  await Promise.all(servers.splice(0).map((server) => server.close()))
  await rm(folder, { recursive: true, force: true })
})

/** Servers that all take the key of the first one. */
async function start(...wishes: readonly SshServerOptions[]): Promise<readonly SshServer[]> {
  for (const wish of wishes) {
    const [first] = servers
    const keys = first === undefined ? [] : [first.clientPublicKey]
    servers.push(await startSshServer({ ...wish, authorizedKeys: keys }))
  }
  await know(servers)
  return servers
}

const know = (known: readonly SshServer[]): Promise<void> =>
  writeFile(join(folder, 'known_hosts'), known.map(({ hostKeyLine }) => hostKeyLine).join(''))

const place = (server: SshServer, user?: string): string =>
  `${user === undefined ? '' : `${user}@`}${server.address}:${server.port}`

async function connect(
  host: string,
  server: SshServer,
  ssh: Partial<SshTarget> & Pick<SshTarget, 'jump'>,
): Promise<Transport> {
  const transport = await connector.connect({
    host,
    address: server.address,
    ssh: {
      user: 'root',
      port: server.port,
      become: false,
      timeout: 5000,
      identity: servers[0]?.clientKeyPath ?? '',
      knownHosts: join(folder, 'known_hosts'),
      ...ssh,
    },
    env: { home: folder, user: 'ops' },
  })
  transports.push(transport)
  return transport
}

describe('a jump host', () => {
  it('serves several hosts over one connection, which ends after the last of them', async () => {
    const [jump, db1, db2] = (await start({ forwarding: true }, {}, {})) as [SshServer, SshServer, SshServer]
    const through = { jump: [place(jump)] }
    const [one, two] = await Promise.all([connect('db1', db1, through), connect('db2', db2, through)])
    expect((await one.run('echo $((6 * 7))')).stdout.raw()).toBe('42\n')
    const content = Buffer.alloc(3_000_000, 'x')
    await two.upload({ path: join(folder, 'file'), content, mode: 0o600 })
    expect((await readFile(join(folder, 'file'))).equals(content)).toBe(true)
    expect(jump.connections()).toBe(1)
    expect([...jump.forwards()].sort()).toEqual([place(db1), place(db2)].sort())
    await one.close()
    expect((await two.run('echo in')).stdout.raw()).toBe('in\n')
    expect(jump.open()).toBe(1)
    await two.close()
    await expect.poll(() => [jump.open(), db1.open(), db2.open()]).toEqual([0, 0, 0])
  })

  it('is logged in to as its own user or the invoking one, not as the user of the host', async () => {
    const [jump, db1] = (await start({ forwarding: true }, {})) as [SshServer, SshServer]
    await connect('db1', db1, { jump: [place(jump, 'walter')] })
    await connect('db1', db1, { jump: [place(jump)] })
    expect([...new Set(jump.logins())]).toEqual(['walter ssh-ed25519', 'ops ssh-ed25519'])
    expect([...new Set(db1.logins())]).toEqual(['root ssh-ed25519'])
  })

  it('may be behind another one, and each serves hosts of its own', async () => {
    const [outer, inner, db1] = (await start({ forwarding: true }, { forwarding: true }, {})) as [
      SshServer,
      SshServer,
      SshServer,
    ]
    const [deep] = await Promise.all([
      connect('db1', db1, { jump: [place(outer), place(inner)] }),
      connect('db2', inner, { jump: [place(outer)] }),
    ])
    expect((await deep.run('echo in')).stdout.raw()).toBe('in\n')
    expect(outer.connections()).toBe(1)
    expect([...new Set(outer.forwards())]).toEqual([place(inner)])
    expect(inner.forwards()).toEqual([place(db1)])
  })

  it('is connected again for a host that comes after its connection ended', async () => {
    const [jump, db1] = (await start({ forwarding: true }, {})) as [SshServer, SshServer]
    const through = { jump: [place(jump)] }
    await (await connect('db1', db1, through)).close()
    await expect.poll(() => jump.open()).toBe(0)
    expect((await (await connect('db1', db1, through)).run('echo in')).stdout.raw()).toBe('in\n')
    expect(jump.connections()).toBe(2)
  })

  it('is disconnected at once if the host behind it refuses the login', async () => {
    const [jump, db1] = (await start({ forwarding: true }, { fault: 'refuse-login' })) as [
      SshServer,
      SshServer,
    ]
    const error = await failure(connect('db1', db1, { jump: [place(jump)] }))
    expect(error.code).toBe('login-refused')
    expect(error.message).toMatch(/^db1 refused the login of root /)
    expect(db1.connections()).toBe(1)
    await expect.poll(() => jump.open()).toBe(0)
  })

  it('retries a host that closes before its banner', async () => {
    const [jump, db1] = (await start({ forwarding: true }, { fault: 'close-before-banner' })) as [
      SshServer,
      SshServer,
    ]
    const error = await failure(connect('db1', db1, { jump: [place(jump)] }))
    expect(error.code).toBe('no-ssh-banner')
    expect(db1.connections()).toBe(4)
    expect(jump.connections()).toBe(1)
  })
})

describe('a jump host that fails', () => {
  it('is checked by its own key before any login, and reported for every host behind it', async () => {
    const [jump, db1, db2] = (await start({ forwarding: true }, {}, {})) as [SshServer, SshServer, SshServer]
    await know([db1, db2])
    const through = { jump: [place(jump)] }
    const errors = await Promise.all([
      failure(connect('db1', db1, through)),
      failure(connect('db2', db2, through)),
    ])
    expect(errors.map(({ host, code }) => [host, code])).toEqual([
      ['db1', 'host-key-unknown'],
      ['db2', 'host-key-unknown'],
    ])
    expect(errors[1]?.message).toContain(
      `db2 is behind the jump host 127.0.0.1: the host key of the jump host 127.0.0.1 is unknown: [127.0.0.1]:${jump.port} presented ${jump.hostKeyFingerprint}`,
    )
    expect(jump.logins()).toEqual([])
    expect([db1.connections(), db2.connections()]).toEqual([0, 0])
  })

  it('does not weaken the key check of the host behind it', async () => {
    const [jump, db1] = (await start({ forwarding: true }, {})) as [SshServer, SshServer]
    await know([jump])
    const error = await failure(connect('db1', db1, { jump: [place(jump)] }))
    expect(error.code).toBe('host-key-unknown')
    expect(error.message).toContain(db1.hostKeyFingerprint)
    expect(db1.logins()).toEqual([])
  })

  it('is asked for a login once, however many hosts are behind it', async () => {
    const [jump, db1] = (await start({ forwarding: true, fault: 'refuse-login' }, {})) as [
      SshServer,
      SshServer,
    ]
    const through = { jump: [place(jump)] }
    const names = ['db1', 'db2', 'db3']
    const errors = await Promise.all(names.map((name) => failure(connect(name, db1, through))))
    errors.push(await failure(connect('db4', db1, through)))
    expect(errors.map(({ host, code }) => `${host} ${code}`)).toEqual(
      [...names, 'db4'].map((name) => `${name} login-refused`),
    )
    expect(errors[3]?.message).toMatch(
      /^db4 is behind the jump host 127\.0\.0\.1: the jump host 127\.0\.0\.1 refused the login of ops /,
    )
    expect(errors[3]?.jump).toBe('the jump host 127.0.0.1')
    expect(jump.connections()).toBe(1)
    expect(db1.connections()).toBe(0)
  })

  it('is retried after a transient failure, once for all hosts', async () => {
    const [jump, db1] = (await start({ forwarding: true, fault: 'close-before-banner' }, {})) as [
      SshServer,
      SshServer,
    ]
    const through = { jump: [place(jump)] }
    const errors = await Promise.all(['db1', 'db2'].map((name) => failure(connect(name, db1, through))))
    expect(errors.map(({ code }) => code)).toEqual(['no-ssh-banner', 'no-ssh-banner'])
    expect(jump.connections()).toBe(4)
  })

  it('is reported if it forwards nothing', async () => {
    const [jump, db1] = (await start({}, {})) as [SshServer, SshServer]
    const error = await failure(connect('db1', db1, { jump: [place(jump)] }))
    expect(error.host).toBe('db1')
    expect(error.message).toContain(`the jump host 127.0.0.1 `)
    expect(error.message).toContain(`db1 (127.0.0.1 port ${db1.port})`)
    expect(error.jump).toBe('the jump host 127.0.0.1')
    expect(jump.connections()).toBe(1)
  })

  it('is named if nothing listens there, among several', async () => {
    const [outer, inner, db1] = (await start({ forwarding: true }, { forwarding: true }, {})) as [
      SshServer,
      SshServer,
      SshServer,
    ]
    await inner.close()
    const error = await failure(connect('db1', db1, { jump: [place(outer), place(inner)] }))
    expect(error.message).toMatch(
      /^db1 is behind the jump host 127\.0\.0\.1: the jump host 127\.0\.0\.1 cannot connect to the jump host 127/,
    )
    expect(db1.connections()).toBe(0)
    await expect.poll(() => outer.open()).toBe(0)
  })

  it('is named as the reason if its connection is lost', async () => {
    const [jump, db1] = (await start({ forwarding: true }, {})) as [SshServer, SshServer]
    const transport = await connect('db1', db1, { jump: [place(jump)] })
    await transport.run('true')
    const running = failure(transport.run('sleep 5'))
    jump.breakConnections('reset')
    const error = await running
    expect(error.code).toBe('connection-lost')
    expect(error.message).toBe(
      'the connection to db1 was lost: the connection to the jump host 127.0.0.1, which it goes through, was lost: the other side reset the connection',
    )
  })

  it('does not delay closing a connection through it', async () => {
    const [jump, db1] = (await start({ forwarding: true }, {})) as [SshServer, SshServer]
    const transport = await connect('db1', db1, { jump: [place(jump)] })
    jump.breakConnections('freeze')
    await transport.close()
    expect((await failure(transport.run('true'))).code).toBe('connection-lost')
  })
})

describe('a hostile jump host', () => {
  /** Carries bytes on to a server and back, changing them on the way. */
  const relay =
    (server: () => SshServer | undefined, change: { there?: Transform; back?: Transform }) =>
    (channel: ServerChannel): void => {
      const socket = openSocket(server()?.port ?? 0, server()?.address)
      socket.on('error', () => channel.close())
      channel.once('close', () => socket.destroy())
      pipeline([channel, change.there ?? new PassThrough(), socket], () => undefined)
      pipeline([socket, change.back ?? new PassThrough(), channel], () => undefined)
    }
  /** Passes bytes on until it is armed, and then turns one bit of the next chunk, or sends that chunk twice. */
  const tampering = (how: 'flip' | 'repeat') => {
    let armed = false
    const stream = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        if (!armed) return done(null, chunk)
        armed = false
        if (how === 'repeat') return done(null, Buffer.concat([chunk, chunk]))
        const changed = Buffer.from(chunk)
        changed.writeUInt8(changed.readUInt8(chunk.length - 1) ^ 1, chunk.length - 1)
        done(null, changed)
      },
    })
    return {
      stream,
      arm: () => {
        armed = true
      },
    }
  }

  it('cannot lead to another host, not even to one that is known', async () => {
    let db2: SshServer | undefined
    const [jump, db1, other] = (await start({ forwarding: relay(() => db2, {}) }, {}, {})) as [
      SshServer,
      SshServer,
      SshServer,
    ]
    db2 = other
    const error = await failure(connect('db1', db1, { jump: [place(jump)] }))
    expect(error.code).toBe('host-key-changed')
    expect(error.message).toContain(other.hostKeyFingerprint)
    expect(other.connections()).toBe(1)
    expect(other.logins()).toEqual([])
  })

  it.each(['flip', 'repeat'] as const)('cannot change requests: %s', async (how) => {
    const there = tampering(how)
    let goal: SshServer | undefined
    const [jump, db1] = (await start({ forwarding: relay(() => goal, { there: there.stream }) }, {})) as [
      SshServer,
      SshServer,
    ]
    goal = db1
    const transport = await connect('db1', db1, { jump: [place(jump)] })
    await transport.run('true')
    there.arm()
    const error = await failure(transport.run(`echo x >> ${join(folder, 'ran')}`))
    expect(error).toMatchObject({ host: 'db1', code: 'connection-lost' })
    // Sent twice, the first is the one that was meant, and the second ends the connection.
    const ran = await readFile(join(folder, 'ran'), 'utf8').catch(() => '')
    expect(how === 'flip' ? [''] : ['', 'x\n']).toContain(ran)
  })

  it.each(['flip', 'repeat'] as const)('cannot change responses: %s', async (how) => {
    const back = tampering(how)
    let goal: SshServer | undefined
    const [jump, db1] = (await start({ forwarding: relay(() => goal, { back: back.stream }) }, {})) as [
      SshServer,
      SshServer,
    ]
    goal = db1
    const transport = await connect('db1', db1, { jump: [place(jump)] })
    await transport.run('true')
    back.arm()
    const answers: string[] = []
    for (let count = 0; count < 3; count += 1) {
      const answer = await transport.run(`echo ${count}`).then(
        ({ stdout }) => stdout.raw(),
        (error: unknown) => (error instanceof TransportError ? error.code : String(error)),
      )
      answers.push(answer)
    }
    expect(answers.at(-1)).toBe('connection-lost')
    for (const [index, answer] of answers.entries()) {
      expect([`${index}\n`, 'connection-lost']).toContain(answer)
    }
  })

  it("cannot exhaust the operator's memory with endless output before the banner", async () => {
    const flood = Buffer.alloc(65_536, 'x')
    const [jump, db1] = (await start(
      {
        forwarding: (channel) => {
          const more = (): void => {
            while (!channel.destroyed && channel.write(flood));
            if (!channel.destroyed) channel.once('drain', more)
          }
          more()
        },
      },
      {},
    )) as [SshServer, SshServer]
    const before = heapInUse()
    const error = await failure(connect('db1', db1, { jump: [place(jump)], timeout: 2000 }))
    expect(error.host).toBe('db1')
    expect(error.message).not.toContain('xxxx')
    expect(heapInUse() - before).toBeLessThan(16 * 1024 * 1024)
  })

  it('opens no channel back to the operator', async () => {
    const opened: string[] = []
    const [jump, db1] = (await start(
      {
        forwarding: true,
        onLogin: (connection) => {
          const told = (name: string) => (error: Error | undefined) =>
            void opened.push(`${name} ${error === undefined ? 'opened' : 'refused'}`)
          connection.forwardOut('127.0.0.1', 22, '127.0.0.1', 22, told('tcp'))
          connection.x11('127.0.0.1', 6000, told('x11'))
          connection.openssh_forwardOutStreamLocal('/run/agent', told('socket'))
        },
      },
      {},
    )) as [SshServer, SshServer]
    const transport = await connect('db1', db1, { jump: [place(jump)] })
    expect((await transport.run('echo in')).stdout.raw()).toBe('in\n')
    await expect.poll(() => [...opened].sort()).toEqual(['socket refused', 'tcp refused', 'x11 refused'])
  })
})

describe('a jump host that cannot connect to the next host', () => {
  const way = { jump: 'the jump host b', next: 'db1', address: '10.0.0.11', port: 22 }

  it.each([
    [1, 'open failed', 'forwarding-refused', 'AllowTcpForwarding'],
    [2, 'Connection refused', 'connection-refused', 'sshd'],
    [2, 'Connection timed out', 'connection-timeout', 'firewall'],
    [2, 'No route to host', 'connection-timeout', 'firewall'],
    [2, 'Name or service not known', 'name-not-found', 'not this machine'],
    [2, '', 'connection-lost', 'log of sshd'],
  ])('fails the next host with the reason: %i %s, %s', (reason, description, code, fix) => {
    const error = forwardError(way, { message: `(SSH) Channel open failure: ${description}`, reason })
    expect(error).toMatchObject({ host: 'db1', code, jump: 'the jump host b' })
    expect(error.message).toMatch(/^the jump host b .* db1 \(10\.0\.0\.11 port 22\): \S/)
    expect(error.message.endsWith(description)).toBe(true)
    expect(error.fix).toContain(fix)
  })
})

describe('the name of a jump host', () => {
  it.each([
    ['bastion', { host: 'bastion' }],
    ['ops@bastion.example.org:2222', { user: 'ops', host: 'bastion.example.org', port: 2222 }],
    ['[2001:db8::1]', { host: '2001:db8::1' }],
    ['ops@[2001:db8::1]:22', { user: 'ops', host: '2001:db8::1', port: 22 }],
    ['ssh://ops@bastion:2222', { user: 'ops', host: 'bastion', port: 2222 }],
  ])('is parsed from %s', (text, jump) => {
    expect(parseJumpHosts([text])).toEqual([jump])
  })

  it('is empty for none', () => {
    expect(parseJumpHosts(['none'])).toEqual([])
  })
})
