import { existsSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { CheckResult } from '../../src/deployment/preflight/checkHosts.ts'
import { eventually } from '../support/eventually.ts'
import type { Outcome } from './support/operator.ts'
import { filesBelow, snapshot } from './support/snapshot.ts'
import { createWorld, type World } from './support/world.ts'

type Told = { readonly host: string; readonly state: string; readonly checks: readonly CheckResult[] }

/** Checks of hosts before anything is installed there: nothing is changed, and every host is reported. */
describe.skipIf(process.platform !== 'linux')('muster check (needs Linux)', () => {
  let world: World

  const told = (outcome: Outcome): readonly Told[] => JSON.parse(outcome.stdout).hosts
  const json = async (...argv: readonly string[]) => {
    const outcome = await world.muster('check', ['--json', ...argv])
    return { code: outcome.code, stderr: outcome.stderr, hosts: told(outcome) }
  }
  const found = (hosts: readonly Told[], name: string, check: string) =>
    hosts.find(({ host }) => host === name)?.checks.filter((one) => one.check === check)
  /** Hosts that share a machine have one machine-id, rightly; a firewall depends on the machine. */
  const notOk = (hosts: readonly Told[]) =>
    hosts.flatMap(({ host, checks }) =>
      checks
        .filter(({ check, result }) => result !== 'ok' && check !== 'machine-id' && check !== 'firewall')
        .map(({ check, result }) => `${host} ${check} ${result}`),
    )

  beforeAll(async () => {
    world = await createWorld(3)
  })
  afterEach(async () => {
    await eventually(() => expect(world.hosts.map(({ server }) => server.running())).toEqual([0, 0, 0]))
    for (const { server } of world.hosts) server.setFault('none')
    world.describe()
  })
  afterAll(() => world?.close())

  it('exits with 0 for fresh hosts, checks them all, and changes nothing', async () => {
    const before = snapshot(world.folder)
    const { code, stderr, hosts } = await json()
    expect({ code, stderr, notOk: notOk(hosts) }).toEqual({ code: 0, stderr: '', notOk: [] })
    expect(hosts.map(({ host, state }) => `${host} ${state}`)).toEqual(
      ['db1', 'db2', 'db3'].map((name) => `${name} checked`),
    )
    expect(Math.min(...hosts.map(({ checks }) => checks.length))).toBeGreaterThanOrEqual(18)
    expect(snapshot(world.folder)).toEqual(before)
    expect(filesBelow(join(world.operator.directory, '.muster'))).toEqual([])
  })

  it('exits with 1 and reports all problems of all hosts at once', async () => {
    const [db1, db2, db3] = ['db1', 'db2', 'db3'].map((name) => world.host(name))
    if (!db1 || !db2 || !db3) throw new Error('three hosts')
    const occupant = createServer()
    await new Promise<void>((resolve) => occupant.listen(db1.ports.manager, db1.address, resolve))
    mkdirSync(join(db2.directory, 'share'), { recursive: true })
    writeFileSync(
      join(db2.directory, 'share/installation.json'),
      '{"version":1,"cluster":"beta","host":"db9"}',
    )
    try {
      const options = { 'connector-rest-api-address': '192.0.2.1', runtime: 'host' }
      world.describe({ hosts: [db1, db2, { ...db3, options }] })
      const { code, hosts } = await json()
      expect(code).toBe(1)
      const wrong = notOk(hosts)
      expect(wrong.filter((one) => !one.includes('runtime'))).toEqual([
        'db1 ports failure',
        'db2 installation failure',
        'db3 addresses failure',
      ])
      expect(found(hosts, 'db2', 'installation')?.[0]?.reason).toContain('of host db9 of cluster beta')
      const { stdout } = await world.muster('check')
      expect(stdout).toMatch(
        new RegExp(`^db1 +failure +ports +port ${db1.ports.manager} of the manager is in use`, 'm'),
      )
    } finally {
      await new Promise((resolve) => occupant.close(resolve))
    }
  })

  it('checks the other hosts if one is unreachable (exit code 4) or refuses the login (1)', async () => {
    world.host('db2').server.setFault('close-before-banner')
    const withShortTimeout = { ...world.host('db2'), ssh: { ...world.host('db2').ssh, timeout: '700ms' } }
    world.describe({ hosts: [world.host('db1'), withShortTimeout, world.host('db3')] })
    const { code, hosts, stderr } = await json()
    expect({ code, stderr }).toEqual({ code: 4, stderr: '' })
    expect(hosts.map(({ host, state }) => `${host} ${state}`)).toEqual([
      'db1 checked',
      'db2 unreachable',
      'db3 checked',
    ])
    expect(notOk(hosts)).toEqual(['db2 login failure'])
    world.host('db3').server.setFault('refuse-login')
    const worse = await world.muster('check')
    expect(worse.code).toBe(1)
    expect(worse.stdout).toMatch(/^db3 +failure +login +db3 refused the login/m)
    expect(worse.stdout).toContain('1 host unreachable.')
    expect(worse.stderr).toBe('')
  })

  it('exits with 1 for a warning with --strict', async () => {
    world.describe({ defaults: { 'datasource-type': 'mariadb', 'replication-port': 1 } })
    const argv = ['--host', 'db1']
    const { code, hosts } = await json(...argv)
    expect({ code, notOk: notOk(hosts) }).toEqual({ code: 0, notOk: ['db1 database warning'] })
    expect((await json('--strict', ...argv)).code).toBe(1)
  })

  it('checks only the hosts of --host, and exits with 3 if there are none', async () => {
    const connections = world.hosts.map(({ server }) => server.connections())
    const { hosts } = await json('--host', 'db2', '--host', 'd?3')
    expect(hosts.map(({ host }) => host)).toEqual(['db2', 'db3'])
    expect(world.host('db1').server.connections()).toBe(connections[0])
    const outcome = await world.muster('check', ['--host', 'web*'])
    expect(outcome).toMatchObject({ code: 3, stdout: '' })
    expect(outcome.stderr).toContain("no host in alpha matches 'web*'")
  })

  it('opens keystores of the user, and exits with 1 if a password cannot be read', async () => {
    world.describe({
      defaults: {
        'java-tls-keystore-path': 'alpha.yaml',
        'java-truststore-path': 'alpha.yaml',
        'java-keystore-password': '!env STORE_PASS',
        'java-truststore-password': '!env STORE_PASS',
      },
    })
    const unset = await json('--host', 'db1')
    expect(unset.code).toBe(1)
    expect(found(unset.hosts, 'db1', 'certificates')?.[0]?.reason).toContain('STORE_PASS')
    world.operator.env.STORE_PASS = 'a store password'
    const unfit = await json('--host', 'db1')
    expect(unfit.code).toBe(1)
    const [certificates] = found(unfit.hosts, 'db1', 'certificates') ?? []
    expect(certificates).toMatchObject({ result: 'failure' })
    expect(certificates?.reason).toContain('alpha.yaml')
    expect(world.operator.printed()).not.toContain('a store password')
  })

  it('fixes problems with --fix on the hosts that have them, checks again, and exits with 0', async () => {
    const { directory } = world.host('db2')
    rmSync(directory, { recursive: true, force: true })
    const left = join(directory, 'releases/.new-release')
    mkdirSync(left, { recursive: true })
    const before = new Date(Date.now() - 2 * 3_600_000)
    utimesSync(left, before, before)
    const asked = await world.muster('check', ['--fix'])
    expect(asked).toMatchObject({ code: 3, stdout: '' })
    expect(asked.stderr).toContain('no terminal to ask for confirmation')
    expect(existsSync(left)).toBe(true)
    const outcome = await world.muster('check', ['--fix', '--yes'])
    expect(outcome).toMatchObject({ code: 0, stderr: '' })
    expect(outcome.stdout).toContain(
      'muster can fix by itself:\n  db2: remove 1 leftover of interrupted runs\n',
    )
    expect(existsSync(left)).toBe(false)
    expect(outcome.stdout.match(/leftovers\b/g)).toHaveLength(1)
    const again = await world.muster('check', ['--fix', '--yes'])
    expect(again).toMatchObject({ code: 0, stderr: '' })
    expect(again.stdout).toContain('There is nothing that muster can fix by itself.\n')
  })
})
