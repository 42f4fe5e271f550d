import { appendFileSync, mkdirSync, readFileSync, readlinkSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createWorld, type Host, type World } from './support/world.ts'

/** Three hosts; each test goes on where the last ended. A runtime of one byte more makes another release. */
describe.skipIf(process.platform !== 'linux')('muster upgrade (needs Linux)', () => {
  let world: World
  const current = (host: Host): string =>
    readlinkSync(join(host.directory, 'current')).replace('releases/', '')
  const currents = () => world.hosts.map(current)
  const changeRelease = () => appendFileSync(join(world.folder, 'node'), '\0')
  const events = (stdout: string): Readonly<Record<string, unknown>>[] =>
    stdout
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line))

  beforeAll(async () => {
    world = await createWorld(3)
  })
  afterAll(() => world?.close())

  it('refuses hosts without an installation', async () => {
    const outcome = await world.muster('upgrade')
    expect(outcome.code).toBe(1)
    for (const host of world.hosts) {
      expect(outcome.stderr).toContain(
        `error ${host.name}: no complete installation in ${host.directory} [not-installed]\n` +
          `  fix: Install it with \`muster install --host ${host.name}\`, or exclude it with --host.\n`,
      )
    }
    expect(await world.muster('install')).toMatchObject({ code: 0 })
    expect((await world.muster('upgrade')).stdout).toContain('alpha: nothing to do on 3 hosts.\n')
  })

  it('changes no other host if the canary fails, and names the next command', async () => {
    const before = { currents: currents(), pids: world.hosts.map((host) => host.pids()) }
    changeRelease()
    // What the components were started with cannot be written down where a folder is in the way.
    const inTheWay = join(world.host('db1').directory, 'share', 'applied', 'replicator')
    rmSync(inTheWay)
    mkdirSync(inTheWay)
    const outcome = await world.muster('upgrade')
    expect(outcome.code).toBe(1)
    expect(outcome.stdout).toContain(
      '  * 3 waves: db1 alone, then at most 1 host each; a failure stops the run before the next wave\n',
    )
    expect(outcome.stdout).toMatch(/^db2 {2}not started: the canary db1 failed/m)
    expect(outcome.stdout).toContain(
      '2 hosts not started. Fix the reported problem on db1, then run `muster upgrade` again: it continues with what is left.\n',
    )
    expect(outcome.stdout).toMatch(/\nFAILED: 1 of 3 hosts \(db1\)\n {2}db1: .* \[[a-z-]+\]\n$/)
    expect(currents().slice(1)).toEqual(before.currents.slice(1))
    expect(world.hosts.map((host) => host.pids()).slice(1)).toEqual(before.pids.slice(1))
    rmSync(inTheWay, { recursive: true })
  })

  it('changes host by host to the new release, one first, and is recorded', async () => {
    const [, before = ''] = currents()
    expect(await world.muster('plan', ['--out', 'up.plan'])).toMatchObject({ code: 2 })
    // With a terminal on which nothing is typed: whoever asks waits for ever.
    const follow = () => world.muster('upgrade', ['--plan', 'up.plan', '--json'], { typed: '' })
    const outcome = await follow()
    expect(outcome, outcome.stderr).toMatchObject({ code: 0 })
    expect(new Set(currents()).size).toBe(1)
    expect(currents()).not.toContain(before)
    const told = events(outcome.stdout)
    expect(told.filter(({ type }) => type === 'wave-started')).toMatchObject([
      { wave: 1, of: 3, canary: true, hosts: ['db1'] },
      { wave: 2, of: 3, canary: false, hosts: ['db2'] },
      { wave: 3, of: 3, canary: false, hosts: ['db3'] },
    ])
    const order = told
      .filter(({ type, phase }) => type === 'phase-done' && phase === 'verify')
      .map(({ host }) => host)
    expect(order).toEqual(['db1', 'db2', 'db3'])
    expect(await follow()).toMatchObject({ code: 1, stderr: expect.stringContaining('Nothing was changed.') })
    const audit = await world.muster('audit')
    expect(audit.stdout).toMatch(
      / upgrade .* 1 +3 failed\n[^\n]* upgrade .* 0 +3 changed\n[^\n]* upgrade .* 1 +1 failed, 2 not-started/,
    )
    expect((await world.muster('plan')).stdout).toBe('alpha: nothing to do on 3 hosts.\n')
  })

  it('refuses to go back to an older release, and names rollback', async () => {
    const host = world.host('db2')
    const is = current(host)
    symlinkSync(is, join(host.directory, 'releases', '99.0.0-0123456789ab'))
    rmSync(join(host.directory, 'current'))
    symlinkSync('releases/99.0.0-0123456789ab', join(host.directory, 'current'))
    changeRelease()
    const outcome = await world.muster('upgrade')
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
    expect(outcome.code).toBe(1)
    expect(outcome.stderr).toContain(
      `error db2: it runs 99.0.0, which is newer than this muster, ${version} [newer-release]\n` +
        '  fix: Upgrade with muster 99.0.0 or a newer one. To downgrade, run `muster rollback`.\n',
    )
    expect(current(world.host('db1'))).toBe(is)
  })
})
