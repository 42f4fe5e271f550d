import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createAuthority } from '../../src/certificates/authority.ts'
import { createHostStores } from '../../src/certificates/hostStores.ts'
import { Secret } from '../../src/secrets/secret.ts'
import { eventually } from '../support/eventually.ts'
import { freePort } from '../support/ports.ts'
import { startSshServer } from '../support/sshServer.ts'
import { clusterFile, type HostWish } from './support/clusterFile.ts'
import { type Outcome, words } from './support/operator.ts'
import { filesBelow, snapshot } from './support/snapshot.ts'
import { createWorld, type World } from './support/world.ts'

/** All that a run says on standard output that is refused before it begins. */
const verdict = expect.stringMatching(/^FAILED: \d of \d hosts? \(db[12 andb]+\)\n$/)

/** Bad input and bad hosts: one clear message, an exit code that says which kind, and nothing touched. */
describe.skipIf(process.platform !== 'linux')('install (needs Linux)', () => {
  let world: World
  let untouched: unknown

  const hosts = () => world.hosts.map((host) => snapshot(join(host.directory, '../..')))
  const times = (outcome: Outcome, pattern: RegExp) => words(outcome).match(pattern)?.length ?? 0
  /** The second host with other ways to reach it, or other options. */
  const db2 = (changes: Partial<HostWish>) => {
    const host = world.host('db2')
    const merged = { ...changes, ssh: { ...host.ssh, ...changes.ssh } }
    world.describe({ hosts: [world.host('db1'), { ...host, ...merged }] })
  }

  beforeAll(async () => {
    world = await createWorld(2)
    untouched = hosts()
  })
  afterEach(async () => {
    // A connection that stays open would keep the program from ending.
    await eventually(() => expect(world.hosts.map(({ server }) => server.running())).toEqual([0, 0]))
    world.host('db2').server.setFault('none')
    expect(hosts()).toEqual(untouched)
    const kept = filesBelow(join(world.operator.directory, '.muster'))
    expect(kept.filter((path) => !path.endsWith('/.gitignore'))).toEqual([])
    expect(filesBelow(world.operator.home)).toEqual([])
    world.describe()
  })
  afterAll(() => world?.close())

  describe('refuses a file', () => {
    const install = (text: string) => {
      world.operator.write('alpha.yaml', text)
      return world.muster('install')
    }

    it('that is missing, with exit code 3', async () => {
      const { code, stdout, stderr } = await world.operator.muster(['install', '--yes', 'nowhere.yaml'])
      expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
      expect(stderr).toContain('There is no file nowhere.yaml.')
      expect(stderr).toContain('muster init')
    })

    it('that is neither named nor in the folder, with exit code 3', async () => {
      const { code, stderr } = await world.operator.muster(['install', '--yes'])
      expect(code).toBe(3)
      expect(stderr).toContain('There is no file muster.yaml.')
      expect(stderr).toContain('MUSTER_FILE')
    })

    it('that is a folder, with exit code 3', async () => {
      const { code, stderr } = await world.operator.muster(['install', '--yes', '.'])
      expect(code).toBe(3)
      expect(stderr).toContain('. is a directory.')
    })

    it.each([
      ['that is empty', '', /alpha\.yaml:1:1 error/],
      ['that is not YAML', 'cluster: [alpha\nhosts: {', /alpha\.yaml:\d+:\d+ error/],
      ['that is another kind of file', '\u0000\u0001 \t{', /alpha\.yaml:\d+:\d+ error/],
    ])('%s, with exit code 1', async (_, text, place) => {
      const outcome = await install(text)
      expect(outcome).toMatchObject({ code: 1, stdout: '' })
      expect(outcome.stderr).toMatch(place)
      expect(outcome.stderr).toContain('fix: ')
    })

    it('with an unknown option, with exit code 1, its place and a similar name', async () => {
      const text = clusterFile({ hosts: world.hosts, defaults: { 'manager-rest-api-prt': 8090 } })
      const line = text.split('\n').findIndex((one) => one.includes('api-prt')) + 1
      const outcome = await install(text)
      expect(outcome).toMatchObject({ code: 1, stdout: '' })
      expect(outcome.stderr).toContain(`alpha.yaml:${line}:3 error unknown-option`)
      expect(outcome.stderr).toContain('manager-rest-api-port')
    })

    it('with a value of the wrong type, with exit code 1', async () => {
      const outcome = await install(
        clusterFile({ hosts: world.hosts, defaults: { 'java-tls-key-lifetime': 'soon' } }),
      )
      expect(outcome).toMatchObject({ code: 1, stdout: '' })
      expect(outcome.stderr).toMatch(/alpha\.yaml:\d+:\d+ error/)
      expect(times(outcome, /:\d+ error /g)).toBe(1)
    })

    it('with a missing secret, with exit code 1', async () => {
      world.describe({ defaults: { 'rest-api-admin-pass': '!env NOT_THERE' } })
      for (const command of ['plan', 'install']) {
        const { code, stderr } = await world.muster(command)
        expect(code).toBe(1)
        expect(stderr).toContain('NOT_THERE')
        expect(stderr).toContain('fix: ')
      }
    })
  })

  describe('refuses a call', () => {
    it('without --yes and without a terminal, with exit code 3', async () => {
      for (const [command, look] of [
        ['install', 'plan'],
        ['upgrade', 'plan'],
        ['uninstall', 'status'],
        ['stop', 'status'],
        ['start', 'status'],
        ['restart', 'status'],
        ['rollback', 'status'],
      ] as const) {
        const { code, stdout, stderr } = await world.operator.muster([command, 'alpha.yaml'])
        expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
        expect(stderr).toBe(
          `error: \`muster ${command}\` changes hosts, and there is no terminal to ask for confirmation.\n  fix: Review \`muster ${look}\` first, then pass --yes.\n`,
        )
      }
    })

    it('if the user answers no, with exit code 1', async () => {
      const outcome = await world.muster('install', [], { typed: 'no\n' })
      expect(outcome.code).toBe(1)
      expect(outcome.stderr).toMatch(/Go on\? \[yes\/no\] Nothing was changed\.\n$/)
    })

    it('if the user presses Ctrl-C instead of an answer, with exit code 130', async () => {
      for (const argv of [['install'], ['uninstall', '--purge']]) {
        const stop = new AbortController()
        const watch = (text: string) => {
          if (text.includes('Go on?')) setImmediate(() => stop.abort())
        }
        const [command = '', ...flags] = argv
        const outcome = await world.operator.muster([command, ...flags, 'alpha.yaml'], {
          typed: '',
          signal: stop.signal,
          watch,
        })
        expect(outcome, command).toMatchObject({ code: 130 })
      }
    })

    it.each([
      ['an unknown command', ['instal', 'alpha.yaml'], /unknown command 'instal'/],
      ['an unknown option', ['install', '--force', 'alpha.yaml'], /unknown option '--force'/],
      ['an option without its value', ['install', '--runtime-file'], /argument missing/],
      ['no assignment', ['plan', '--set', 'log-level', 'alpha.yaml'], /name=value/],
    ])('with %s', async (_, argv, message) => {
      const { code, stderr } = await world.operator.muster(argv)
      expect([1, 3]).toContain(code)
      expect(stderr).toMatch(message)
      expect(stderr).toMatch(/fix: /)
    })

    it('without a command, with exit code 3 and the help', async () => {
      const { code, stderr } = await world.operator.muster([])
      expect(code).toBe(3)
      expect(stderr).toContain('Usage: muster')
    })

    it('with a --runtime-file that is not Node.js, with exit code 1', async () => {
      const text = world.operator.write('text', 'not a program\n')
      for (const [path, reason] of [
        [text, 'is not a Node.js binary'],
        [join(world.folder, 'nowhere'), 'cannot be read'],
        [world.folder, 'is a folder'],
      ] as const) {
        const { code, stderr } = await world.operator.muster([
          'install',
          '--yes',
          '--runtime-file',
          path,
          'alpha.yaml',
        ])
        expect(code).toBe(1)
        expect(stderr).toContain(`--runtime-file ${path} ${reason}`)
      }
    })
  })

  describe('refuses an unreachable host', () => {
    it('that refuses connections, with exit code 4', async () => {
      const port = await freePort('127.0.0.3')
      db2({ ssh: { port } })
      const outcome = await world.muster('install')
      expect(outcome).toMatchObject({ code: 4, stdout: verdict })
      expect(outcome.stderr).toContain(`db2: refused the connection to 127.0.0.3 port ${port}`)
      expect(times(outcome, /error/g)).toBe(1)
    })

    it('that accepts connections and sends nothing, with exit code 4', async () => {
      world.host('db2').server.setFault('silent')
      db2({ ssh: { timeout: '700ms' } })
      const outcome = await world.muster('install')
      expect(outcome.code).toBe(4)
      expect(outcome.stderr).toMatch(/db2: .* accepted the connection, but sent no SSH banner within 0\.7 s/)
    })

    it('without waiting for it after Ctrl-C, with exit code 130 and the summary of the run', async () => {
      world.host('db2').server.setFault('silent')
      const stop = new AbortController()
      const outcome = await world.muster('install', ['--json'], {
        signal: stop.signal,
        watch: (text) => {
          if (text.includes('"type":"phase-done","host":"db1","phase":"facts"')) stop.abort()
        },
      })
      expect(outcome).toMatchObject({ code: 130, stderr: 'Nothing was changed.\n' })
      const events = outcome.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
      expect(events[0]).toMatchObject({ type: 'run-started', run: expect.stringMatching(/^\d{8}T\d{6}Z-/) })
      expect(events.at(-1)).toMatchObject({
        type: 'run-ended',
        interrupted: true,
        outcomes: [
          { host: 'db1', result: 'not-started' },
          { host: 'db2', result: 'not-started' },
        ],
      })
      expect(events.filter(({ type }) => type === 'host-failed')).toEqual([])
    })

    it('that resets the connection after the banner, with exit code 4', async () => {
      world.host('db2').server.setFault('reset-after-banner')
      db2({ ssh: { timeout: '700ms' } })
      const outcome = await world.muster('plan')
      expect(outcome.code).toBe(4)
      expect(outcome.stderr).toContain('error db2:')
    })

    it('whose name is unknown, with exit code 4', async () => {
      db2({ address: 'no-such-host.invalid', options: { 'connector-rest-api-address': '127.0.0.3' } })
      const outcome = await world.muster('plan')
      expect(outcome.code).toBe(4)
      expect(outcome.stderr).toContain('no-such-host.invalid')
    })
  })

  describe('refuses an SSH connection', () => {
    it('with a refused login, with exit code 1 and the tried keys', async () => {
      world.host('db2').server.setFault('refuse-login')
      const outcome = await world.muster('install')
      expect(outcome).toMatchObject({ code: 1, stdout: verdict })
      expect(outcome.stderr).toMatch(/db2: refused the login of .*id_ed25519/)
    })

    it('with a changed host key, with exit code 1 and both fingerprints', async () => {
      const { server } = world.host('db2')
      const other = await startSshServer({ address: '127.0.0.3' })
      try {
        const line = other.hostKeyLine.replace(`:${other.port} `, `:${server.port} `)
        db2({ ssh: { 'known-hosts': world.operator.write('known_hosts', line) } })
        const logins = server.logins().length
        const outcome = await world.muster('install')
        expect(outcome).toMatchObject({ code: 1, stdout: verdict })
        expect(server.logins()).toHaveLength(logins)
        expect(outcome.stderr).toContain(server.hostKeyFingerprint)
        expect(outcome.stderr).toContain(other.hostKeyFingerprint)
        expect(outcome.stderr).toContain('[host-key-changed]')
      } finally {
        await other.close()
      }
    })

    it('with an unknown host key, with exit code 1', async () => {
      db2({ ssh: { 'known-hosts': world.operator.write('known_hosts', '') } })
      const outcome = await world.muster('install')
      expect(outcome.code).toBe(1)
      expect(outcome.stderr).toContain(`host-key: ${world.host('db2').server.hostKeyFingerprint}`)
    })

    it('with an identity that is not a key, with exit code 1', async () => {
      db2({ ssh: { identity: world.operator.write('id', 'no key\n') } })
      const outcome = await world.muster('plan')
      expect(outcome.code).toBe(1)
      expect(outcome.stderr).toContain(join(world.operator.directory, 'id'))
    })
  })

  describe('refuses a host', () => {
    it('whose port is in use, with exit code 1', async () => {
      const { address, ports } = world.host('db2')
      const occupant = createServer()
      await new Promise<void>((resolve) => occupant.listen(ports.connector, address, resolve))
      try {
        const outcome = await world.muster('install')
        expect(outcome).toMatchObject({ code: 1, stdout: verdict })
        expect(outcome.stderr).toContain(`port ${ports.connector} of the connector is in use`)
        expect(outcome.stderr).toContain('connector-rest-api-port')
        expect(times(outcome, /error/g)).toBe(1)
      } finally {
        await new Promise((resolve) => occupant.close(resolve))
      }
    })

    it('with a file in the path of the install-directory, with exit code 1', async () => {
      const file = world.operator.write('a-file', '')
      db2({ directory: join(file, 'muster') })
      const outcome = await world.muster('install')
      expect(outcome).toMatchObject({ code: 1, stdout: verdict })
      expect(outcome.stderr).toContain(join(file, 'muster'))
      expect(outcome.stderr).toContain('[not-enough-rights]')
    })

    it('that does not have the address of its API, with exit code 1', async () => {
      db2({ options: { 'connector-rest-api-address': '192.0.2.1' } })
      const outcome = await world.muster('install')
      expect(outcome.code).toBe(1)
      expect(outcome.stderr).toContain('192.0.2.1, which is not an address of this host')
    })

    it('whose folder another cluster uses, with exit code 1 for every command', async () => {
      const { directory } = world.host('db2')
      mkdirSync(join(directory, 'share'), { recursive: true })
      writeFileSync(
        join(directory, 'share/installation.json'),
        '{"version":1,"cluster":"beta","host":"db2"}\n',
      )
      const theirs = hosts()
      for (const command of ['plan', 'install', 'uninstall', 'stop', 'start', 'restart', 'status']) {
        const outcome = await world.muster(command)
        expect(outcome.code, command).toBe(1)
        expect(words(outcome), command).toContain(`${directory} holds the installation of`)
        expect(words(outcome), command).toContain('beta')
      }
      expect(hosts()).toEqual(theirs)
      rmSync(join(directory, '..'), { recursive: true })
    })
  })

  describe('refuses keystores of the user', () => {
    const stores = {
      'java-tls-keystore-path': 'keystore.p12',
      'java-truststore-path': 'truststore.p12',
      'java-keystore-password': '!env STORE_PASS',
      'java-truststore-password': '!env STORE_PASS',
    }
    const install = async (defaults: Readonly<Record<string, string>>): Promise<string> => {
      world.operator.env.STORE_PASS = 'a store password'
      world.describe({ defaults, hosts: [world.host('db1')] })
      const outcome = await world.muster('install')
      expect(outcome.code, outcome.stderr).toBe(1)
      expect(outcome.stdout).toMatch(/^(?:FAILED: 1 of 1 host \(db1\)\n)?$/)
      expect(outcome.stderr).toMatch(/error/)
      expect(outcome.stderr).toContain('fix: ')
      expect(outcome.stderr).not.toContain('a store password')
      return outcome.stderr
    }

    it('that are missing, with exit code 1', async () => {
      expect(await install(stores)).toContain('keystore.p12')
    })

    it('that are not keystores, with exit code 1', async () => {
      const named = {
        ...stores,
        'java-tls-keystore-path': 'alpha.yaml',
        'java-truststore-path': 'alpha.yaml',
      }
      expect(await install(named)).toContain('alpha.yaml')
    })

    it('with another password or of another host, with exit code 1', async () => {
      const now = new Date()
      const authority = await createAuthority({ cluster: 'theirs', now })
      const made = await createHostStores({
        authority,
        names: ['db9'],
        addresses: ['10.9.9.9'],
        lifetimeDays: 90,
        now,
        alias: 'tls',
        keystorePassword: new Secret('a store password'),
        truststorePassword: new Secret('a store password'),
      })
      writeFileSync(join(world.operator.directory, 'keystore.p12'), made.keystore)
      writeFileSync(join(world.operator.directory, 'truststore.p12'), made.truststore)
      world.operator.env.OTHER_PASS = 'not the one'
      const wrong = await install({ ...stores, 'java-keystore-password': '!env OTHER_PASS' })
      expect(wrong).toMatch(/keystore.*password/)
      expect(wrong).toContain(join(world.operator.directory, 'keystore.p12'))
      expect(await install(stores)).toContain('127.0.0.2')
      expect(await install({ ...stores, 'java-tls-alias': 'other' })).toContain('other')
    })
  })
})
