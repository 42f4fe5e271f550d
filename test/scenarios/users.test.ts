import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hashPassword } from '../../src/accounts/passwordHash.ts'
import { putUser } from '../../src/accounts/userFile.ts'
import { changeUserFile } from '../../src/accounts/userFileIo.ts'
import { Secret } from '../../src/secrets/secret.ts'
import { betrays, makeSentinel } from '../lab/scenario/sentinel.ts'
import { logIn } from './support/api.ts'
import { clusterFile } from './support/clusterFile.ts'
import { type Door, underLoad } from './support/loginLoad.ts'
import { meanwhile } from './support/meanwhile.ts'
import { onTerminal } from './support/onTerminal.ts'
import { createOperator, type Outcome } from './support/operator.ts'
import { runProgram } from './support/program.ts'
import { createWorld, type World } from './support/world.ts'

/** Users of two hosts over their life; each test goes on where the last ended. */
describe.skipIf(process.platform !== 'linux')('the users of a cluster (needs Linux)', () => {
  const sentinel = makeSentinel()
  let world: World
  const doors = (): readonly Door[] => [
    { host: world.host('db1'), component: 'manager' },
    { host: world.host('db1'), component: 'replicator' },
    { host: world.host('db2'), component: 'connector' },
  ]
  const name = (users: string) => {
    world.describe({ connectors: ['db2'], defaults: { 'rest-api-users': users } })
  }
  const users = (operation: string, argv: readonly string[] = [], typed?: string): Promise<Outcome> =>
    world.operator.muster(
      ['users', operation, ...(typed === undefined ? ['--yes'] : []), ...argv, 'alpha.yaml'],
      typed === undefined ? {} : { typed },
    )
  const kept = (user: string): string =>
    JSON.parse(readFileSync(join(world.operator.directory, '.muster/alpha/secrets.json'), 'utf8')).users[user]
      ?.password
  const enter = (user: string, password: string): Promise<readonly (number | string)[]> =>
    Promise.all(
      doors().map(({ host, component }) =>
        logIn({ operator: world.operator, host, component, user, password }),
      ),
    )
  const everywhere = [200, 200, 200]
  const nowhere = [401, 401, 401]
  /** Makes a user on one host alone, as somebody does who does not know of muster. */
  async function makeUser(host: string, user: string, password: string): Promise<void> {
    const hash = await hashPassword({
      password: new Secret(password),
      salt: Buffer.alloc(16, 7),
      cost: { ln: 10, r: 8, p: 1 },
    })
    const file = join(world.host(host).directory, 'data/users.json')
    await changeUserFile(file, (is) => putUser(is, { user, access: 'full', hash }))
  }

  beforeAll(async () => {
    world = await createWorld(2)
    world.operator.env.OPS_PASS = sentinel.password
    world.describe({ connectors: ['db2'] })
    expect(await world.muster('install')).toMatchObject({ code: 0 })
  })
  afterAll(() => world?.close())

  it('are created without a restart and without refused logins', async () => {
    const running = world.hosts.map((host) => host.pids())
    name('{ ops: !env OPS_PASS, nightly: }')
    const outcome = await underLoad(
      { operator: world.operator, doors: doors(), password: kept('admin') },
      () => users('apply'),
    )
    expect(outcome, outcome.stderr).toMatchObject({ code: 0, stderr: '' })
    expect(world.hosts.map((host) => host.pids())).toEqual(running)
    expect(outcome.stdout).toContain(
      `  + create the administrators ops and nightly\n      users.json: ops: [redacted] new\n`,
    )
    expect(outcome.stdout).toMatch(/^ {2}user nightly {2}password \S+$/m)
    expect(outcome.stdout.match(/done: 1 change, logins verified/g)).toHaveLength(2)
    expect(betrays(sentinel, Buffer.from(outcome.stdout))).toBe(false)
    expect(await enter('ops', sentinel.password)).toEqual(everywhere)
    expect(await enter('nightly', kept('nightly'))).toEqual(everywhere)
    expect((await world.muster('audit')).stdout).toMatch(/ users apply .* 0 +2 changed\n/)
  })

  it('are unchanged by the second run, also of install', async () => {
    const before = kept('nightly')
    const outcome = await users('apply')
    expect(outcome.stdout).toContain('alpha: nothing to do on 2 hosts.\n')
    expect(outcome).toMatchObject({ code: 0, stderr: '' })
    expect((await world.muster('plan')).stdout).toBe('alpha: nothing to do on 2 hosts.\n')
    expect(kept('nightly')).toBe(before)
  })

  it('are applied with live progress on a terminal', async () => {
    const apply = await onTerminal(world.operator, ['users', 'apply', '--yes', 'alpha.yaml'])
    expect(apply.code, apply.screen).toBe(0)
    expect(apply.screen).toMatch(/^db1 {2}nothing to do, logins verified/m)
    const argv = ['users', 'rotate', 'nightly', '--yes', '--no-show', 'alpha.yaml']
    const rotate = await onTerminal(world.operator, argv)
    expect(rotate.code, rotate.screen).toBe(0)
    expect(rotate.screen).toMatch(/^db2 {2}done: 1 change, logins verified/m)
  })

  it('that the file does not name are reported, and removed with --prune after a confirmation', async () => {
    await makeUser('db2', 'mallory', 'made by hand')
    expect((await enter('mallory', 'made by hand'))[2]).toBe(200)
    const told = await users('apply')
    expect(told.stdout).toContain(
      'alpha: nothing to do on 2 hosts.\n  * db2 has mallory, not in the file; --prune would remove them\n',
    )
    const refused = await users('apply', ['--prune'], 'no\n')
    expect(refused).toMatchObject({ code: 1, stderr: 'Go on? [yes/no] Nothing was changed.\n' })
    expect(refused.stdout).toContain('  - remove the user mallory\n')
    expect((await enter('mallory', 'made by hand'))[2]).toBe(200)
    const removed = await users('apply', ['--prune'], 'yes\n')
    expect(removed, removed.stderr).toMatchObject({ code: 0 })
    expect((await enter('mallory', 'made by hand'))[2]).toBe(401)
    expect(await enter('ops', sentinel.password)).toEqual(everywhere)
  })

  it('are listed for every host, and verified by logging in everywhere', async () => {
    const look = (operation: string, ...argv: readonly string[]) =>
      world.operator.muster(['users', operation, ...argv, 'alpha.yaml'])
    expect(await look('verify')).toEqual({
      code: 0,
      stdout: 'The users of alpha match the file: 9 logins verified on 3 APIs: admin, ops and nightly.\n',
      stderr: '',
    })
    await makeUser('db2', 'mallory', 'made by hand')
    await makeUser('db1', 'ops', 'changed by hand')
    const list = await look('list')
    expect(list).toEqual({
      code: 0,
      stderr: '',
      stdout: `HOST  USER     FILE  ACCESS  PASSWORD      MANAGER  CONNECTOR  REPLICATOR
db1   admin    yes   full    matches       yes      -          yes
db1   ops      yes   full    not compared  yes      -          yes
db1   nightly  yes   full    matches       yes      -          yes
db2   admin    yes   full    matches       -        yes        -
db2   ops      yes   full    not compared  -        yes        -
db2   nightly  yes   full    matches       -        yes        -
db2   mallory  no    full    unknown       -        yes        -

ops: the password hashes of the hosts differ, so the passwords may differ
mallory: on db2, where the file does not name it
`,
    })
    const verified = await look('verify', '--json')
    expect(verified).toMatchObject({ code: 1, stderr: '' })
    expect(JSON.parse(verified.stdout)).toMatchObject({
      findings: [
        { host: 'db1', code: 'user-password-differs', severity: 'error' },
        { host: 'db2', code: 'user-extra', severity: 'error' },
      ],
      cluster: 'alpha',
    })
    const sarif = JSON.parse((await look('verify', '--format', 'sarif')).stdout)
    expect(sarif.runs[0].results.map((one: { ruleId: string }) => one.ruleId)).toEqual([
      'user-password-differs',
      'user-extra',
    ])
    expect(betrays(sentinel, Buffer.from(list.stdout + verified.stdout))).toBe(false)
    // A host that is down is named, and the others are told of.
    world.host('db2').server.setFault('close-before-banner')
    const partly = await look('verify')
    expect(partly.code).toBe(1)
    expect(partly.stdout).toMatch(/ error user-host-unreachable\n {2}db2 is unreachable: /)
    expect(partly.stdout).toMatch(
      / error user-password-differs\n {2}The user ops has a different password on db1\./,
    )
    expect((await look('verify', '--host', 'db2')).code).toBe(4)
    world.host('db2').server.setFault('none')
    expect((await users('apply', ['--prune'])).code).toBe(0)
    expect((await look('verify')).code).toBe(0)
  })

  it('whose password is unknown are unchanged until --generate', async () => {
    name('{ ops: , nightly: }')
    const left = await users('apply')
    expect(left.stdout).toContain('nothing to do on 2 hosts.')
    expect(left.stdout).toContain('logins verified, except ops: password unknown here')
    const made = await users('apply', ['--generate'])
    expect(made.stdout).toContain(`  user ops  password ${kept('ops')}\n`)
    expect(await enter('ops', kept('ops'))).toEqual(everywhere)
    expect(await enter('ops', sentinel.password)).toEqual(nowhere)
    const before = kept('ops')
    expect((await users('apply', ['--generate'])).stdout).toContain('nothing to do on 2 hosts.')
    expect(kept('ops')).toBe(before)
  })

  it('always have the old or the new login after a run that is killed at any step', async () => {
    const old = kept('ops')
    name('{ ops: !env OPS_PASS }')
    await makeUser('db1', 'mallory', 'made by hand')
    const moments = ['"step-started","host":"db1"', '"step-done","host":"db1"', '"phase":"verify"']
    for (const moment of moments) {
      const killed = await runProgram({
        program: 'muster',
        argv: ['users', 'apply', '--yes', '--json', '--prune', '--lock-wait', '30s', 'alpha.yaml'],
        cwd: world.operator.directory,
        env: world.operator.env,
        kill: (stdout) => (stdout.includes(moment) ? 'SIGKILL' : undefined),
      })
      expect(killed.signal === 'SIGKILL' || killed.code === 0, moment).toBe(true)
      const [was, is] = await Promise.all([enter('ops', old), enter('ops', sentinel.password)])
      expect(was.map((status, index) => status === 200 || is[index] === 200)).toEqual([true, true, true])
    }
    const outcome = await users('apply', ['--prune', '--lock-wait', '30s'])
    expect(outcome, outcome.stderr).toMatchObject({ code: 0 })
    expect(await enter('ops', sentinel.password)).toEqual(everywhere)
    expect(await enter('ops', old)).toEqual(nowhere)
    expect(kept('ops')).toBeUndefined()
    expect((await enter('mallory', 'made by hand'))[0]).toBe(401)
  })

  it('are changed by one operator at a time', async () => {
    mkdirSync(join(world.folder, 'second'))
    const second = createOperator(join(world.folder, 'second'))
    const defaults = { 'rest-api-admin-pass': '!env ADMIN_PASS' }
    second.write('alpha.yaml', clusterFile({ hosts: world.hosts, connectors: ['db2'], defaults }))
    second.env.ADMIN_PASS = sentinel.password
    await makeUser('db1', 'mallory', 'made by hand')
    const [ours, theirs] = await meanwhile(world, {
      first: (options) =>
        world.operator.muster(['users', 'apply', '--yes', '--json', '--prune', 'alpha.yaml'], options),
      second: () => second.muster(['users', 'apply', '--yes', 'alpha.yaml']),
    })
    expect(ours, ours.stderr).toMatchObject({ code: 0 })
    expect(theirs).toMatchObject({ code: 5 })
    expect(theirs.stderr).toContain('another run holds the lock of this host: `muster users apply` of ')
    expect(await enter('admin', kept('admin'))).toEqual(everywhere)
  })

  it('are unlocked by users unlock after wrong guesses, and the audit logs stay intact', async () => {
    const enough = 6
    for (let guess = 0; guess < enough; guess += 1) await enter('nobody', `guess${guess}`)
    expect(await enter('nobody', 'x')).toEqual([429, 429, 429])
    const unlocked = await world.operator.muster(['users', 'unlock', 'nobody', 'alpha.yaml'])
    expect(unlocked, unlocked.stderr).toMatchObject({ code: 0 })
    expect(unlocked.stdout).toBe(
      'db1: nobody unlocked in the manager, replicator\ndb2: nobody unlocked in the connector\n',
    )
    expect(await enter('nobody', 'x')).toEqual(nowhere)
    const audited = await world.operator.muster(['audit', '--verify', 'alpha.yaml'])
    expect(audited, audited.stderr).toMatchObject({ code: 0 })
    expect(audited.stdout).toMatch(/^db1 manager: intact, \d+ lines?, ends with line \d+, [0-9a-f]{16}$/m)
  })
})
