import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeSentinel } from '../lab/scenario/sentinel.ts'
import { freePort } from '../support/ports.ts'
import { snapshot } from './support/snapshot.ts'
import { createWorld, type World } from './support/world.ts'

type Found = { readonly code: string; readonly host?: string; readonly severity: string }

/** Each test goes on where the last ended. */
describe.skipIf(process.platform !== 'linux')('muster drift on two hosts (needs Linux)', () => {
  const sentinel = makeSentinel()
  let world: World
  const drift = async (argv: readonly string[] = []) => {
    const before = everything()
    const { code, stdout, stderr } = await world.muster('drift', ['--json', ...argv])
    expect(everything()).toEqual(before)
    expect(stdout + stderr).not.toContain(sentinel.password)
    const { findings, hosts } = JSON.parse(stdout)
    const failing = findings.filter(({ severity }: Found) => severity !== 'note')
    return { code, hosts, found: failing.map((one: Found) => `${one.host}: ${one.code}`) }
  }
  const everything = () => [
    ...world.hosts.map(({ directory }) => snapshot(join(directory, 'share'))),
    snapshot(join(world.operator.directory, '.muster')),
  ]
  const settings = () => join(world.host('db2').directory, 'share', 'connector.json')

  beforeAll(async () => {
    world = await createWorld(2)
    world.operator.env.ADMIN_PASS = sentinel.password
    world.describe({ defaults: { 'rest-api-admin-pass': '!env ADMIN_PASS' } })
    expect(await world.muster('install')).toMatchObject({ code: 0 })
  })
  afterAll(() => world?.close())

  it('finds none after an installation, over one connection to each host', async () => {
    const logins = world.hosts.map(({ server }) => server.logins().length)
    expect(await drift()).toMatchObject({ code: 0, found: [] })
    expect(world.hosts.map(({ server }, at) => server.logins().length - (logins[at] ?? 0))).toEqual([1, 1])
  })

  it('finds settings that somebody changed on a host, exit code 2', async () => {
    const before = readFileSync(settings())
    appendFileSync(settings(), ' ')
    const { code, found, hosts } = await drift()
    expect({ code, found }).toEqual({ code: 2, found: ['db2: drift-changes'] })
    expect(hosts).toMatchObject([
      { host: 'db1', changes: [] },
      { host: 'db2', changes: [expect.stringMatching(/settings/)] },
    ])
    writeFileSync(settings(), before)
  })

  it('finds a stopped component, and not also what follows from it', async () => {
    await world.muster('stop', ['--host', 'db2', '--yes'])
    expect(await drift()).toMatchObject({
      code: 2,
      found: ['db2: drift-component-stopped', 'db2: drift-changes'],
    })
    expect(await world.muster('start', ['--host', 'db2', '--yes'])).toMatchObject({ code: 0 })
  })

  it('finds a change of the file, and of the users', async () => {
    world.describe({
      defaults: {
        'rest-api-admin-pass': '!env ADMIN_PASS',
        'log-level': 'debug',
        'rest-api-users': '{ dev: { password: pL2-vvQ8s_Za } }',
      },
    })
    const { code, found } = await drift(['--host', 'db1'])
    expect({ code, found }).toEqual({ code: 2, found: ['db1: drift-changes', 'db1: user-missing'] })
    world.describe({ defaults: { 'rest-api-admin-pass': '!env ADMIN_PASS' } })
  })

  it('still compares the other hosts if one is away', async () => {
    const file = join(world.operator.directory, 'alpha.yaml')
    const { port } = world.host('db2').server
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replace(`port: ${port}`, `port: ${await freePort('127.0.0.3')}`),
    )
    expect(await drift()).toMatchObject({ code: 4, found: ['db2: drift-host-unreachable'] })
  })
})
