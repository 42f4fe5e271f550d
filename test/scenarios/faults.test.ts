import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { freePort } from '../support/ports.ts'
import { hasSshd, startSshd } from '../support/sshd.ts'
import { type SshServer, startSshServer } from '../support/sshServer.ts'
import { clusterFile, type HostWish, login } from './support/clusterFile.ts'
import { words } from './support/operator.ts'
import { snapshot } from './support/snapshot.ts'
import { createWorld, type World } from './support/world.ts'

/** What a fault is, and what a run says of it. */
type Fault = {
  /** Makes it, and answers with what ends it. */
  readonly begin: () => Promise<() => unknown> | (() => unknown)
  readonly code: number
  readonly says: RegExp
}

/** A sudo that wants the password of a file, and lets its caller be whoever that is. */
const sudoWith = (file: string): string =>
  [
    '#!/bin/sh',
    '[ "$1" = -n ] && { echo "sudo: a password is required" >&2; exit 1; }',
    'printf %s "$3" >&2; IFS= read -r line',
    `[ "$line" = "$(cat ${file})" ] || { echo "Sorry, try again." >&2; exit 1; }`,
    'shift 3; exec "$@"',
  ].join('\n')

/**
 * Rows of the fault table (deployment.md) on a cluster that runs: while the fault lasts a run changes nothing that
 * is installed and says what is wrong, and the next run after it ends what was wanted.
 */
