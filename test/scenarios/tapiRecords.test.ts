import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createWorld, type World } from './support/world.ts'

describe('the record of a cluster for tapi', () => {
  let world: World
  let records = ''
  let installed: unknown

  const known = (): readonly unknown[] =>
    readdirSync(records).map((name) => JSON.parse(readFileSync(join(records, name), 'utf8')))
  const forget = (): void => rmSync(records, { recursive: true, force: true })

  beforeAll(async () => {
    world = await createWorld(2)
    const home = world.operator.env.XDG_CONFIG_HOME ?? join(world.operator.home, '.config')
    records = join(home, 'muster', 'clusters')
    expect((await world.muster('install')).code).toBe(0)
    const [record] = known()
    installed = record
  })
  afterAll(() => world?.close())

  it.each(['status', 'plan'])('is the same after %s as after install', async (command) => {
    forget()
    expect((await world.muster(command)).code).toBe(0)
    expect(known()).toEqual([installed])
  })

  it('gets the hosts that a command for some of them contacted', async () => {
    forget()
    await world.muster('status', ['--host', 'db2'])
    expect(known()).toMatchObject([{ hosts: [{ name: 'db2' }] }])
    await world.muster('status', ['--host', 'db1'])
    expect(known()).toMatchObject([{ hosts: [{ name: 'db2' }, { name: 'db1' }] }])
  })

  it('is the same after state import, but for the folder', async () => {
    const { operator } = world
    const secret = operator.write('passphrase', 'correct horse battery')
    const archive = join(operator.directory, 'alpha.state')
    const sealed = ['--passphrase-file', secret]
    const out = await operator.muster(['state', 'export', '--out', archive, ...sealed, 'alpha.yaml'])
    expect(out.code, out.stderr).toBe(0)
    const other = join(operator.directory, 'other')
    mkdirSync(other)
    writeFileSync(join(other, 'alpha.yaml'), readFileSync(join(operator.directory, 'alpha.yaml')))
    forget()
    const file = join(other, 'alpha.yaml')
    const brought = await operator.muster(['state', 'import', '--from', archive, ...sealed, file])
    expect(brought.code, brought.stderr).toBe(0)
    expect(known()).toEqual([{ ...(installed as object), directory: other }])
    rmSync(other, { recursive: true })
    forget()
  })

  it('is not written if the operator has no authority to trust', async () => {
    const state = join(world.operator.directory, '.muster')
    const away = join(world.operator.directory, 'away')
    renameSync(state, away)
    await world.muster('status')
    expect(() => known()).toThrow('ENOENT')
    rmSync(state, { recursive: true, force: true })
    renameSync(away, state)
  })

  it('is removed by a command that finds the cluster uninstalled', async () => {
    await world.muster('status')
    expect(known()).toEqual([installed])
    const { env } = world.operator
    const before = env.XDG_CONFIG_HOME
    env.XDG_CONFIG_HOME = join(world.folder, 'elsewhere')
    expect((await world.muster('uninstall')).code).toBe(0)
    if (before === undefined) delete env.XDG_CONFIG_HOME
    else env.XDG_CONFIG_HOME = before
    expect(known()).toEqual([installed])
    await world.muster('status')
    expect(known()).toEqual([])
  })
})
