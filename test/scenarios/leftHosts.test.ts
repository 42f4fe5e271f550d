import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hashPassword } from '../../src/accounts/passwordHash.ts'
import { putUser } from '../../src/accounts/userFile.ts'
import { changeUserFile } from '../../src/accounts/userFileIo.ts'
import { Secret } from '../../src/secrets/secret.ts'
import { endProcesses } from './support/pids.ts'
import { createWorld, type World } from './support/world.ts'

/** A cluster whose second host leaves the file; each test goes on. */
describe.skipIf(process.platform !== 'linux')('a host that left the file (needs Linux)', () => {
  let world: World
  const machines = (): string =>
    readFileSync(join(world.operator.directory, '.muster/alpha/machines.json'), 'utf8')
  const stores = (): readonly string[] => readdirSync(join(world.operator.directory, '.muster/alpha/hosts'))
  const running = (): RegExp =>
    /note: db2 of alpha left the file\. Its connector at 127\.0\.0\.3 still runs, with the users and passwords/

  beforeAll(async () => {
    world = await createWorld(2)
    expect((await world.muster('install')).code).toBe(0)
  })
  afterAll(() => world?.close())

  it('is not named while it is in the file', async () => {
    expect((await world.muster('plan')).stderr).not.toContain('left the file')
    expect((await world.muster('plan', ['--host', 'db1'])).stderr).not.toContain('left the file')
  })

  it.each([[['plan']], [['install']], [['status']], [['users', 'verify']], [['cert', 'check']]])(
    'is named with what runs there by %j',
    async ([command = '', ...words]) => {
      world.describe({ hosts: [world.host('db1')] })
      const outcome = await world.muster(command, words)
      expect(outcome.stderr.replaceAll(/\s+/g, ' ')).toMatch(running())
      expect(outcome.stderr).toContain('muster install --prune')
    },
  )

  it('is drift', async () => {
    const report = await world.muster('drift', ['--format', 'json'])
    expect(report).toMatchObject({ code: 2 })
    expect(JSON.parse(report.stdout).findings).toMatchObject([{ code: 'drift-host-left', host: 'db2' }])
    expect(report.stderr).not.toContain('left the file')
  })

  it('is told to programs by plan and status, whose exit codes it does not change', async () => {
    const hosts = [{ host: 'db2', state: 'installed' }]
    for (const command of ['plan --format json', 'status --json']) {
      const [name = '', ...words] = command.split(' ')
      const outcome = await world.muster(name, words)
      expect(outcome).toMatchObject({ code: 0 })
      expect(JSON.parse(outcome.stdout).leftFile).toMatchObject({ hosts, users: [] })
    }
  })

  it('is forgotten by forget, which says what still runs there; no other host is', async () => {
    const saved = machines()
    const other = await world.muster('forget', ['db1', '--yes'])
    expect(other).toMatchObject({ code: 3 })
    expect(other.stderr).toContain('These left it: db2.')
    const outcome = await world.muster('forget', ['db2', '--yes'])
    expect(outcome).toMatchObject({ code: 0, stdout: 'forgot db2\n' })
    expect(outcome.stderr).toContain('Its connector at 127.0.0.3 still runs')
    expect(machines()).not.toContain('"db2"')
    expect(stores()).toEqual(['db1'])
    expect((await world.muster('plan')).stderr).not.toContain('left the file')
    expect((await world.muster('forget', ['db2', '--yes'])).stderr).toContain('No host left it.')
    writeFileSync(join(world.operator.directory, '.muster/alpha/machines.json'), saved)
  })

  it('is forgotten by uninstall once it is back in the file', async () => {
    world.describe()
    expect(machines()).toContain('"db2"')
    expect((await world.muster('uninstall', ['--host', 'db2'])).code).toBe(0)
    expect(world.host('db2').pids()).toEqual({})
    expect(machines()).not.toContain('"db2"')
    world.describe({ hosts: [world.host('db1')] })
    expect((await world.muster('plan')).stderr).not.toContain('left the file')
  })

  it('is shown by plan --prune with what is removed, and nothing is changed', async () => {
    world.describe()
    expect((await world.muster('install')).code).toBe(0)
    world.describe({ hosts: [world.host('db1')] })
    const [pids, saved] = [world.host('db2').pids(), machines()]
    const outcome = await world.muster('plan', ['--prune'])
    expect(outcome).toMatchObject({ code: 2 })
    expect(outcome.stdout).toContain('take out db2, after the other hosts no longer know it')
    expect(outcome.stdout).toContain('- stop and remove connector')
    const { hosts } = JSON.parse((await world.muster('plan', ['--prune', '--format', 'json'])).stdout)
    expect(hosts).toMatchObject([
      { host: 'db1' },
      { host: 'db2', changes: [{ step: 'services' }, { step: 'files' }] },
    ])
    expect(world.host('db2').pids()).toEqual(pids)
    expect(machines()).toBe(saved)
  })

  it('is not taken out by a run of some hosts, nor by a saved plan', async () => {
    world.describe()
    const some = await world.muster('install', ['--prune', '--host', 'db1'])
    world.describe({ hosts: [world.host('db1')] })
    expect(some).toMatchObject({ code: 3 })
    expect(some.stderr).toContain('Leave out --host, --service and --shard.')
    expect(await world.muster('plan', ['--prune', '--out', 'one.plan'])).toMatchObject({ code: 3 })
    expect(await world.muster('install', ['--prune', '--plan', 'one.plan'])).toMatchObject({ code: 3 })
  })

  it('is taken out by install --prune, which goes on where it failed before', async () => {
    const { directory, tools } = world.host('db2')
    const rm = join(tools, 'rm')
    // Other scripts of muster work on: the lock of the host is released.
    const broken = `#!/bin/sh\ncase "$*" in *'${directory}/current'*) exit 1;; esac\nexec /bin/rm "$@"\n`
    writeFileSync(rm, broken, { mode: 0o755 })
    const failed = await world.muster('install', ['--prune'])
    expect(failed).toMatchObject({ code: 1 })
    expect(machines()).toContain('"db2"')
    rmSync(rm)
    const outcome = await world.muster('install', ['--prune'])
    expect(outcome.stderr).not.toContain('left the file')
    expect(outcome).toMatchObject({ code: 0 })
    expect(world.host('db2').pids()).toEqual({})
    expect(existsSync(directory)).toBe(false)
    expect(machines()).not.toContain('"db2"')
    expect(stores()).toEqual(['db1'])
    expect((await world.muster('plan', ['--prune'])).code).toBe(0)
  })

  it('stays where it cannot be reached, and the run is incomplete', async () => {
    world.describe()
    expect((await world.muster('install')).code).toBe(0)
    world.describe({ hosts: [world.host('db1')] })
    await world.host('db2').server.close()
    const outcome = await world.muster('install', ['--prune'])
    expect(outcome).toMatchObject({ code: 6 })
    expect(outcome.stderr).toContain('db2 left the file and is not taken out:')
    expect(outcome.stderr).toContain('muster forget db2')
    expect(outcome.stdout).toContain('INCOMPLETE')
    expect(machines()).toContain('"db2"')
  })
})

