import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { logIn } from './support/api.ts'
import { runs } from './support/pids.ts'
import { createWorld, type Host, type World } from './support/world.ts'

/** The releases of two hosts; each test goes on where the last ended. */
describe.skipIf(process.platform !== 'linux')('the releases of a host (needs Linux)', () => {
  let world: World
  /** The releases, from the oldest to the one that is installed last. */
  const [gone, oldest] = ['0.0.0-00000000901e', '0.0.0-0000001dead0']
  let previous = ''
  let latest = ''

  const current = (host: Host): string =>
    readlinkSync(join(host.directory, 'current')).replace('releases/', '')
  const currents = () => world.hosts.map(current)
  const pids = () => world.hosts.map((host) => host.pids())
  const there = (host: Host, folder: 'releases' | 'runtimes') =>
    readdirSync(join(host.directory, folder)).sort()

  /** Installs; a runtime of one byte more makes another release. */
  async function install(): Promise<string> {
    appendFileSync(join(world.folder, 'node'), '\0')
    expect(await world.muster('install')).toMatchObject({ code: 0 })
    return current(world.host('db1'))
  }

  async function expectLogins(): Promise<void> {
    const kept = readFileSync(join(world.operator.directory, '.muster/alpha/secrets.json'), 'utf8')
    const { password } = JSON.parse(kept).users.admin
    const { operator } = world
    for (const host of world.hosts) {
      expect(await logIn({ operator, host, component: 'connector', password })).toBe(200)
    }
  }

  /** A release beside the others that does what `program` says before it is the one that is installed. */
  function put(host: Host, id: string, program: string): void {
    const folder = join(host.directory, 'releases', id)
    mkdirSync(folder)
    symlinkSync(join('..', current(host), 'node'), join(folder, 'node'))
    writeFileSync(
      join(folder, 'muster-api.cjs'),
      `const [, , command] = process.argv\n${program}\nelse require('../${current(host)}/muster-api.cjs')\n`,
    )
    writeFileSync(join(folder, '.complete'), '')
  }

  beforeAll(async () => {
    world = await createWorld(2)
  })
  afterAll(() => world?.close())

  it('are the last three, each with its runtime, after a new one is verified', async () => {
    previous = await install()
    for (const host of world.hosts) {
      for (const id of [gone, oldest]) put(host, id, 'if (command === "check") process.exitCode = 0')
      for (const [turn, id] of [gone, oldest, previous].entries()) {
        const record = join(host.directory, 'releases', id, '.activated')
        writeFileSync(record, `${turn + 1} 2026-01-0${turn + 1}T00:00:00Z\n`)
      }
      mkdirSync(join(host.directory, 'runtimes', 'node-gone'))
      writeFileSync(join(host.directory, 'runtimes', 'node-gone', '.complete'), '')
    }
    appendFileSync(join(world.folder, 'node'), '\0')
    const plan = await world.muster('plan')
    expect(plan.stdout).toContain(`- remove old releases\n      releases/${gone}\n      runtimes/node-gone\n`)
    latest = await install()
    for (const host of world.hosts) {
      expect(there(host, 'releases')).toEqual([oldest, previous, latest].sort())
      expect(there(host, 'runtimes')).toHaveLength(2)
    }
    expect((await world.muster('plan')).stdout).toBe('alpha: nothing to do on 2 hosts.\n')
  })

  it('are listed before the confirmation, and nothing is changed without it', async () => {
    const before = { pids: pids(), current: currents() }
    expect((await world.operator.muster(['rollback', 'alpha.yaml'])).code).toBe(3)
    const outcome = await world.muster('rollback', [], { typed: 'no\n' })
    expect(outcome).toMatchObject({ code: 1, stderr: expect.stringContaining('Nothing was changed.\n') })
    const row = (id: string, mark: string) => {
      const [number, digest] = id.split('-')
      return `db1 +${number} +${digest} +20\\d\\d-\\d\\d-\\d\\dT\\S+Z${mark}\n`
    }
    expect(outcome.stdout).toMatch(
      new RegExp(`^${row(latest, ' +current')}${row(previous, ' +target')}${row(oldest, '')}`, 'm'),
    )
    expect({ pids: pids(), current: currents() }).toEqual(before)
  })

  it('are rolled back on every host, restarted and verified, and rolled forward again', async () => {
    const before = pids()
    const outcome = await world.muster('rollback')
    expect(outcome, outcome.stderr).toMatchObject({ code: 0, stderr: '' })
    expect(outcome.stdout).toMatch(
      /^db1 {2}done: 1 change, logins verified.*\ndb2 {2}done: 1 change, logins verified/m,
    )
    // Without a terminal, what the plan says is not said again.
    expect(outcome.stdout.split(`switch from ${latest} back to release ${previous}`)).toHaveLength(3)
    expect(outcome.stdout).toMatch(/^db1: done \([\d.]+ s\)$/m)
    expect(outcome.stdout).toMatch(
      /^ {2}\* the next `muster install` returns to the release of the muster that runs it/m,
    )
    expect(outcome.stdout).toMatch(
      /\nDONE: 2 hosts in .*\n {2}note: the next `muster install` returns to the release .*\n$/,
    )
    expect(currents()).toEqual([previous, previous])
    expect(before.flatMap((host) => Object.values(host)).filter(runs)).toEqual([])
    expect(pids().map((host) => Object.keys(host))).toEqual(before.map((host) => Object.keys(host)))
    await expectLogins()
    const same = pids()
    expect((await world.muster('rollback', ['--to', previous])).stdout).toContain(
      'alpha: nothing to do on 2 hosts.\n',
    )
    expect(pids()).toEqual(same)
    expect((await world.muster('rollback')).code).toBe(0)
    expect(currents()).toEqual([latest, latest])
  })

  it('stay at the older one with --release, which installs the rest of the file, until an installation without it', async () => {
    const pinned = (...argv: readonly string[]) => world.operator.muster([...argv, 'alpha.yaml'])
    expect((await world.muster('rollback', ['--to', previous])).stdout).toContain(
      `\`muster install --release ${previous}\` keeps this one\n`,
    )
    const ordinary = await world.muster('plan')
    expect(ordinary.stdout).toContain(
      `  * upgrade again from release ${previous} to ${latest} after a rollback: db1 and db2; \`--release ${previous}\` keeps the older one\n`,
    )
    world.describe({ defaults: { 'log-level': 'debug' } })
    expect(await pinned('plan', '--release', previous, '--out', 'back.plan')).toMatchObject({ code: 2 })
    expect(await pinned('install', '--plan', 'back.plan', '--release', previous)).toMatchObject({ code: 3 })
    expect(await pinned('install', '--plan', 'back.plan')).toMatchObject({ code: 0 })
    expect(currents()).toEqual([previous, previous])
    for (const host of world.hosts) {
      const settings = readFileSync(join(host.directory, 'share', 'connector.json'), 'utf8')
      expect(JSON.parse(settings)).toMatchObject({ logLevel: 'debug' })
    }
    await expectLogins()
    const again = await pinned('plan', '--release', previous)
    expect(again).toMatchObject({ code: 0, stdout: 'alpha: nothing to do on 2 hosts.\n' })
    const before = { pids: pids(), current: currents() }
    const none = await pinned('install', '--yes', '--release', '9.9.9')
    expect(none.code).toBe(1)
    expect(none.stderr).toMatch(
      new RegExp(
        `^error db1 and db2: the release 9\\.9\\.9 is not on this host \\[no-such-release\\]\\n {4}db1 and db2 have ${previous}, ${latest}`,
      ),
    )
    expect({ pids: pids(), current: currents() }).toEqual(before)
    expect(await pinned('upgrade', '--yes', '--release', latest)).toMatchObject({ code: 0 })
    expect(currents()).toEqual([latest, latest])
    expect(await pinned('install', '--yes', '--release', previous)).toMatchObject({ code: 0 })
    expect(currents()).toEqual([previous, previous])
    world.describe()
    expect(await world.muster('install')).toMatchObject({ code: 0 })
    expect(currents()).toEqual([latest, latest])
  })

  it('change to the new one with the next installation, which restarts the components', async () => {
    expect((await world.muster('rollback', ['--to', oldest])).code).toBe(0)
    const before = pids()
    const status = await world.muster('status')
    expect(status).toMatchObject({ code: 0 })
    expect(status.stdout).toContain(oldest)
    const outcome = await world.muster('install')
    expect(outcome).toMatchObject({ code: 0 })
    expect(outcome.stdout).toContain(`switch from ${oldest} to release ${latest}`)
    expect(currents()).toEqual([latest, latest])
    expect(before.flatMap((host) => Object.values(host)).filter(runs)).toEqual([])
    expect((await world.muster('plan')).stdout).toBe('alpha: nothing to do on 2 hosts.\n')
  })

  it('are unchanged on all hosts if one host lacks the named one', async () => {
    const before = { pids: pids(), current: currents() }
    rmSync(join(world.host('db2').directory, 'releases', oldest, '.complete'))
    const outcome = await world.muster('rollback', ['--to', oldest])
    expect(outcome.code).toBe(1)
    expect(outcome.stderr).toMatch(
      new RegExp(
        `^error db2: the release ${oldest} is not installed; the host has .*\\[no-such-release\\]\n {2}fix: `,
      ),
    )
    expect(outcome.stderr).toContain('Nothing was changed.\n')
    expect({ pids: pids(), current: currents() }).toEqual(before)
  })

  it('are unchanged if one does not support its settings', async () => {
    const [one, two] = world.hosts
    if (one === undefined || two === undefined) throw new Error('two hosts')
    put(one, '0.0.1-0000000f1700', 'if (command === "check") process.exitCode = 0')
    put(
      two,
      '0.0.1-0000000f1700',
      'if (command === "check") { console.error("muster-api: /proxy is new"); process.exitCode = 1 }',
    )
    const before = { pids: pids(), current: currents() }
    const outcome = await world.muster('rollback', ['--to', '0.0.1-0000000f1700', '--json'])
    expect(outcome.code).toBe(1)
    expect(outcome.stdout).toContain(
      '"message":"the release 0.0.1-0000000f1700 cannot start with the installed settings: /proxy is new"',
    )
    const last = JSON.parse(outcome.stdout.trimEnd().split('\n').at(-1) ?? '')
    expect(last.outcomes.map(({ result }: { result: string }) => result)).toEqual(['not-started', 'failed'])
    expect({ pids: pids(), current: currents() }).toEqual(before)
  })

  it('are restored only on the host where the older one fails', async () => {
    const [one, two] = world.hosts
    if (one === undefined || two === undefined) throw new Error('two hosts')
    put(one, '0.0.2-00000051c700', 'if (command === "check") process.exitCode = 0')
    put(
      two,
      '0.0.2-00000051c700',
      `if (command === "call") {
        const requests = JSON.parse(require('node:fs').readFileSync(0, 'utf8'))
        console.log(JSON.stringify(requests.map(({ id }) => ({ id, status: 500, body: {} }))))
      }`,
    )
    const outcome = await world.muster('rollback', ['--to', '0.0.2-00000051c700'])
    expect(outcome.code).toBe(1)
    expect(outcome.stderr).toMatch(/^error db2: the connector at \S+ answered 500 .*\[login-not-proved\]$/m)
    expect(outcome.stderr).toContain(
      `\n    Undone: switch from ${latest} back to release 0.0.2-00000051c700.\n`,
    )
    expect(currents()).toEqual(['0.0.2-00000051c700', latest])
    expect(readdirSync(join(two.directory, 'releases', '0.0.2-00000051c700'))).not.toContain('.activated')
    await expectLogins()
    const before = two.pids()
    expect(await world.muster('install')).toMatchObject({ code: 0 })
    expect(two.pids()).toEqual(before)
    expect(currents()).toEqual([latest, latest])
    await expectLogins()
  })
})
