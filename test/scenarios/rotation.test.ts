import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Component } from '../../src/contracts/component.ts'
import { eventually } from '../support/eventually.ts'
import { logIn } from './support/api.ts'
import { byTurns } from './support/byTurns.ts'
import type { Outcome } from './support/operator.ts'
import { runProgram } from './support/program.ts'
import { createWorld, type World } from './support/world.ts'

/** The components of the hosts: the first has two, the others one of their own. */
const apis: readonly (readonly [host: string, component: Component])[] = [
  ['db1', 'manager'],
  ['db1', 'replicator'],
  ['db2', 'connector'],
  ['db3', 'connector'],
]

/** A password over its life; each test goes on where the last one ended. */
describe.skipIf(process.platform !== 'linux')('muster users (needs Linux)', () => {
  let world: World
  const secrets = () => join(world.operator.directory, '.muster/alpha/secrets.json')
  const admin = (): { password: string; pending?: string[]; replaced?: { at: string }[] } =>
    JSON.parse(readFileSync(secrets(), 'utf8')).users.admin
  const enter = ([host, component]: (typeof apis)[number], password: string) =>
    logIn({ operator: world.operator, host: world.host(host), component, password })
  const statuses = (password: string) => Promise.all(apis.map((api) => enter(api, password)))
  const all = (status: number): readonly number[] => apis.map(() => status)
  const pids = () => world.hosts.map((host) => host.pids())
  const rotate = (argv: readonly string[] = []): Promise<Outcome> =>
    world.operator.muster(['users', 'rotate', 'admin', '--yes', ...argv, 'alpha.yaml'])
  const program = (argv: readonly string[], at?: string) =>
    runProgram({
      program: 'muster',
      argv: ['users', 'rotate', 'admin', '--yes', '--json', ...argv, 'alpha.yaml'],
      cwd: world.operator.directory,
      env: world.operator.env,
      kill: (stdout) => (at !== undefined && stdout.includes(at) ? 'SIGKILL' : undefined),
    })
  /** An API takes one of the passwords that the state knows. */
  const expectLogins = async (when: string): Promise<void> => {
    const { password, pending = [] } = admin()
    const expectLogin = async (api: (typeof apis)[number]): Promise<void> => {
      const answers: (number | string)[] = []
      // The host may go over to the new one between two attempts; never back.
      for (const one of [password, ...pending, password]) {
        if (!answers.includes(200)) answers.push(await enter(api, one))
      }
      expect(answers, `${api.join(' ')} ${when}`).toContain(200)
    }
    await Promise.all(apis.map(expectLogin))
  }
  const expectDone = async (old: string): Promise<void> => {
    const { password, pending } = admin()
    expect(pending).toBeUndefined()
    expect(password).not.toBe(old)
    expect(await statuses(password)).toEqual(all(200))
  }

  beforeAll(async () => {
    world = await createWorld(3)
    world.describe({ connectors: ['db2', 'db3'] })
    const outcome = await world.muster('install')
    expect(outcome, outcome.stderr).toMatchObject({ code: 0, stderr: '' })
  })
  afterAll(() => world?.close())

  it('rotate generates a password and deploys it without a restart and without refused logins', async () => {
    const { password: old } = admin()
    const before = pids()
    let going = true
    let logins = 0
    const refused: string[] = []
    // Who knows what the state knows always gets in: the new one first, the old one where a host is not there yet.
    const attempts = apis.map((api) => async () => {
      const before = admin()
      const known = [before.password, ...(before.pending ?? [])]
      let entered = false
      // A host may change between two attempts, never back.
      for (const one of [...known, before.password]) entered ||= (await enter(api, one)) === 200
      logins += 1
      // Who was that slow knows more by now.
      if (!entered && isDeepStrictEqual(admin(), before)) refused.push(api.join(' '))
    })
    const load = byTurns(attempts, () => !going)
    const outcome = await rotate()
    await eventually(() => expect(logins).toBeGreaterThan(3 * apis.length))
    going = false
    await load
    expect(refused).toEqual([])
    expect(outcome, outcome.stderr).toMatchObject({ code: 0, stderr: '' })
    expect(outcome.stdout).toContain(`  user admin  password ${admin().password}\n`)
    const shown = outcome.stdout.replaceAll(admin().password, 'MADE').replaceAll(world.folder, '/folder')
    // Hosts change at once, in any order.
    const times = / in \d+\.\d s| \(\d+\.\d s\)| \((?:connect|facts|commit|verify)[^)]*\)/g
    expect(shown.replace(times, '').replace(/^db\d: .*\n/gm, '')).toMatchInlineSnapshot(`
      "alpha: changes on 3 of 3 hosts

      db1 (127.0.0.2)
        ~ reset the password of admin
            users.json: admin: [redacted] changed
      db2 and db3: the same

      Plan: 0 to add, 3 to change, 0 to remove on 3 hosts

      A password was generated and is shown only once. It is stored in
      /folder/operator/.muster/alpha/secrets.json
        user admin  password MADE

      db1  done: 1 change, logins verified
      db2  done: 1 change, logins verified
      db3  done: 1 change, logins verified
      DONE: 3 hosts
      "
    `)
    await expectDone(old)
    expect(await statuses(old)).toEqual(all(401))
    expect(pids()).toEqual(before)
    expect((await world.muster('plan')).stdout).toBe('alpha: nothing to do on 3 hosts.\n')
  })

  it('rotate that is killed after any event leaves a known login everywhere, and the next run completes it', async () => {
    const whole = await program([])
    expect(whole.code).toBe(0)
    expect(whole.stdout).not.toContain(admin().password)
    const events = whole.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    const marks = events
      .filter(({ type, host }) => /^(notice|step-|phase-started)/.test(type) && (host ?? 'db1') === 'db1')
      .map(({ type, host, phase, step }) =>
        [
          `"type":"${type}"`,
          host && `"host":"${host}"`,
          phase && `"phase":"${phase}"`,
          step && `"step":"${step}"`,
        ]
          .filter(Boolean)
          .join(','),
      )
    expect(new Set(marks).size).toBeGreaterThan(4)
    for (const mark of new Set(marks)) {
      const { password: old } = admin()
      const killed = await program([], mark)
      await expectLogins(`after ${mark}`)
      // What the first step had sent may still be under way; the next run waits for the lock of its shell.
      const next = await rotate(['--lock-wait', '30s'])
      expect(next, `${mark}: ${next.stderr}`).toMatchObject({ code: 0 })
      await expectDone(killed.signal === 'SIGKILL' ? old : '')
      expect((await enter(['db1', 'manager'], old)) === 200).toBe(false)
    }
  })

  it('rotate waits for another run with --lock-wait, and is refused without it', async () => {
    const [one, two] = await Promise.all([rotate(['--lock-wait', '30s']), rotate(['--lock-wait', '30s'])])
    expect([one.code, two.code], `${one.stderr}${two.stderr}`).toEqual([0, 0])
    await expectDone('')
    // Twice in a thousand times two of five marks are the same.
    expect([4, 5]).toContain(admin().replaced?.length)
    const refused = await Promise.all([rotate(), rotate()])
    expect(refused.map(({ code }) => code).sort()).toEqual([0, 5])
    await expectDone('')
  })

  it('rotate reports an unreachable host, and an installation completes it', async () => {
    const { password: old } = admin()
    const { server } = world.host('db2')
    server.setFault('reset-after-banner')
    const outcome = await rotate()
    server.setFault('none')
    expect(outcome.code).toBe(4)
    expect(outcome.stdout).toContain(
      'db2 may still have the old password of admin; both are kept until it is verified to have the new one. Run `muster users rotate admin`, `muster users apply` or `muster install` to finish.\n',
    )
    expect(admin().pending).toEqual([old])
    await expectLogins('with a host behind')
    expect(await enter(['db2', 'connector'], old)).toBe(200)
    const mended = await world.muster('install')
    expect(mended, mended.stderr).toMatchObject({ code: 0 })
    await expectDone(old)
    expect(await statuses(old)).toEqual(all(401))
  })

  it('rotate accepts a password for a source of the file, which must be updated before the next installation', async () => {
    world.operator.env.ADMIN_PASS = admin().password
    world.describe({ connectors: ['db2', 'db3'], defaults: { 'rest-api-admin-pass': '!env ADMIN_PASS' } })
    const { password: old } = admin()
    expect(await rotate()).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('The file reads the password of admin from a source'),
    })
    writeFileSync(join(world.operator.directory, 'new'), 'Correct-Horse-7!\n', { mode: 0o600 })
    const outcome = await rotate(['--new-password', 'new'])
    expect(outcome, outcome.stderr).toMatchObject({ code: 0 })
    expect(outcome.stdout).toContain('Put the new password where the file reads it')
    expect(await statuses('Correct-Horse-7!')).toEqual(all(200))
    expect(await statuses(old)).toEqual(all(401))
    const today = new Date().toISOString().slice(0, 10)
    for (const command of ['plan', 'install', 'users']) {
      const refused = await (command === 'users'
        ? world.operator.muster(['users', 'apply', '--yes', 'alpha.yaml'])
        : world.muster(command))
      expect(refused).toMatchObject({ code: 1 })
      expect(refused.stderr).toContain(
        `error db1, db2 and db3: the file still has the password of admin that was replaced on ${today} [password-replaced]`,
      )
    }
    // The kept password is tried instead, and found everywhere: the file alone is wrong.
    const verified = await world.operator.muster(['users', 'verify', '--json', 'alpha.yaml'])
    const { findings, logins } = JSON.parse(verified.stdout)
    const file = readFileSync(join(world.operator.directory, 'alpha.yaml'), 'utf8').split('\n')
    expect(findings).toMatchObject([{ code: 'user-password-replaced' }])
    expect(file[findings[0].line - 1]?.slice(findings[0].column - 1)).toMatch(/^(?:!env )?"?ADMIN_PASS"?$/)
    expect(logins.map((one: { in: boolean }) => one.in)).toEqual([true, true, true, true])
    expect(await statuses('Correct-Horse-7!')).toEqual(all(200))
    world.operator.env.ADMIN_PASS = 'Correct-Horse-7!'
    expect(await world.muster('install')).toMatchObject({ code: 0, stderr: '' })
    expect(await statuses('Correct-Horse-7!')).toEqual(all(200))
    expect(existsSync(secrets())).toBe(true)
  })

  it('remove removes a user from every host, also one that was down, and then deletes the password', async () => {
    world.operator.env.ADMIN_PASS ??= admin().password
    const defaults = { 'rest-api-admin-pass': '!env ADMIN_PASS' }
    world.describe({ connectors: ['db2', 'db3'], defaults })
    const path = join(world.operator.directory, 'alpha.yaml')
    const without = readFileSync(path, 'utf8')
    writeFileSync(path, without.replace('defaults:\n', 'defaults:\n  rest-api-users: { ops: }\n'))
    const users = (argv: readonly string[]) =>
      world.operator.muster(['users', ...argv, '--yes', 'alpha.yaml'])
    const applied = await users(['apply'])
    expect(applied, applied.stderr).toMatchObject({ code: 0 })
    const kept = () => JSON.parse(readFileSync(secrets(), 'utf8')).users.ops.password
    const password = kept()
    const ops = () =>
      Promise.all(
        apis.map(([host, component]) =>
          logIn({ operator: world.operator, host: world.host(host), component, user: 'ops', password }),
        ),
      )
    expect(await ops()).toEqual(all(200))
    expect(await users(['remove', 'ops'])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('The file still names the user ops, for db1, db2 and db3.'),
    })
    writeFileSync(path, without)
    const { server } = world.host('db2')
    server.setFault('reset-after-banner')
    const first = await users(['remove', 'ops'])
    server.setFault('none')
    expect(first.code).toBe(4)
    expect(first.stdout).toContain(
      'db2 may still have ops: run `muster users remove ops` again for all hosts.\n',
    )
    expect(await ops()).toEqual([401, 401, 200, 401])
    expect(kept()).toBe(password)
    const second = await users(['remove', 'ops'])
    expect(second, second.stderr).toMatchObject({ code: 0, stderr: '' })
    expect(
      second.stdout.replace(/ \(\d+\.\d s\)| \((?:connect|facts|commit|verify)[^)]*\)| in [\d.]+ s$/gm, ''),
    ).toMatchInlineSnapshot(`
      "alpha: changes on 1 of 3 hosts

      db2 (127.0.0.3)
        - remove the user ops
            users.json: ops: [redacted] removed

      db1 and db3: nothing to do

      Plan: 0 to add, 0 to change, 1 to remove on 1 host

      db2: done
      db1  nothing to do, removed from every API
      db2  done: 1 change, removed from every API
      db3  nothing to do, removed from every API
      DONE: 3 hosts
      "
    `)
    expect(await ops()).toEqual(all(401))
    expect(kept()).toBeUndefined()
    expect((await users(['remove', 'Ops'])).stdout).toContain(
      'alpha: nothing to do on 3 hosts.\n  * no host has Ops; users that the file does not name: none\n',
    )
    writeFileSync(path, without.replace('rest-api-admin-user: "admin"', 'rest-api-admin-user: "other"'))
    expect(await users(['remove', 'admin'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/db3: admin is the only user of the host[\s\S]*Nothing was changed/),
    })
    writeFileSync(path, without)
  })

  it.each([
    ['a user that the file does not name', ['users', 'rotate', 'ops'], 'The file names no user ops.'],
    [
      'the same password',
      ['users', 'rotate', 'admin', '--new-password', 'new'],
      'The new password of admin is the same as the current one',
    ],
  ])('rotate refuses %s', async (_, argv, message) => {
    const outcome = await world.operator.muster([...argv, '--yes', 'alpha.yaml'])
    expect(outcome).toMatchObject({ code: 3, stderr: expect.stringContaining(message) })
  })
})