/** A cluster whose second host is renamed in the file, at the same place; each test goes on. */
describe.skipIf(process.platform !== 'linux')('a host that was renamed in the file (needs Linux)', () => {
  let world: World
  const machines = (): string =>
    readFileSync(join(world.operator.directory, '.muster/alpha/machines.json'), 'utf8')
  const keyOfDb2 = (): string => join(world.operator.directory, '.muster/alpha/hosts/db2/key.pem')
  const rename = (): void =>
    world.describe({ hosts: [world.host('db1'), { ...world.host('db2'), name: 'db3' }] })
  const line = (text: string): string => text.replaceAll(/\s+/g, ' ')

  beforeAll(async () => {
    world = await createWorld(2)
    expect((await world.muster('install')).code).toBe(0)
    rename()
  })
  afterAll(() => world?.close())

  it.each([[['plan']], [['plan', '--prune']], [['install']], [['install', '--prune']], [['check']]])(
    'is refused by %j, which says how to rename it',
    async ([command = '', ...words]) => {
      const pids = world.host('db2').pids()
      const { code, stdout, stderr } = await world.muster(command, words)
      expect(code).toBe(1)
      expect(line(stdout + stderr)).toMatch(/If db2 was renamed in the file: name it db2 again,/)
      expect(world.host('db2').pids()).toEqual(pids)
    },
  )

  it('is named by status with the same way', async () => {
    const { stderr } = await world.muster('status')
    expect(line(stderr)).toContain(
      'db3 has its address and install-directory. To rename it: name it db2 again, run `muster uninstall --host db2`, then rename and install again',
    )
    expect(stderr).not.toContain('--prune')
  })

  it('is renamed that way', async () => {
    world.describe()
    expect((await world.muster('uninstall', ['--host', 'db2'])).code).toBe(0)
    rename()
    expect(existsSync(keyOfDb2())).toBe(true)
    const outcome = await world.muster('install')
    expect(outcome).toMatchObject({ code: 0 })
    expect(outcome.stderr).not.toContain('left the file')
    expect(existsSync(keyOfDb2())).toBe(false)
  })

  it('is forgotten under its old name by install --prune, which removes nothing at the new one', async () => {
    // The machine was emptied by hand, so the state directory has both names for one place.
    endProcesses(world.host('db2').directory)
    rmSync(world.host('db2').directory, { recursive: true })
    world.describe({ hosts: [world.host('db1'), { ...world.host('db2'), name: 'db4' }] })
    const planned = await world.muster('plan', ['--prune'])
    expect(planned.stdout).toContain('forget db3: db4 has its address and install-directory')
    expect((await world.muster('install')).code).toBe(0)
    const pids = world.host('db2').pids()
    expect(pids).toHaveProperty('connector')
    expect(line((await world.muster('plan')).stderr)).toMatch(
      /db3 of alpha left the file\. Nothing of it is installed there: .* holds the installation of host db4 of cluster alpha\. Forget it: muster forget db3/,
    )
    expect(await world.muster('install', ['--prune'])).toMatchObject({ code: 0 })
    expect(world.host('db2').pids()).toEqual(pids)
    expect(machines()).not.toContain('"db3"')
    expect(machines()).toContain('"db4"')
  })
})

