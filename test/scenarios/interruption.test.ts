import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Component } from '../../src/contracts/component.ts'
import { endsWell } from '../support/endsWell.ts'
import { eventually } from '../support/eventually.ts'
import { logIn } from './support/api.ts'
import { faultSite, passwordOption } from './support/faultSite.ts'
import { type Ended, runProgram } from './support/program.ts'
import { filesBelow, pathsBelow } from './support/snapshot.ts'
import { createWorld, type World } from './support/world.ts'

type Plan = { readonly hosts: readonly { readonly changes: readonly { readonly step: string }[] }[] }

/** The components of the two hosts: the first has two, and the second one of its own. */
const apis: readonly (readonly [host: string, component: Component])[] = [
  ['db1', 'manager'],
  ['db1', 'replicator'],
  ['db2', 'connector'],
]

/** Runs that are stopped; each test goes on where the last one ended. */
describe.skipIf(process.platform !== 'linux')('a run that is stopped (needs Linux)', () => {
  let world: World
  const db1 = () => world.host('db1')
  const state = () => join(world.operator.directory, '.muster')

  /** The built program, which gets signals as soon as it says one of these. */
  const install = (signals: NodeJS.Signals | readonly NodeJS.Signals[], at: readonly string[]) =>
    runProgram({
      program: 'muster',
      argv: ['install', '--yes', '--json', '--runtime-file', join(world.folder, 'node'), 'alpha.yaml'],
      cwd: world.operator.directory,
      env: world.operator.env,
      kill: (stdout) => (at.some((words) => stdout.includes(words)) ? signals : undefined),
    })

  /** The password that the state directory keeps. */
  const kept = (): string | undefined => {
    const file = join(state(), 'alpha/secrets.json')
    return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).users?.admin?.password : undefined
  }
  const enter = ([host, component]: (typeof apis)[number], password: string) =>
    logIn({ operator: world.operator, host: world.host(host), component, password })
  /** The password that last opened an API: five wrong ones would lock the door. */
  const good = new Map<string, string>()
  /** Which of the APIs let somebody in who has one of these passwords. */
  async function open(passwords: readonly string[]): Promise<readonly string[]> {
    const entered = await Promise.all(
      apis.map(async (api) => {
        const name = api.join(' ')
        const last = passwords.filter((password) => password === good.get(name))
        for (const password of new Set([...last, ...passwords])) {
          if ((await enter(api, password)) !== 200) continue
          good.set(name, password)
          return name
        }
        return undefined
      }),
    )
    return entered.filter((name) => name !== undefined)
  }

  /**
   * Kills a run at the begin of each step of db1 that the plan has now, and then in the proof; each run goes on
   * where the last was killed, and may find that step done. An API that had a login always has one. Where a
   * slow kill let the last step end, later runs find none. Returns how many runs were killed, and the last of them.
   */
  async function killAtEachStep(
    passwords: () => readonly string[],
  ): Promise<{ readonly kills: number; readonly last: Ended }> {
    const plan: Plan = JSON.parse((await world.muster('plan', ['--json'])).stdout)
    const steps = plan.hosts[0]?.changes.map(({ step }) => step) ?? []
    expect(steps.length).toBeGreaterThan(4)
    let began = 0
    let last: Ended | undefined
    let had = existsSync(join(state(), 'alpha')) ? await open(passwords()) : []
    for (const index of [...steps.keys(), steps.length]) {
      const later = steps.slice(index).map((step) => `"step-started","host":"db1","step":"${step}"`)
      last = await install('SIGKILL', [...later, '"phase-started","host":"db1","phase":"verify"'])
      expect(last.signal, steps[index]).toBe('SIGKILL')
      if (last.stdout.includes('"step-started"')) began += 1
      // What the host was told already it does to the end, such as a restart.
      had = await eventually(
        async () => {
          const now = await open(passwords())
          expect(now, `after ${steps[index] ?? 'the last step'}`).toEqual(expect.arrayContaining([...had]))
          return now
        },
        { interval: 100 },
      )
    }
    expect(began).toBeGreaterThan(steps.length / 2)
    if (last === undefined) throw new Error('no run was killed')
    return { kills: steps.length + 1, last }
  }

  /** The next run ends what the stopped one began, and the one after it finds nothing to do. */
  async function expectConvergence(password: () => string | undefined): Promise<void> {
    // The run that lost its connection was of this process, which lives on: its lock goes when the host notices.
    const outcome = await world.muster('install', ['--lock-wait', '30s'])
    expect(outcome, outcome.stderr).toMatchObject({ code: 0, stderr: '' })
    expect(outcome.stdout).toContain('logins verified')
    const plan = await world.muster('plan')
    expect(plan).toMatchObject({ code: 0, stdout: 'alpha: nothing to do on 2 hosts.\n' })
    expect(await open([password() ?? ''])).toHaveLength(apis.length)
    const left = world.hosts.flatMap(({ directory }) => pathsBelow(directory))
    expect(left.filter((path) => /\.new|\.muster-|\.before|\.back/.test(path))).toEqual([])
    expect(filesBelow(state()).filter((path) => /lock|\.stag/.test(path))).toEqual([])
  }

  async function purge(): Promise<void> {
    expect((await world.muster('uninstall', ['--purge'])).code).toBe(0)
    expect(pathsBelow(join(db1().directory, '..'))).toEqual([])
    expect(existsSync(state())).toBe(false)
  }

  beforeAll(async () => {
    world = await createWorld(2)
    world.describe({ connectors: ['db2'] })
  })
  afterAll(() => world?.close())

  it('by SIGKILL at each step in turn is completed by the next run', async () => {
    const { kills } = await killAtEachStep(() => [kept() ?? ''])
    // Those too that had nothing left to change and were killed in their proof.
    const { stdout } = await world.muster('audit')
    expect(stdout.match(/^\S+ +install .* has not ended$/gm)).toHaveLength(kills)
    await expectConvergence(kept)
  })

  it('by SIGKILL at each step of an update always leaves a login with the old password or the new', async () => {
    const made = kept() ?? ''
    appendFileSync(join(world.folder, 'node'), '\0')
    const site = faultSite(world, {
      describe: () =>
        world.describe({ connectors: ['db2'], defaults: { 'log-level': 'debug', ...passwordOption } }),
      first: made,
    })
    await endsWell({
      row: 'our process killed (SIGKILL) after each step, then run again',
      site,
      begin: () => () => undefined,
      attempt: async () => {
        const { last } = await killAtEachStep(() => [made, site.password()])
        // Until the new one is proved everywhere, both are known: one is given, the other kept.
        expect(kept()).toBe(made)
        return last
      },
      code: -1,
      told: ({ stderr }) => expect(stderr).toBe(''),
      torn: ['db1', 'db2'],
    })
    expect((await world.muster('audit')).stdout).toMatch(/^\S+ +install .* has not ended$/m)
    expect(filesBelow(state()).filter((path) => /lock|\.stag/.test(path))).toEqual([])
    expect(kept()).toBeUndefined()
    await purge()
    world.describe({ connectors: ['db2'] })
  })

  it('by SIGKILL is cleaned up by uninstall', async () => {
    await install('SIGKILL', ['"step-done","host":"db1","step":"directories"'])
    expect(existsSync(db1().directory)).toBe(true)
    expect(await world.muster('uninstall')).toMatchObject({ code: 0 })
    expect(existsSync(db1().directory)).toBe(false)
  })

  it('by SIGINT ends after its step with 130, by a lost connection with 4, and is completed by the next run', async () => {
    const stopped = await install('SIGINT', ['"step":"release"'])
    expect(stopped).toMatchObject({ code: 130, signal: null, stderr: '' })
    expect(stopped.stdout).toContain('"type":"stopping"')
    const events = stopped.stdout.trimEnd().split('\n')
    const last = JSON.parse(events.at(-1) ?? '')
    expect(last).toMatchObject({
      type: 'run-ended',
      interrupted: true,
      outcomes: [{ result: 'not-started' }, { result: 'not-started' }],
    })
    expect(existsSync(join(db1().directory, 'current'))).toBe(false)
    const outcome = await world.muster('install', ['--json'], {
      watch: (text) => {
        if (text.includes('"type":"step-done","host":"db1","step":"settings"'))
          db1().server.breakConnections('reset')
      },
    })
    expect(outcome.code).toBe(4)
    expect(JSON.parse(outcome.stdout.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({
      type: 'run-ended',
      outcomes: [
        {
          result: 'unreachable',
          failure: {
            code: 'connection-lost',
            message: expect.stringMatching(
              /^the connection to db1 was lost: .*\nThe host is unreachable, so its changes were not undone\. The next run continues there\.$/,
            ),
          },
        },
        { host: 'db2' },
      ],
    })
    await expectConvergence(kept)
    await purge()
  })

  it('by a second signal ends immediately, says so, and is recorded as not ended', async () => {
    const stopped = await install(['SIGINT', 'SIGTERM'], ['"step":"release"'])
    expect(stopped).toMatchObject({
      ...{ code: 130, signal: null },
      stderr:
        'Stopped immediately: a step may be incomplete on a host. Run the same command again to continue.\n',
    })
    expect(stopped.stdout).not.toContain('"run-ended"')
    expect((await world.muster('audit', ['last'])).stdout).toMatch(
      /muster install of alpha, has not ended\n[\s\S]*\nIt has not ended: it was killed, or is still running\. /,
    )
    await purge()
  })
})
