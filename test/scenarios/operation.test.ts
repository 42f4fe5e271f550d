import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { betrays, makeSentinel } from '../lab/scenario/sentinel.ts'
import { freePort } from '../support/ports.ts'
import { changePassword, listens, logIn } from './support/api.ts'
import type { Outcome } from './support/operator.ts'
import { runs } from './support/pids.ts'
import { filesBelow, pathsBelow, snapshot } from './support/snapshot.ts'
import { createWorld, type World } from './support/world.ts'

/** The life of a cluster over SSH, from the first plan to the last file; each test goes on where the last ended. */
describe.skipIf(process.platform !== 'linux')('a cluster of two hosts (needs Linux)', () => {
  const sentinel = makeSentinel()
  const given = { 'rest-api-admin-pass': '!env ADMIN_PASS' }
  let world: World
  let made = ''

  const state = () => join(world.operator.directory, '.muster')
  const pids = () => Object.fromEntries(world.hosts.map((host) => [host.name, host.pids()]))
  const enter = (name: string, component: 'manager' | 'connector' | 'replicator', password: string) =>
    logIn({ operator: world.operator, host: world.host(name), component, password })
  const everything = () => ({
    hosts: world.hosts.map(({ directory }) => snapshot(directory)),
    state: snapshot(state()),
    home: snapshot(world.operator.home),
    pids: pids(),
  })

  beforeAll(async () => {
    world = await createWorld(2)
    world.operator.env.ADMIN_PASS = sentinel.password
  })
  afterAll(() => world?.close())

  it('is planned with exit code 2 and without changes', async () => {
    const before = snapshot(world.folder)
    const outcome = await world.muster('plan')
    expect(outcome.code).toBe(2)
    expect(outcome.stdout).toContain('alpha: changes on 2 of 2 hosts\n')
    expect(outcome.stdout).toContain('make the certificate authority of alpha')
    expect(outcome.stdout).toContain('users.json: admin: [redacted] new')
    expect(snapshot(world.folder)).toEqual(before)
    const { code, stdout } = await world.muster('status')
    expect(stdout).toMatch(/^db1 +not installed\ndb2 +not installed$/m)
    expect(stdout).toMatch(/\nUNKNOWN: muster is not installed on any host\n$/)
    expect(code).toBe(1)
  })

  it('is installed with a generated password that is shown once, while other runs are refused', async () => {
    let second: Promise<Outcome> | undefined
    const watch = (text: string) => {
      if (text.includes('send muster-api')) second ??= world.muster('install')
    }
    const outcome = await world.muster('install', [], { watch })
    expect(outcome).toMatchObject({ code: 0 })
    expect(outcome.stdout).toMatch(/^db1 {2}done: 8 changes, logins verified/m)
    made = /user admin {2}password (\S+)/.exec(outcome.stdout)?.[1] ?? ''
    expect(outcome.stdout.split(made)).toHaveLength(2)
    const { code, stdout, stderr } = (await second) ?? {}
    expect({ code, stdout }).toEqual({ code: 5, stdout: '' })
    expect(stderr).toContain(
      `another muster run holds this cluster's state: \`muster install\`, process ${process.pid} on `,
    )
    expect(stderr).toContain('[locked]')
    expect(await enter('db1', 'replicator', made)).toBe(200)
    expect(statSync(join(world.host('db1').directory, '..')).mode & 0o777).toBe(0o755)
    expect(await enter('db2', 'connector', made)).toBe(200)
  })

  it('is unchanged by the second installation, with all its files and processes', async () => {
    const before = everything()
    const outcome = await world.muster('install')
    expect(outcome.code).toBe(0)
    expect(outcome.stdout).toMatch(
      /^alpha: nothing to do on 2 hosts\.\n\ndb1 {2}nothing to do, logins verified.*\ndb2 {2}nothing to do, logins verified.*\nDONE: 2 hosts in /,
    )
    expect(everything()).toEqual(before)
  })

  it('has a status of every component', async () => {
    const outcome = await world.muster('status')
    expect(outcome.code).toBe(0)
    expect(outcome.stdout).toMatch(
      /^cluster alpha: 2 hosts, release \S+\n\nHOST {2}STATE {2}COMPONENTS\ndb1 +up +ready\ndb2 +up +ready\n\nOK\n$/,
    )
    const wide = await world.muster('status', ['-o', 'wide'])
    const { ports, address } = world.host('db1')
    expect(wide.stdout).toMatch(
      new RegExp(`^db1 +manager +running +${address}:${ports.manager} +answers`, 'm'),
    )
    expect(wide.stdout.match(/answers/g)).toHaveLength(4)
  })

  it('gets a password of the file instead of the generated one, which no output and no file contains', async () => {
    world.describe({ defaults: given })
    const before = pids()
    const outcome = await world.muster('install')
    expect(outcome).toMatchObject({ code: 0 })
    expect(outcome.stdout).toContain('reset the password of admin')
    expect(outcome.stdout).not.toContain(made)
    expect(pids()).toEqual(before)
    expect(await enter('db1', 'manager', sentinel.password)).toBe(200)
    expect(await enter('db1', 'replicator', made)).toBe(401)
    expect(readFileSync(join(state(), 'alpha/secrets.json'), 'utf8')).not.toContain(made)
  })

  it('has only the component restarted whose port changed', async () => {
    const db1 = world.host('db1')
    const moved = { ...db1, ports: { ...db1.ports, manager: await freePort() } }
    world.describe({ defaults: given, hosts: [moved, world.host('db2')] })
    const plan = await world.muster('plan')
    expect(plan.code).toBe(2)
    expect(plan.stdout).toContain(`manager-rest-api-port: ${db1.ports.manager} → ${moved.ports.manager}\n`)
    expect(plan.stdout).toContain('db2: nothing to do')
    const { manager, ...others } = db1.pids()
    const db2 = world.host('db2').pids()
    expect((await world.muster('install')).code).toBe(0)
    const { manager: after, ...same } = db1.pids()
    expect(same).toEqual(others)
    expect(after).not.toBe(manager)
    expect(world.host('db2').pids()).toEqual(db2)
    expect(await listens({ host: db1.address, port: moved.ports.manager })).toBe(true)
    expect(await listens({ host: db1.address, port: db1.ports.manager })).toBe(false)
  })

  it('gets back a password that was changed by hand, only on that host', async () => {
    const { operator } = world
    const host = world.host('db2')
    const login = { operator, host, component: 'connector', password: sentinel.password } as const
    expect(await changePassword(login, 'by hand')).toBe(200)
    expect(await enter('db2', 'connector', sentinel.password)).toBe(401)
    const before = pids()
    const outcome = await world.muster('install')
    expect(outcome.code).toBe(0)
    // db1 goes back to its port in the same run.
    expect(outcome.stdout).toMatch(/^db2 {2}done: 1 change, logins verified/m)
    expect(pids().db2).toEqual(before.db2)
    expect(await enter('db2', 'connector', sentinel.password)).toBe(200)
    expect(await enter('db2', 'connector', 'by hand')).toBe(401)
  })

  it('has the port of a disabled API closed, and keeps its socket', async () => {
    world.describe({ defaults: { ...given, 'connector-rest-api': false } })
    const { address, ports, directory } = world.host('db1')
    expect(await listens({ host: address, port: ports.connector })).toBe(true)
    expect((await world.muster('install')).code).toBe(0)
    expect(await listens({ host: address, port: ports.connector })).toBe(false)
    expect(await listens({ path: join(directory, 'data/connector.sock') })).toBe(true)
    const { code, stdout } = await world.muster('status', ['-o', 'wide'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^db1 +connector +running +socket only +off/m)
  })

  it('loses a component that the file no longer has', async () => {
    world.describe({ defaults: given, connectors: ['db2'] })
    const db1 = world.host('db1')
    const { connector, replicator } = db1.pids()
    const outcome = await world.muster('install')
    expect(outcome.code).toBe(0)
    expect(outcome.stdout).toContain('stop and remove connector')
    // The manager is told that its host has no connector any more; nobody else is touched.
    expect(outcome.stdout).toContain('restart manager')
    expect(db1.pids()).toMatchObject({ replicator })
    expect(Object.keys(db1.pids())).not.toContain('connector')
    expect(runs(connector)).toBe(false)
    expect(filesBelow(db1.directory).filter((path) => /connector(\.(json|pid)|$)/.test(path))).toEqual([])
    expect((await world.muster('plan')).code).toBe(0)
  })

  it('is stopped, started and restarted', async () => {
    const before = pids()
    expect((await world.muster('stop')).stdout).toMatch(/^db1: stop manager, replicator/m)
    expect(pids()).toEqual({ db1: {}, db2: {} })
    expect((await world.muster('stop')).stdout).toMatch(
      /^db1 {2}nothing to do.*\ndb2 {2}nothing to do.*\nDONE: 2 hosts in /,
    )
    const stopped = await world.muster('status')
    expect(stopped.code).toBe(1)
    expect(stopped.stdout).toMatch(/^db1 +up +manager, replicator stopped\ndb2 +up +connector stopped$/m)
    expect(stopped.stdout).toMatch(/\nDOWN: components of db1 and db2 are stopped\n$/)
    expect((await world.muster('start')).code).toBe(0)
    const started = pids()
    expect(Object.keys(started.db1 ?? {})).toHaveLength(2)
    expect((await world.muster('restart')).code).toBe(0)
    const all = [before, started, pids()].flatMap((one) => Object.values(one).flatMap(Object.values))
    expect(new Set(all).size).toBe(9)
    expect((await world.muster('plan')).code).toBe(0)
  })

  it('has a status with exit code 4 if a host is unreachable, and the state of the others', async () => {
    const db2 = world.host('db2')
    const dead = { ...db2, ssh: { ...db2.ssh, port: await freePort() } }
    world.describe({ defaults: given, connectors: ['db2'], hosts: [world.host('db1'), dead] })
    const outcome = await world.muster('status')
    expect(outcome.code).toBe(4)
    expect(outcome.stdout).toMatch(/^db1 +up +ready$/m)
    expect(outcome.stdout).toMatch(/^db2 +unreachable +-$/m)
    expect(outcome.stdout).toMatch(/\nDEGRADED: db2 is unreachable: .*refused the connection to 127\.0\.0\.3/)
    const json = JSON.parse((await world.muster('status', ['--json'])).stdout)
    expect(json.hosts.map(({ state }: { state: string }) => state)).toEqual(['up', 'unreachable'])
    expect((await world.muster('uninstall', ['--purge'])).code).toBe(4)
    expect(existsSync(join(state(), 'alpha/authority.key'))).toBe(true)
  })

  it('has the password of the file in no file and no output', () => {
    expect(filesBelow(world.folder).filter((path) => betrays(sentinel, readFileSync(path)))).toEqual([])
    expect(betrays(sentinel, world.operator.printed())).toBe(false)
    expect(world.operator.printed()).not.toContain(sentinel.password.slice(-10))
  })

  it('is uninstalled without the files of others, and keeps its state until --purge', async () => {
    world.describe({ defaults: given, connectors: ['db2'] })
    const { directory } = world.host('db2')
    mkdirSync(join(directory, 'theirs'))
    writeFileSync(join(directory, 'theirs', 'notes.txt'), 'not ours\n')
    const running = Object.values(world.host('db2').pids())
    const outcome = await world.muster('uninstall')
    expect(outcome.code).toBe(0)
    expect(existsSync(world.host('db1').directory)).toBe(false)
    expect(pathsBelow(directory)).toEqual([join(directory, 'theirs'), join(directory, 'theirs', 'notes.txt')])
    expect(running.filter(runs)).toEqual([])
    expect(outcome.stdout.replaceAll('\n ', '')).toContain(
      `What stays:\n- ${join(state(), 'alpha')}: the certificate`,
    )
    expect(existsSync(join(state(), 'alpha/authority.key'))).toBe(true)
    expect(filesBelow(world.operator.home)).toEqual([])
    expect((await world.muster('uninstall')).stdout).toContain('alpha: nothing to do on 2 hosts.')
    const purged = await world.muster('uninstall', ['--purge'])
    expect(purged.code).toBe(0)
    expect(purged.stdout).not.toContain('What stays')
    expect(existsSync(state())).toBe(false)
  })
})
