import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { logIn } from './support/api.ts'
import { runProgram } from './support/program.ts'
import { filesBelow, pathsBelow } from './support/snapshot.ts'
import { createWorld, type World } from './support/world.ts'

/** Every step of an installation without systemd and without a system user; the first test holds the list. */
const steps = ['directories', 'runtime', 'release', 'stores', 'settings', 'users', 'activate', 'services']

describe.skipIf(process.platform !== 'linux')('a run that is stopped (needs Linux)', () => {
  let world: World
  const db1 = () => world.host('db1')
  const state = () => join(world.operator.directory, '.muster')

  /** The built program, which gets a signal as soon as it says one of these. */
  const install = (signal: NodeJS.Signals, at: readonly string[]) =>
    runProgram({
      program: 'muster',
      argv: ['install', '--yes', '--json', '--runtime-file', join(world.folder, 'node'), 'alpha.yaml'],
      cwd: world.operator.directory,
      env: world.operator.env,
      kill: (stdout) => (at.some((words) => stdout.includes(words)) ? signal : undefined),
    })

  /** The next run ends what the stopped one began, and the one after it finds nothing to do. */
  async function expectConvergence(): Promise<void> {
    // The run that lost its connection was of this process, which lives on: its lock goes when the host notices.
    const outcome = await world.muster('install', ['--lock-wait', '30s'])
    expect(outcome, outcome.stderr).toMatchObject({ code: 0, stderr: '' })
    expect(outcome.stdout).toContain('logins proved')
    expect(await world.muster('plan')).toMatchObject({ code: 0, stdout: 'alpha: nothing to do on 1 host.\n' })
    const { password } = JSON.parse(readFileSync(join(state(), 'alpha/secrets.json'), 'utf8')).users.admin
    const { operator } = world
    expect(await logIn({ operator, host: db1(), component: 'replicator', password })).toBe(200)
    expect(pathsBelow(db1().directory).filter((path) => /\.new|\.muster-/.test(path))).toEqual([])
    expect(filesBelow(state()).filter((path) => /lock|\.stag/.test(path))).toEqual([])
  }

  beforeAll(async () => {
    world = await createWorld(1)
    world.describe({ topology: 'replicator' })
  })
  afterEach(async () => {
    await world.muster('uninstall', ['--purge'])
    expect(pathsBelow(join(db1().directory, '..'))).toEqual([])
    expect(existsSync(state())).toBe(false)
  })
  afterAll(() => world?.close())

  it('has these steps', async () => {
    const plan = JSON.parse((await world.muster('plan', ['--json'])).stdout)
    expect(plan.hosts[0].changes.map(({ step }: { step: string }) => step)).toEqual(steps)
  })

  it('by SIGKILL at each step in turn is ended by the next run', async () => {
    for (const index of steps.keys()) {
      // Each run goes on where the last one was killed, and may find that step done.
      const later = steps.slice(index).map((step) => `"step-started","host":"db1","step":"${step}"`)
      const killed = await install('SIGKILL', [...later, '"phase":"verify"'])
      expect(killed.signal, steps[index]).toBe('SIGKILL')
    }
    await expectConvergence()
  }, 60_000)

  it('by SIGKILL is cleaned up by uninstall', async () => {
    await install('SIGKILL', ['"step-done","host":"db1","step":"directories"'])
    expect(existsSync(db1().directory)).toBe(true)
    expect(await world.muster('uninstall')).toMatchObject({ code: 0 })
    expect(existsSync(db1().directory)).toBe(false)
  })

  it('by SIGINT ends after its step with 130, by a lost connection with 4, and is ended by the next run', async () => {
    const stopped = await install('SIGINT', ['"step":"release"'])
    expect(stopped).toMatchObject({ code: 130, signal: null, stderr: '' })
    const events = stopped.stdout.trimEnd().split('\n')
    const last = JSON.parse(events.at(-1) ?? '')
    expect(last).toMatchObject({
      type: 'run-ended',
      interrupted: true,
      outcomes: [{ result: 'not-started' }],
    })
    expect(existsSync(join(db1().directory, 'current'))).toBe(false)
    const outcome = await world.muster('install', [], {
      watch: (text) => {
        if (text.includes('db1: write settings')) db1().server.breakConnections('reset')
      },
    })
    expect(outcome.code).toBe(4)
    expect(outcome.stderr).toMatch(
      /^error db1: the connection to db1 was lost: .* \[connection-lost\]\n {2}fix: /,
    )
    expect(outcome.stdout).toMatch(/^db1 {2}unreachable/m)
    await expectConvergence()
  })
})