describe.skipIf(process.platform !== 'linux')('a fault (needs Linux)', () => {
  let world: World
  let level: 'debug' | 'info' = 'info'

  const db2 = () => world.host('db2')
  /** Gives every run something to do; `changes` are those of db2. */
  const wish = (changes: Partial<HostWish> = {}) => {
    const ssh = { ...db2().ssh, ...changes.ssh }
    const hosts = [world.host('db1'), { ...db2(), ...changes, ssh }]
    world.operator.write('alpha.yaml', clusterFile({ hosts, defaults: { 'log-level': level } }))
  }
  // What the components themselves write goes on meanwhile.
  const installed = () =>
    world.hosts.map(({ directory }) =>
      Object.entries(snapshot(directory)).filter(([path]) => !path.startsWith('share/state/')),
    )
  const settled = async () => {
    const install = await world.muster('install')
    expect(install, words(install)).toMatchObject({ code: 0 })
    expect(install.stdout).toContain('logins proved')
    const plan = await world.muster('plan')
    expect(plan, words(plan)).toMatchObject({ code: 0 })
  }
  const sshFault = (fault: Parameters<SshServer['setFault']>[0]) => () => {
    db2().server.setFault(fault)
    return () => db2().server.setFault('none')
  }
  const listening = (server: Server, port: number, address: string) =>
    new Promise<void>((resolve) => server.listen(port, address, resolve))

  beforeAll(async () => {
    world = await createWorld(2)
    wish()
    await settled()
  }, 120_000)
  afterEach(async () => {
    await eventually(() => expect(world.hosts.map(({ server }) => server.running())).toEqual([0, 0]))
  })
  afterAll(() => world?.close())

  const rows: readonly (readonly [string, Fault])[] = [
    [
      'of a host that is down at start',
      {
        begin: async () => {
          const port = await freePort(db2().address)
          wish({ ssh: { port } })
          return () => wish()
        },
        code: 4,
        says: /db2:? refused the connection to 127\.0\.0\.3 port \d+/,
      },
    ],
    [
      'of a host that takes connections and never says a word',
      {
        begin: () => {
          wish({ ssh: { timeout: '1s' } })
          const end = sshFault('silent')()
          return () => {
            wish()
            end()
          }
        },
        code: 4,
        says: /db2: .* did not say within 1 s that it is an SSH server/,
      },
    ],
    [
      'of a host that resets after its banner',
      { begin: sshFault('reset-after-banner'), code: 4, says: /the connection to db2 .* broke: ECONNRESET/ },
    ],
    [
      'of a login that is refused',
      { begin: sshFault('refuse-login'), code: 1, says: /db2: refused the login of .*\[login-refused\]/ },
    ],
    [
      'of a host key that has changed',
      {
        begin: async () => {
          const other = await startSshServer({ address: db2().address })
          const line = other.hostKeyLine.replace(`:${other.port} `, `:${db2().server.port} `)
          wish({ ssh: { 'known-hosts': world.operator.write('known_hosts', line) } })
          await other.close()
          return () => wish()
        },
        code: 1,
        says: /it showed SHA256:.* line 1 has SHA256:.*\[host-key-changed\]/,
      },
    ],
    [
      'of a jump host that lets nobody through (AllowTcpForwarding no)',
      {
        begin: async () => {
          const own = db2().server.clientPublicKey
          const jump = await startSshServer({ address: '127.0.0.9', authorizedKeys: [own] })
          const known = `${jump.hostKeyLine}${db2().server.hostKeyLine}`
          const to = `${login}@${jump.address}:${jump.port}`
          wish({ ssh: { jump: to, 'known-hosts': world.operator.write('known_hosts', known) } })
          return async () => {
            wish()
            await jump.close()
          }
        },
        code: 1,
        says: /the jump host 127\.0\.0\.9 does not let anybody through to db2 .*\[forwarding-refused\]/,
      },
    ],
    [
      'of a port that another program has',
      {
        begin: async () => {
          const occupant = createServer()
          const port = await freePort(db2().address)
          await listening(occupant, port, db2().address)
          wish({ options: { 'connector-rest-api-port': port } })
          return () => new Promise((resolve) => occupant.close(resolve))
        },
        code: 1,
        says: /port \d+.*\[port-in-use\]/,
      },
    ],
    [
      'of sudo that wants a password',
      {
        begin: () => {
          const sudo = join(db2().tools, 'sudo')
          const secret = `s'"$#%:@ é`
          world.operator.write('right', `${secret}\n`)
          writeFileSync(sudo, sudoWith(join(world.operator.directory, 'right')), { mode: 0o755 })
          wish({ ssh: { user: 'ops', become: true } })
          return () => {
            world.operator.env.SUDO_PASS = secret
            wish({ ssh: { user: 'ops', become: true, 'become-password': '!env SUDO_PASS' } })
          }
        },
        code: 1,
        says: /sudo on db2 wants a password of ops: sudo: a password is required.*\[sudo-refused\]/,
      },
    ],
    [
      'of 50 MB of output from a host',
      {
        begin: () => {
          const uname = join(db2().tools, 'uname')
          writeFileSync(uname, "#!/bin/sh\nhead -c 50000000 /dev/zero | tr '\\0' x\n", { mode: 0o755 })
          return () => rmSync(uname)
        },
        code: 1,
        says: /a script on db2 wrote more than 8 MiB.*\[too-much-output\]/,
      },
    ],
    [
      'of an own certificate that serves for nothing',
      {
        begin: () => {
          const store = world.operator.write('own.p12', 'not a keystore')
          const options = {
            'java-tls-keystore-path': store,
            'java-keystore-password': 'changeit-1',
            'java-truststore-path': store,
            'java-truststore-password': 'changeit-1',
          }
          wish({ options })
          return () => wish()
        },
        code: 1,
        says: /error.*keystore/,
      },
    ],
  ]

  it.each(rows)(
    '%s changes nothing, is told, and leaves the next run to end what was wanted',
    async (_, { begin, code, says }) => {
      level = level === 'info' ? 'debug' : 'info'
      wish()
      const before = installed()
      const end = await begin()
      const outcome = await world.muster('install')
      expect(words(outcome)).toMatch(says)
      expect(outcome.code, words(outcome)).toBe(code)
      expect(installed()).toEqual(before)
      await end()
      await settled()
    },
    120_000,
  )

  it.skipIf(!hasSshd)(
    'of an SSH server that is full (MaxStartups 2:100:3) is told, and one session (MaxSessions 1) is enough for all',
    async () => {
      level = level === 'info' ? 'debug' : 'info'
      const sshd = await startSshd(db2().address)
      try {
        const { port, identity, knownHosts } = sshd
        wish({ ssh: { user: 'root', port, identity, 'known-hosts': knownHosts, timeout: '20s' } })
        const letGo = await sshd.hold(2)
        const before = installed()
        const outcome = await world.muster('install')
        expect(words(outcome)).toMatch(/db2: .*\[no-ssh-banner\].*MaxStartups/s)
        expect(outcome.code, words(outcome)).toBe(4)
        expect(installed()).toEqual(before)
        await letGo()
        await settled()
      } finally {
        await sshd.close()
      }
    },
    120_000,
  )

  it('of a clock two hours behind is told by check, and no run is misled by it', async () => {
    wish()
    const date = join(db2().tools, 'date')
    writeFileSync(date, `#!/bin/sh\nexec /bin/date -d '2 hours ago' "$@"\n`, { mode: 0o755 })
    try {
      const check = await world.muster('check')
      // The median of two hosts lies between them.
      expect(check.stdout.replaceAll(/\s+/g, ' ')).toMatch(
        /db2 warning clock its clock is (59\.\d|60\.0) minutes behind the median of the hosts/,
      )
      level = level === 'info' ? 'debug' : 'info'
      wish()
      await settled()
    } finally {
      rmSync(date)
    }
    await settled()
  }, 120_000)

  it('of an address that is now another machine stops every command on that host, until it is said to be meant', async () => {
    level = level === 'info' ? 'debug' : 'info'
    wish()
    const record = join(world.operator.directory, '.muster/alpha/machines.json')
    const own = JSON.parse(readFileSync(record, 'utf8'))
    expect(Object.keys(own.machines)).toEqual(['db1', 'db2'])
    const other = { ...own, machines: { ...own.machines, db2: 'f'.repeat(32) } }
    writeFileSync(record, JSON.stringify(other))
    const before = installed()
    const stopped = 'is not the machine that was installed: that one has the machine-id ffffffff…'
    for (const command of ['plan', 'install', 'restart', 'uninstall', 'rollback', 'status', 'check']) {
      const outcome = await world.muster(command, ['--host', 'db2'])
      expect(outcome.code, command).toBe(1)
      expect(words(outcome).replaceAll(/\s+/g, ' '), command).toContain(stopped)
    }
    const barely = [['logs'], ['lock', 'status'], ['lock', 'release', '--yes'], ['exec']]
    const ran = join(world.folder, 'ran')
    for (const asked of barely) {
      const program = asked[0] === 'exec' ? ['--', 'touch', ran] : []
      const outcome = await world.operator.muster([...asked, '--host', 'db2', 'alpha.yaml', ...program])
      expect(outcome.code, asked.join(' ')).toBe(1)
      expect(`${outcome.stdout}${outcome.stderr}`.replaceAll(/\s+/g, ' '), asked.join(' ')).toContain(stopped)
    }
    expect(existsSync(ran)).toBe(false)
    expect(installed()).toEqual(before)
    const vain = await world.muster('install', ['--replaced', 'db7'])
    expect(vain.code).toBe(3)
    expect(vain.stderr).toContain('--replaced db7 names no host that this command is for.')
    const replaced = await world.muster('install', ['--replaced', 'db2'])
    expect(replaced, words(replaced)).toMatchObject({ code: 0 })
    expect(JSON.parse(readFileSync(record, 'utf8'))).toEqual(own)
    await settled()
  }, 120_000)
})
