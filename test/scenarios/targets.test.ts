import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../support/ports.ts'
import { filesBelow, snapshot } from './support/snapshot.ts'
import { createWorld, type World } from './support/world.ts'

/** A cluster whose hosts are installed, looked at and taken away one after another; each test goes on. */
describe.skipIf(process.platform !== 'linux')('selected hosts of a cluster (needs Linux)', () => {
  let world: World
  const authority = () => join(world.operator.directory, '.muster/alpha/authority.crt')
  const registered = (): { hosts: readonly { name: string }[]; authorities: readonly string[] } => {
    const [file = ''] = filesBelow(world.operator.home).filter((path) => path.endsWith('.json'))
    return JSON.parse(readFileSync(file, 'utf8'))
  }

  beforeAll(async () => {
    world = await createWorld(2)
  })
  afterAll(() => world?.close())

  it('are installed while the others are unreachable', async () => {
    const db2 = world.host('db2')
    const dead = { ...db2, ssh: { ...db2.ssh, port: await freePort() } }
    world.describe({ hosts: [world.host('db1'), dead] })
    const before = snapshot(join(world.folder, 'db2'))
    const plan = await world.muster('plan', ['--host', 'db1'])
    expect(plan.code).toBe(2)
    expect(plan.stdout).toMatch(
      /^alpha: changes on 1 of 1 host\n[\s\S]*\n\ndb2: not selected\n\nPlan: \d+ to add, \d+ to change, 0 to remove on 1 host\n$/,
    )
    const outcome = await world.muster('install', ['--host', 'db1'])
    expect(outcome).toMatchObject({ code: 0, stderr: '' })
    expect(outcome.stdout).toMatch(
      /\nOnly db1 of alpha was selected; db2 was not contacted\.\nDONE: 1 host in /,
    )
    expect(snapshot(join(world.folder, 'db2'))).toEqual(before)
    expect(registered().hosts.map(({ name }) => name)).toEqual(['db1'])
    world.describe()
  })

  it('are followed by the next ones with the same authority, password and records', async () => {
    const first = { authority: readFileSync(authority(), 'utf8'), db1: snapshot(world.host('db1').directory) }
    const outcome = await world.muster('install', ['--host', '*2', '--service', 'alpha', '--json'])
    expect(outcome).toMatchObject({ code: 0 })
    const events = outcome.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(events[0]).toMatchObject({ type: 'run-started', hosts: ['db2'] })
    expect(events.at(-1)).toMatchObject({
      type: 'notice',
      message: expect.stringContaining('db1 was not contacted'),
    })
    expect(outcome.stdout).not.toContain('was generated')
    expect(readFileSync(authority(), 'utf8')).toBe(first.authority)
    expect(snapshot(world.host('db1').directory)).toEqual(first.db1)
    expect(registered().hosts.map(({ name }) => name)).toEqual(['db1', 'db2'])
    expect((await world.muster('plan')).stdout).toBe('alpha: nothing to do on 2 hosts.\n')
  })

  it('do not get a second authority if the first is missing', async () => {
    const state = join(world.operator.directory, '.muster')
    renameSync(state, `${state}.away`)
    const refused = await world.muster('install', ['--host', 'db2'])
    expect(refused.code).toBe(1)
    expect(refused.stderr).toMatch(
      /\.muster\/alpha has no authority, but the certificates of db1 were signed by one \[authority-lost\]\n/,
    )
    rmSync(state, { recursive: true, force: true })
    renameSync(`${state}.away`, state)
    expect((await world.muster('plan', ['--host', 'db2'])).code).toBe(0)
  })

  it('and one component can be listed, stopped and started', async () => {
    const [db1, db2] = [world.host('db1').pids(), world.host('db2').pids()]
    const stopped = await world.muster('stop', ['--component', 'connector', '--host', 'db1'])
    expect(stopped.stdout).toMatch(/^db1: stop connector .*\ndb1 {2}done: 1 change/)
    const { connector, ...others } = db1
    expect(connector).toBeGreaterThan(0)
    expect(world.host('db1').pids()).toEqual(others)
    expect(world.host('db2').pids()).toEqual(db2)
    const status = await world.muster('status', ['--component', 'connector', '-o', 'wide'])
    expect(status.stdout.match(/^db. +connector +\w+/gm)).toEqual([
      expect.stringMatching(/connector +stopped/),
      expect.stringMatching(/connector +running/),
    ])
    expect((await world.muster('start', ['--component', 'replicator'])).stdout).toMatch(
      /^db1 {2}nothing to do.*\nDONE: 1 host in .*\n$/,
    )
    expect((await world.muster('start', ['--host', 'db1'])).code).toBe(0)
    expect(Object.keys(world.host('db1').pids())).toHaveLength(3)
  })

  it('that are this machine need no SSH, and have nothing to change', async () => {
    const running = world.host('db2').server.logins().length
    const outcome = await world.muster('plan', ['--host', 'db2', '--connection', 'local'])
    expect(outcome).toMatchObject({ code: 0, stdout: 'alpha: nothing to do on db2.\ndb1: not selected\n' })
    expect(world.host('db2').server.logins().length).toBe(running)
  })

  it('are uninstalled; the state and the records of the others stay', async () => {
    const refused = await world.muster('uninstall', ['--host', 'db2', '--purge'])
    expect(refused.code).toBe(3)
    expect((await world.muster('uninstall', ['--host', 'db2'])).code).toBe(0)
    expect(existsSync(world.host('db2').directory)).toBe(false)
    expect(registered().hosts.map(({ name }) => name)).toEqual(['db1'])
    const only = await world.muster('status', ['--host', 'db1'])
    expect(only).toMatchObject({ code: 0, stdout: expect.stringContaining(': 1 host,') })
    const byName = await world.operator.muster(['status', 'alpha.yaml', 'db1'])
    expect(byName).toMatchObject({ code: 0, stdout: only.stdout })
    expect(existsSync(authority())).toBe(true)
  })
})