/** A cluster whose administrator is renamed in the file; each test goes on. */
describe.skipIf(process.platform !== 'linux')('an administrator who left the file (needs Linux)', () => {
  let world: World
  const usersFile = (): string => join(world.host('db1').directory, 'data/users.json')
  const users = (): readonly string[] =>
    JSON.parse(readFileSync(usersFile(), 'utf8')).users.map(({ user }: { readonly user: string }) => user)
  const secrets = (): string =>
    readFileSync(join(world.operator.directory, '.muster/alpha/secrets.json'), 'utf8')

  beforeAll(async () => {
    world = await createWorld(1)
    expect((await world.muster('install')).code).toBe(0)
    const cost = { ln: 10, r: 8, p: 1 }
    const hash = await hashPassword({
      password: new Secret('by hand, long'),
      salt: Buffer.alloc(16, 7),
      cost,
    })
    await changeUserFile(usersFile(), (is) => putUser(is, { user: 'guest', access: 'read', hash }))
    world.describe({ defaults: { 'rest-api-admin-user': 'chief' } })
  })
  afterAll(() => world?.close())

  it.each(['plan', 'install', 'status'])(
    'is named by %s, and nobody whom muster did not make',
    async (command) => {
      const { stderr } = await world.muster(command)
      expect(stderr.replaceAll(/\s+/g, ' ')).toContain(
        'note: the user admin left the file of alpha, but db1 still accepts it, with access full. To take it out: muster install --prune',
      )
      expect(stderr).not.toContain('guest')
      expect(users()).toEqual(command === 'plan' ? ['admin', 'guest'] : ['admin', 'guest', 'chief'])
    },
  )

  it('is taken out by install --prune, as plan --prune shows', async () => {
    const plan = await world.muster('plan', ['--prune'])
    expect(plan).toMatchObject({ code: 2 })
    expect(plan.stdout).toContain('- remove the user admin')
    expect(users()).toContain('admin')
    const install = await world.muster('install', ['--prune'])
    expect(install).toMatchObject({ code: 0 })
    expect(install.stderr).not.toContain('left the file')
    expect(users()).toEqual(['guest', 'chief'])
    expect(Object.keys(JSON.parse(secrets()).users)).toEqual(['chief'])
    expect((await world.muster('plan', ['--prune'])).code).toBe(0)
  })
})
