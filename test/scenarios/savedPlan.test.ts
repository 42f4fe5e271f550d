import { chmodSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { betrays, makeSentinel } from '../lab/scenario/sentinel.ts'
import { pathsBelow, snapshot } from './support/snapshot.ts'
import { createWorld, type World } from './support/world.ts'

/** Plans that are kept and carried out later; each test goes on where the last ended. */
describe.skipIf(process.platform !== 'linux')('a saved plan of two hosts (needs Linux)', () => {
  const sentinel = makeSentinel()
  const given = { 'rest-api-admin-pass': '!env ADMIN_PASS' }
  let world: World
  const path = () => join(world.operator.directory, 'alpha.plan')
  const save = (argv: readonly string[] = []) => world.muster('plan', ['--out', 'alpha.plan', ...argv])
  // With a terminal on which nothing is typed: whoever asks waits for ever.
  const follow = (argv: readonly string[] = []) =>
    world.muster('install', ['--plan', 'alpha.plan', ...argv], { typed: '' })
  const everything = () => [
    ...world.hosts.map(({ directory }) => snapshot(directory)),
    snapshot(join(world.operator.directory, '.muster')),
  ]

  beforeAll(async () => {
    world = await createWorld(2)
    world.operator.env.ADMIN_PASS = sentinel.password
    world.describe({ defaults: given })
  })
  afterAll(() => world?.close())

  it('of a first installation is readable only by its owner, and contains no secret', async () => {
    const before = pathsBelow(world.folder)
    const outcome = await save()
    expect(outcome).toMatchObject({ code: 2, stderr: '' })
    expect(outcome.stdout).toMatch(
      /\nThe plan is saved in alpha\.plan\. Apply it with this command:\n {2}muster install --plan alpha\.plan --runtime-file \S+ alpha\.yaml\n$/,
    )
    expect(pathsBelow(world.folder).filter((found) => !before.includes(found))).toEqual([path()])
    expect(statSync(path()).mode & 0o777).toBe(0o600)
    const text = readFileSync(path(), 'utf8')
    expect(betrays(sentinel, Buffer.from(text))).toBe(false)
    expect(JSON.parse(text).hosts[1].files).toMatchObject({ 'share/tls/key.pem': 'made at install' })
  })

  it.each([
    [
      'with another password',
      {},
      'Secrets have changed since the plan alpha.plan was made: rest-api-admin-pass of db1 and db2.',
    ],
    [
      'with another option',
      { 'log-level': 'debug' },
      'The plan alpha.plan is outdated: the configuration of db1 and db2 has changed.',
    ],
  ])('is not applied %s, exit code 3, and no host is contacted', async (_, options, message) => {
    const logins = world.hosts.map(({ server }) => server.logins().length)
    if (Object.keys(options).length === 0) world.operator.env.ADMIN_PASS = makeSentinel().password
    world.describe({ defaults: { ...given, ...options } })
    const outcome = await follow()
    world.operator.env.ADMIN_PASS = sentinel.password
    world.describe({ defaults: given })
    expect({ code: outcome.code, stdout: outcome.stdout }).toEqual({ code: 3, stdout: '' })
    expect(outcome.stderr.split('\n')[0]).toBe(`error: ${message}`)
    expect(world.hosts.map(({ server }) => server.logins().length)).toEqual(logins)
  })

  it('is applied without a question, and then is outdated', async () => {
    const outcome = await follow()
    expect(outcome).toMatchObject({ code: 0, stderr: '' })
    expect(outcome.stdout).toMatch(/^db2 {2}done: \d changes, logins verified/m)
    const before = everything()
    const again = await follow()
    expect(again.code).toBe(1)
    expect(again.stderr).toMatch(/^error db1: the host has changed since/m)
    expect(again.stderr).toContain('no longer needed: write settings')
    expect(again.stderr).toMatch(/\nNothing was changed\.\n$/)
    expect(everything()).toEqual(before)
  })

  it('without changes is saved as well, and its application verifies the logins', async () => {
    expect((await save()).code).toBe(0)
    const outcome = await follow(['--json'])
    expect(outcome.code).toBe(0)
    const last = outcome.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .at(-1)
    expect(last.outcomes.map(({ result }: { result: string }) => result)).toEqual(['unchanged', 'unchanged'])
  })

  it('is refused for a host that changed since, and changes no host', async () => {
    world.operator.env.ADMIN_PASS = makeSentinel().password
    expect((await save()).code).toBe(2)
    chmodSync(join(world.host('db2').directory, 'data'), 0o750)
    const before = everything()
    const outcome = await follow()
    expect(outcome.code).toBe(1)
    expect(outcome.stderr.replaceAll(world.folder, '')).toMatchInlineSnapshot(`
      "error db2: the host has changed since alpha.plan was made: [plan-outrun]
          new: set up /db2/opt/muster
        fix: Look at \`muster plan\`, then save a new plan with --out.
      Nothing was changed.
      "
    `)
    expect(everything()).toEqual(before)
    const events = (await follow(['--json'])).stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(events.at(-1)).toMatchObject({
      type: 'run-ended',
      outcomes: [
        { host: 'db1', result: 'not-started' },
        { host: 'db2', failure: { code: 'plan-outrun' } },
      ],
    })
    chmodSync(join(world.host('db2').directory, 'data'), 0o700)
    expect((await follow()).code).toBe(0)
  })

  it('for one host is applied only on that host, and refuses other hosts', async () => {
    world.operator.env.ADMIN_PASS = sentinel.password
    expect((await save(['--host', 'db2'])).code).toBe(2)
    const refused = await follow(['--host', 'db1'])
    expect(refused.code).toBe(3)
    expect(refused.stderr).toContain('A saved plan has its own hosts')
    const before = snapshot(world.host('db1').directory)
    expect((await follow()).stdout).toContain('Only db2 of alpha was selected')
    expect(snapshot(world.host('db1').directory)).toEqual(before)
    expect((await world.muster('plan')).stdout).toContain('\ndb2: nothing to do\n')
  })

  it.each([
    ['damaged', (text: string) => text.slice(0, 200), 'alpha.plan is damaged'],
    ['foreign', () => 'cluster: alpha\n', 'alpha.plan is not a plan of muster.'],
    ['newer', () => '{"muster-plan":7}', 'alpha.plan was written by a newer version of muster.'],
    ['missing', undefined, 'alpha.plan does not exist.'],
  ])('that is %s is reported in one message, exit code 3', async (_, change, message) => {
    const text = readFileSync(path(), 'utf8')
    if (change === undefined) rmSync(path())
    else writeFileSync(path(), change(text))
    const { code, stdout, stderr } = await follow()
    writeFileSync(path(), text)
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
    expect(stderr).toContain(`error: ${message}`)
    expect(stderr).toMatch(/^error: .*\n {2}fix: .*\n$/)
  })

  it('replaces an older plan, and no other file', async () => {
    const yaml = readFileSync(join(world.operator.directory, 'alpha.yaml'), 'utf8')
    const { code, stderr } = await world.muster('plan', ['--out', 'alpha.yaml'])
    expect(code).toBe(3)
    expect(stderr).toContain('alpha.yaml already exists and is not a plan; it was not changed.')
    expect(readFileSync(join(world.operator.directory, 'alpha.yaml'), 'utf8')).toBe(yaml)
    expect((await world.muster('plan', ['--out', 'none/alpha.plan'])).stderr).toContain(
      'none/alpha.plan cannot be written: its folder does not exist.',
    )
  })
})
