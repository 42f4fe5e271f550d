import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createWorld, type World } from './support/world.ts'

/** A cluster whose second host leaves the file; each test goes on. */
describe.skipIf(process.platform !== 'linux')('a host that left the file (needs Linux)', () => {
  let world: World
  const machines = (): string =>
    readFileSync(join(world.operator.directory, '.muster/alpha/machines.json'), 'utf8')
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

  it.each([[['plan']], [['install']], [['status']], [['drift']], [['users', 'verify']], [['cert', 'check']]])(
    'is named with what runs there by %j',
    async ([command = '', ...words]) => {
      world.describe({ hosts: [world.host('db1')] })
      const outcome = await world.muster(command, words)
      expect(outcome.stderr.replaceAll(/\s+/g, ' ')).toMatch(running())
      expect(outcome.stderr).toContain('muster uninstall --host db2')
    },
  )

  it('is forgotten by forget, which says what still runs there; no other host is', async () => {
    const saved = machines()
    const other = await world.muster('forget', ['db1', '--yes'])
    expect(other).toMatchObject({ code: 3 })
    expect(other.stderr).toContain('These left it: db2.')
    const outcome = await world.muster('forget', ['db2', '--yes'])
    expect(outcome).toMatchObject({ code: 0, stdout: 'forgot db2\n' })
    expect(outcome.stderr).toContain('Its connector at 127.0.0.3 still runs')
    expect(machines()).not.toContain('"db2"')
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
})
