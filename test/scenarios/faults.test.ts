import { existsSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { endsWell, type Fault, oneError } from '../support/endsWell.ts'
import { eventually } from '../support/eventually.ts'
import { clockLibrary } from '../support/otherClock.ts'
import { freePort } from '../support/ports.ts'
import { hasSshd, startSshd } from '../support/sshd.ts'
import { type SshServer, startSshServer } from '../support/sshServer.ts'
import { clusterFile, type HostWish, login } from './support/clusterFile.ts'
import { faultSite, passwordOption } from './support/faultSite.ts'
import { words } from './support/operator.ts'
import { writeTinyRuntime } from './support/tinyRuntime.ts'
import { createWorld, type World } from './support/world.ts'

type Row = Omit<Fault, 'site' | 'told'> & { readonly says: Omit<Parameters<typeof oneError>[0], 'host'> }

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
 * Rows of the fault table (deployment.md) on a cluster that runs, each with another password and settings to
 * install: `endsWell` has what is asked of every one of them.
 */
describe.skipIf(process.platform !== 'linux')('a fault (needs Linux)', () => {
  let world: World
  let site: ReturnType<typeof faultSite>
  let level: 'debug' | 'info' = 'info'

  const db2 = () => world.host('db2')
  /** What the file says; `changes` are those of db2. */
  const describeCluster = (changes: Partial<HostWish> = {}) => {
    const ssh = { ...db2().ssh, ...changes.ssh }
    const hosts = [world.host('db1'), { ...db2(), ...changes, ssh }]
    const defaults = { 'log-level': level, ...passwordOption }
    world.operator.write('alpha.yaml', clusterFile({ hosts, defaults }))
  }
  const sshFault = (fault: Parameters<SshServer['setFault']>[0]) => () => {
    db2().server.setFault(fault)
    return () => db2().server.setFault('none')
  }
  const listening = (server: Server, port: number, address: string) =>
    new Promise<void>((resolve) => server.listen(port, address, resolve))
  const quiet = () =>
    eventually(() => expect(world.hosts.map(({ server }) => server.running())).toEqual([0, 0]))

  /** A host that lost its operator lets go of the lock when it notices. */
  const unlocked = () =>
    eventually(async () => expect((await world.muster('lock', ['status'])).stdout).not.toContain('held'))

  beforeAll(async () => {
    world = await createWorld(2)
    site = faultSite(world, {
      describe: () => {
        level = level === 'info' ? 'debug' : 'info'
        describeCluster()
      },
    })
    describeCluster()
    expect(await world.muster('install')).toMatchObject({ code: 0 })
  })
  afterEach(quiet)
  afterAll(() => world?.close())

  const rows: readonly (readonly [string, Row])[] = [
    [
      'of a host that is down at start',
      {
        row: 'down at start',
        begin: async () => {
          const port = await freePort(db2().address)
          describeCluster({ ssh: { port } })
          return () => describeCluster()
        },
        code: 4,
        says: {
          what: /^refused the connection to 127\.0\.0\.3 port \d+$/,
          code: 'connection-refused',
          fix: /^Check that sshd runs there on this port, /,
        },
      },
    ],
    [
      'of a host that takes connections and never says a word',
      {
        row: 'accepts TCP, never a banner',
        begin: () => {
          describeCluster({ ssh: { timeout: '5s' } })
          const end = sshFault('silent')()
          return () => {
            describeCluster()
            end()
          }
        },
        code: 4,
        says: {
          what: /^127\.0\.0\.3 port \d+ accepted the connection, but sent no SSH banner within 5 s$/,
          code: 'no-ssh-banner',
          fix: /^Check that sshd listens on this port\. It may also be overloaded/,
        },
      },
    ],
    [
      'of a host that resets after its banner',
      {
        row: 'resets after the banner',
        begin: sshFault('reset-after-banner'),
        code: 4,
        says: {
          what: /^the connection to db2 .* was lost: the other side reset the connection$/,
          code: 'connection-lost',
          fix: /^Check the log of sshd on the host/,
        },
      },
    ],
    [
      'of a login that is refused',
      {
        row: 'wrong login',
        begin: sshFault('refuse-login'),
        code: 1,
        says: {
          what: /^refused the login of \S+ \(tried: .*id_ed25519\)$/,
          code: 'login-refused',
          fix: /one of these keys to its ~\/\.ssh\/authorized_keys/,
        },
      },
    ],
    [
      'of a host key that has changed',
      {
        row: 'host key changed',
        begin: async () => {
          const other = await startSshServer({ address: db2().address })
          const line = other.hostKeyLine.replace(`:${other.port} `, `:${db2().server.port} `)
          describeCluster({ ssh: { 'known-hosts': world.operator.write('known_hosts', line) } })
          await other.close()
          return () => describeCluster()
        },
        code: 1,
        says: {
          what: /it presented SHA256:.* line 1 has SHA256:/,
          code: 'host-key-changed',
          fix: /remove the old key with "ssh-keygen -R/,
        },
      },
    ],
    [
      'of a jump host that lets nobody through (AllowTcpForwarding no)',
      {
        row: 'AllowTcpForwarding no',
        begin: async () => {
          const own = db2().server.clientPublicKey
          const options = { address: '127.0.0.9', authorizedKeys: [own] }
          let jump = await startSshServer(options)
          const through = () => {
            const known = `${jump.hostKeyLine}${db2().server.hostKeyLine}`
            const to = `${login}@${jump.address}:${jump.port}`
            describeCluster({ ssh: { jump: to, 'known-hosts': world.operator.write('known_hosts', known) } })
          }
          through()
          // The way on leads through it all the same.
          return async () => {
            await jump.close()
            jump = await startSshServer({ ...options, forwarding: true })
            cleanUp = () => jump.close()
            through()
          }
        },
        code: 1,
        says: {
          what: /^the jump host 127\.0\.0\.9 refuses to forward connections to db2 /,
          code: 'forwarding-refused',
          fix: /^Set "AllowTcpForwarding yes" in sshd_config there/,
        },
      },
    ],
    [
      'of a port that another program has',
      {
        row: 'port taken',
        begin: async () => {
          const occupant = createServer()
          const port = await freePort(db2().address)
          await listening(occupant, port, db2().address)
          describeCluster({ options: { 'connector-rest-api-port': port } })
          return () => new Promise((resolve) => occupant.close(resolve))
        },
        code: 1,
        says: {
          what: /^port \d+ of the connector is in use: another program listens on 127\.0\.0\.3:\d+$/,
          code: 'port-in-use',
          fix: /^Stop that program .* or set connector-rest-api-port to a free port\.$/,
        },
      },
    ],
    [
      'of sudo that wants a password',
      {
        row: 'sudo wants a password',
        begin: () => {
          const sudo = join(db2().tools, 'sudo')
          const secret = `s'"$#%:@ é`
          world.operator.write('right', `${secret}\n`)
          writeFileSync(sudo, sudoWith(join(world.operator.directory, 'right')), { mode: 0o755 })
          describeCluster({ ssh: { user: 'ops', become: true } })
          return () => {
            world.operator.env.SUDO_PASS = secret
            describeCluster({ ssh: { user: 'ops', become: true, 'become-password': '!env SUDO_PASS' } })
          }
        },
        code: 1,
        says: {
          what: /^sudo on db2 requires a password for ops: sudo: a password is required$/,
          code: 'sudo-refused',
          fix: /^Set become-password under ssh/,
        },
      },
    ],
    [
      'of 50 MB of output from a host',
      {
        row: '50 MB of output from a host',
        begin: () => {
          const uname = join(db2().tools, 'uname')
          writeFileSync(uname, "#!/bin/sh\nhead -c 50000000 /dev/zero | tr '\\0' x\n", { mode: 0o755 })
          return () => rmSync(uname)
        },
        code: 1,
        says: {
          what: /^a script on db2 wrote more than 8 MiB$/,
          code: 'too-much-output',
          fix: /^Find out what prints without end on the host/,
        },
      },
    ],
    [
      'of a host that goes down while it is changed',
      {
        row: 'goes down mid-run',
        begin: () => unlocked,
        attempt: () => {
          const settings = watch(join(db2().directory, 'share'), (_, name) => {
            if (name === 'connector.json') db2().server.breakConnections('reset')
          })
          return world.muster('install').finally(() => settings.close())
        },
        code: 4,
        done: ['db1'],
        torn: ['db2'],
        says: {
          what: /^the connection to db2 was lost: .*\n {4}The host is unreachable, so its changes were not undone\. The next run continues there\.$/,
          code: 'connection-lost',
          fix: /^Check that the host is up and reachable/,
        },
      },
    ],
  ]
  let cleanUp: () => unknown = () => undefined

  it.each(rows)(
    '%s is reported, loses nothing, and the next run completes',
    async (_, { says, ...fault }) => {
      try {
        await endsWell({ ...fault, site, told: oneError({ host: 'db2', ...says }) })
      } finally {
        await cleanUp()
        cleanUp = () => undefined
      }
    },
    120_000,
  )

  describe.skipIf(!hasSshd)('of OpenSSH (needs root and /usr/sbin/sshd)', () => {
    let sshd: Awaited<ReturnType<typeof startSshd>>
    /** Both limits are in its configuration all the time; forwarding is off as well. */
    const through = () => {
      const { port, identity, knownHosts } = sshd
      describeCluster({ ssh: { user: 'root', port, identity, 'known-hosts': knownHosts, timeout: '20s' } })
    }
    beforeAll(async () => {
      sshd = await startSshd(db2().address)
    })
    afterAll(() => sshd?.close())

    it('that is full (MaxStartups 2:100:3) is reported, and the next run completes', async () => {
      await endsWell({
        row: 'MaxStartups 2:100:3',
        site,
        begin: () => {
          through()
          return sshd.hold(2)
        },
        code: 4,
        told: oneError({
          host: 'db2',
          what: /^127\.0\.0\.3 port \d+ closed the connection before it sent an SSH banner$/,
          code: 'no-ssh-banner',
          fix: /MaxStartups/,
        }),
      })
    })

    it('that allows one session per connection (MaxSessions 1) does not hinder a run', async () => {
      await endsWell({
        row: 'MaxSessions 1',
        site,
        begin: () => {
          through()
          return () => undefined
        },
        code: 0,
        told: ({ stderr }) => expect(stderr).toBe(''),
        done: ['db1', 'db2'],
      })
    })
  })

  it.skipIf(clockLibrary === undefined)(
    'of a clock two hours behind is reported by check, and does not affect a run (needs libfaketime)',
    async () => {
      const date = join(db2().tools, 'date')
      const node = join(world.folder, 'clocked-node')
      await endsWell({
        row: 'clock two hours off',
        site,
        begin: () => {
          writeFileSync(date, `#!/bin/sh\nexec /bin/date -d '2 hours ago' "$@"\n`, { mode: 0o755 })
          // What runs on db2 has its clock, too: certificates, records and locks are judged by it there.
          const behind = `LD_PRELOAD=${clockLibrary} FAKETIME=-2h FAKETIME_DONT_FAKE_MONOTONIC=1; export LD_PRELOAD FAKETIME FAKETIME_DONT_FAKE_MONOTONIC`
          const script = `#!/bin/sh\ncase "$*" in */db2/*) ${behind} ;; esac\nexec ${process.execPath} "$@"\n`
          writeFileSync(node, script, { mode: 0o755 })
          writeTinyRuntime(join(world.folder, 'node'), node)
          return () => {
            rmSync(date)
            writeFileSync(node, `#!/bin/sh\nexec ${process.execPath} "$@"\n`)
          }
        },
        attempt: async () => {
          const check = await world.muster('check')
          // The median of two hosts lies between them.
          expect(check.stdout.replaceAll(/\s+/g, ' ')).toMatch(
            /warning clock its clock is (59\.\d|60\.0) minutes behind the median of the hosts/,
          )
          return world.muster('install')
        },
        code: 0,
        told: ({ stderr }) => expect(stderr).toBe(''),
        done: ['db1', 'db2'],
      })
    },
    120_000,
  )

  it('of an address that is now another machine stops every command on that host, until --replaced', async () => {
    const record = join(world.operator.directory, '.muster/alpha/machines.json')
    const own = JSON.parse(readFileSync(record, 'utf8'))
    expect(Object.keys(own.machines)).toEqual(['db1', 'db2'])
    const stopped = 'is not the machine that was installed: expected machine-id ffffffff…'
    await endsWell({
      row: 'address now another machine',
      site,
      begin: () => {
        const other = { ...own, machines: { ...own.machines, db2: 'f'.repeat(32) } }
        writeFileSync(record, JSON.stringify(other))
        return async () => {
          const replaced = await world.muster('install', ['--replaced', 'db2'])
          expect(replaced, words(replaced)).toMatchObject({ code: 0 })
          expect(JSON.parse(readFileSync(record, 'utf8'))).toEqual(own)
        }
      },
      attempt: async () => {
        for (const command of ['plan', 'restart', 'uninstall', 'rollback', 'status', 'check']) {
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
          expect(words(outcome).replaceAll(/\s+/g, ' '), asked.join(' ')).toContain(stopped)
        }
        expect(existsSync(ran)).toBe(false)
        const vain = await world.muster('install', ['--replaced', 'db7'])
        expect(vain.code).toBe(3)
        expect(vain.stderr).toContain('--replaced db7 is not a selected host.')
        return world.muster('install', ['--host', 'db2'])
      },
      code: 1,
      told: oneError({
        host: 'db2',
        what: /^is not the machine that was installed: expected machine-id ffffffff…/,
        code: 'other-machine',
        fix: /--replaced db2/,
      }),
    })
  })
})
