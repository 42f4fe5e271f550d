import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { words } from './support/operator.ts'
import { snapshot } from './support/snapshot.ts'
import { createWorld, type World } from './support/world.ts'

/**
 * Rows of the fault table (deployment.md) on a cluster that runs: while the fault lasts a run changes nothing that
 * is installed and says what is wrong, and the next run after it ends what was wanted.
 */
describe.skipIf(process.platform !== 'linux')('a fault (needs Linux)', () => {
  let world: World
  let level: 'debug' | 'info' = 'info'

  /** Gives every run something to do. */
  const wish = () => {
    level = level === 'info' ? 'debug' : 'info'
    world.describe({ defaults: { 'log-level': level } })
  }
  const installed = () => world.hosts.map(({ directory }) => snapshot(directory))
  const settled = async () => {
    const install = await world.muster('install')
    expect(install, words(install)).toMatchObject({ code: 0 })
    expect(install.stdout).toContain('logins proved')
    const plan = await world.muster('plan')
    expect(plan, words(plan)).toMatchObject({ code: 0 })
  }

  beforeAll(async () => {
    world = await createWorld(2)
    await settled()
  })
  afterEach(async () => {
    for (const { server } of world.hosts) server.setFault('none')
    await vi.waitFor(() => expect(world.hosts.map(({ server }) => server.running())).toEqual([0, 0]))
  })
  afterAll(() => world?.close())

  it('of an address that is now another machine stops every command on that host, until it is said to be meant', async () => {
    wish()
    const record = join(world.operator.directory, '.muster/alpha/machines.json')
    const own = JSON.parse(readFileSync(record, 'utf8'))
    expect(Object.keys(own.machines)).toEqual(['db1', 'db2'])
    const other = { ...own, machines: { ...own.machines, db2: 'f'.repeat(32) } }
    writeFileSync(record, JSON.stringify(other))
    const before = installed()
    const stopped = 'db2 is not the machine that was installed: that one has the machine-id ffffffff…'
    for (const [command, code] of [
      ['plan', 1],
      ['install', 1],
      ['restart', 1],
      ['uninstall', 1],
      ['rollback', 1],
      ['status', 1],
      ['check', 1],
    ] as const) {
      const outcome = await world.muster(command, ['--host', 'db2'])
      expect(outcome.code, command).toBe(code)
      expect(words(outcome).replaceAll(/\s+/g, ' '), command).toContain(stopped)
    }
    expect(installed()).toEqual(before)
    const vain = await world.muster('install', ['--replaced', 'db7'])
    expect(vain.code).toBe(3)
    expect(vain.stderr).toContain('--replaced db7 names no host that this command is for.')
    const replaced = await world.muster('install', ['--replaced', 'db2'])
    expect(replaced, words(replaced)).toMatchObject({ code: 0 })
    expect(JSON.parse(readFileSync(record, 'utf8'))).toEqual(own)
    await settled()
  })
})
