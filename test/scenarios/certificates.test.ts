import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Door, type LoginLoad, loginLoad, shownSerial, trusted } from './support/loginLoad.ts'
import { createWorld, type World } from './support/world.ts'

/** Certificates of two hosts that are replaced while clients log in; each test goes on where the last ended. */
describe.skipIf(process.platform !== 'linux')('certificates that are replaced (needs Linux)', () => {
  let world: World
  let load: LoginLoad | undefined
  const doors = (): readonly Door[] => [
    { host: world.host('db1'), component: 'manager' },
    { host: world.host('db1'), component: 'replicator' },
    { host: world.host('db2'), component: 'connector' },
  ]
  const state = (name: string): string => join(world.operator.directory, '.muster/alpha', name)
  const password = (): string => JSON.parse(readFileSync(state('secrets.json'), 'utf8')).users.admin.password
  const serials = (): Promise<readonly string[]> =>
    Promise.all(doors().map((door) => shownSerial(door, trusted(world.operator))))
  /** The authorities that tapi trusts, as its record of the cluster says. */
  const known = (): readonly string[] => {
    const folder = join(world.operator.env.XDG_CONFIG_HOME ?? '', 'muster/clusters')
    return readdirSync(folder).flatMap(
      (name) => JSON.parse(readFileSync(join(folder, name), 'utf8')).authorities,
    )
  }
  const pids = () => world.hosts.map((host) => host.pids())
  const cert = (operation: string, argv: readonly string[] = []) =>
    world.operator.muster(['cert', operation, '--yes', ...argv, 'alpha.yaml'])

  /** Logins all the while: every one was let in, and who kept a connection needed no other. */
  async function underLoad<Result>(work: () => Promise<Result>): Promise<Result> {
    const running = loginLoad({ operator: world.operator, doors: doors(), password: password() })
    load = running
    await running.around()
    const result = await work()
    await running.around()
    const { made, refused, kept } = await running.stop()
    load = undefined
    expect(refused).toEqual([])
    expect(kept).toBe(doors().length)
    expect(made).toBeGreaterThan(doors().length * 10)
    return result
  }

  beforeAll(async () => {
    world = await createWorld(2)
    world.describe({ connectors: ['db2'] })
    expect(await world.muster('install')).toMatchObject({ code: 0 })
  }, 120_000)
  afterAll(async () => {
    await load?.stop()
    await world?.close()
  })

  it('are renewed without a restart, and no login is refused meanwhile', async () => {
    const [before, running] = [await serials(), pids()]
    const outcome = await underLoad(() => cert('renew'))
    expect(outcome, outcome.stderr).toMatchObject({ code: 0, stderr: '' })
    const after = await serials()
    expect(pids()).toEqual(running)
    expect(new Set([...before, ...after]).size).toBe(4)
    expect(outcome.stdout).toContain(
      'issue certificates for db1 and db2: each present one is to be renewed\n',
    )
    expect(outcome.stdout).toMatch(
      new RegExp(`^db1 {2}done: 1 change, certificate ${after[0]} is shown, logins proved`, 'm'),
    )
    expect(outcome.stdout).toMatch(
      new RegExp(`^db2 {2}done: 1 change, certificate ${after[2]} is shown, logins proved`, 'm'),
    )
    expect((await world.muster('plan')).stdout).toBe('alpha: nothing to do on 2 hosts.\n')
    for (const { name, directory } of world.hosts) {
      expect(readFileSync(join(directory, 'share/tls/chain.pem'))).toEqual(
        readFileSync(state(`hosts/${name}/chain.pem`)),
      )
      expect(existsSync(join(directory, '.before'))).toBe(false)
    }
    expect((await world.muster('audit')).stdout).toMatch(/ cert renew .* 0 +2 changed\n/)
  }, 120_000)

  it('are renewed on the chosen hosts alone', async () => {
    const before = await serials()
    const outcome = await cert('renew', ['--host', 'db2', '--json'])
    expect(outcome).toMatchObject({ code: 0, stderr: '' })
    for (const line of outcome.stdout.trimEnd().split('\n')) expect(JSON.parse(line)).toHaveProperty('type')
    const after = await serials()
    expect(after.slice(0, 2)).toEqual(before.slice(0, 2))
    expect(after[2]).not.toBe(before[2])
  }, 120_000)

  it('stay while every host and tapi come to trust another authority, and an installation keeps both', async () => {
    const [before, old] = [await serials(), trusted(world.operator)]
    const outcome = await cert('rotate-authority', ['--trust-only'])
    expect(outcome, outcome.stderr).toMatchObject({ code: 0, stderr: '' })
    expect(outcome.stdout).toContain(
      `\nEvery host trusts both authorities. ${state('authority.crt')} holds both: `,
    )
    expect(trusted(world.operator).startsWith(old)).toBe(true)
    expect(known()).toEqual(trusted(world.operator).split(/(?<=END CERTIFICATE-----\n)/))
    expect(await serials()).toEqual(before)
    expect((await world.muster('install')).stdout).toContain('alpha: nothing to do on 2 hosts.\n')
    expect(known()).toHaveLength(2)
  }, 120_000)

  it('follow another authority host by host, and no login is refused meanwhile', async () => {
    const [before, running, both] = [await serials(), pids(), trusted(world.operator)]
    const [old = '', next = ''] = both.split(/(?<=END CERTIFICATE-----\n)/)
    const outcome = await underLoad(() => cert('rotate-authority'))
    expect(outcome, outcome.stderr).toMatchObject({ code: 0, stderr: '' })
    const after = await serials()
    expect(pids()).toEqual(running)
    expect(after.filter((serial) => before.includes(serial))).toEqual([])
    expect([trusted(world.operator), known()]).toEqual([next, [next]])
    for (const door of doors()) await expect(shownSerial(door, old)).rejects.toThrow()
    expect((await world.muster('plan')).stdout).toBe('alpha: nothing to do on 2 hosts.\n')
    expect((await world.muster('audit')).stdout).toMatch(/ cert rotate-authority .* 0 +2 changed\n/)
    const phases = [...outcome.stdout.matchAll(/^ {2}~ (?!then )(phase .*|issue .*|\d waves .*)$/gm)].map(
      ([, said]) => said,
    )
    expect(phases).toMatchInlineSnapshot(`
      [
        "phase 1 of 3: every host trusts the new authority, too; the old one still signs",
        "phase 2 of 3: certificates of the new authority move over, host by host; both are trusted",
        "2 waves of at most 1 host; a failure ends it before the next",
        "issue certificates for db1 and db2: each present one is of the old authority",
        "phase 3 of 3: the old authority is trusted no longer",
      ]
    `)
  }, 120_000)
})
