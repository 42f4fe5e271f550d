import { appendFileSync, lstatSync, readFileSync, readlinkSync } from 'node:fs'
import { join, relative } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Component } from '../../src/contracts/component.ts'
import { makeSentinel } from '../lab/scenario/sentinel.ts'
import { logIn } from './support/api.ts'
import { pathsBelow } from './support/snapshot.ts'
import { createWorld, type Host, type World } from './support/world.ts'

/** The step after which db1 fails, its changes made; `proof` is what comes after the last. */
const fault = vi.hoisted(() => ({ after: '' }))
const broken = vi.hoisted(() => async (host: string, at: string): Promise<void> => {
  const { StepError } = await import('../../src/deployment/stepError.ts')
  if (host !== 'db1' || at !== fault.after) return
  throw new StepError({ host, code: 'step-failed', message: `it broke after ${at}`, fix: 'mend it' })
})
vi.mock('../../src/deployment/plans/installPlan.ts', async (original) => {
  const real = await original<typeof import('../../src/deployment/plans/installPlan.ts')>()
  const installPlan: typeof real.installPlan = (options) =>
    real.installPlan(options).map((step) => ({
      ...step,
      apply: async (transport, facts) => {
        await step.apply(transport, facts)
        await broken(transport.host, step.id)
      },
    }))
  return { ...real, installPlan }
})
vi.mock('../../src/deployment/verifyHost.ts', async (original) => {
  const real = await original<typeof import('../../src/deployment/verifyHost.ts')>()
  const verifyHost: typeof real.verifyHost = async (transport, target) => {
    const proved = await real.verifyHost(transport, target)
    await broken(transport.host, 'proof')
    return proved
  }
  return { ...real, verifyHost }
})

type PlannedChange = { readonly step: string; readonly phase: string }

/** An installation that fails after each of its steps in turn, as the plan itself lists them. */
describe.skipIf(process.platform !== 'linux')('an installation that fails (needs Linux)', () => {
  const next = makeSentinel()
  let world: World
  const db1 = () => world.host('db1')
  const enter = (host: Host, component: Component, password: string) =>
    logIn({ operator: world.operator, host, component, password })

  /** The password that was made, as long as the state directory keeps it. */
  const made = (): string | undefined =>
    JSON.parse(readFileSync(join(world.operator.directory, '.muster/alpha/secrets.json'), 'utf8')).users.admin
      ?.password

  /** All that an installation puts on a host, but what was sent for it, logs, pids, and times. */
  const installed = (host: Host): Readonly<Record<string, string>> =>
    Object.fromEntries(
      pathsBelow(host.directory)
        .map((path) => [relative(host.directory, path), lstatSync(path), path] as const)
        .filter(([name]) =>
          /^(current|share(?!\/processes\/)|data\/[^.]*\.json$|releases\/.*\.activated|\.)/.test(name),
        )
        .map(([name, stat, path]) => {
          const content = stat.isFile() ? readFileSync(path, 'utf8') : ''
          const leads = stat.isSymbolicLink() ? readlinkSync(path) : ''
          return [name, `${stat.mode.toString(8)} ${stat.uid}:${stat.gid} ${content}${leads}`]
        }),
    )

  /** The steps of commit on db1, from the plan. */
  async function steps(): Promise<readonly string[]> {
    const plan = JSON.parse((await world.muster('plan', ['--json'])).stdout)
    const changes: readonly PlannedChange[] = plan.hosts[0].changes
    return changes.filter(({ phase }) => phase === 'commit').map(({ step }) => step)
  }

  async function failing(after: string, argv: readonly string[] = []) {
    fault.after = after
    const outcome = await world.muster('install', argv).finally(() => {
      fault.after = ''
    })
    expect(outcome.code, `${after}: ${outcome.stdout}${outcome.stderr}`).toBe(1)
    expect(outcome.stderr).toContain(`error db1: it broke after ${after} [`)
    return outcome
  }

  beforeAll(async () => {
    world = await createWorld(1)
  })
  afterAll(() => world?.close())

  it('for the first time leaves no running component at any step, and the next one completes', async () => {
    const commits = await steps()
    expect(commits).toEqual(['stores', 'settings', 'users', 'activate', 'services'])
    for (const after of [...commits, 'proof']) {
      const outcome = await failing(after)
      expect(outcome.stderr, after).toMatch(
        /\n {4}The changes on the host were undone: no component ran before, and none runs now\. The release \S+ stays on the host for the next run\.\n {2}fix: mend it\n/,
      )
      expect(outcome.stdout).toMatch(/^db1 {2}failed: .*rolled back/m)
      expect(
        Object.keys(installed(db1())).filter((name) => !/^share\/?[a-z]*$/.test(name)),
        after,
      ).toEqual(['share/installation.json'])
      expect(db1().pids()).toEqual({})
    }
    expect(await world.muster('install')).toMatchObject({ code: 0 })
    expect((await world.muster('plan')).stdout).toBe('alpha: nothing to do on 1 host.\n')
    expect(await enter(db1(), 'replicator', made() ?? '')).toBe(200)
  })

  it('of an update restores files, release, password and components at any step', async () => {
    appendFileSync(join(world.folder, 'node'), '\0')
    world.operator.env.ADMIN_PASS = next.password
    world.describe({
      connectors: [],
      defaults: {
        'rest-api-admin-pass': '!env ADMIN_PASS',
        'java-keystore-password': 'changed-later',
      },
    })
    const [before, pids, old] = [installed(db1()), db1().pids(), made() ?? '']
    const commits = await steps()
    expect(commits).toEqual(['stores', 'settings', 'users', 'obsolete', 'activate', 'services'])
    for (const after of [...commits, 'proof']) {
      const outcome = await failing(after)
      expect(outcome.stderr, after).toMatch(
        /\n {4}The changes on the host were undone: manager, connector, replicator run as before\. The release /,
      )
      expect(installed(db1()), after).toEqual(before)
      for (const component of ['manager', 'connector', 'replicator'] as const) {
        expect(await enter(db1(), component, old), after).toBe(200)
        const kept = db1().pids()[component] === pids[component]
        // Whoever was not restarted by the installation is not by going back, either.
        if (commits.indexOf(after) >= 0 && commits.indexOf(after) < commits.indexOf('obsolete')) {
          expect(kept, `${after}: ${component}`).toBe(true)
        }
      }
      expect(await enter(db1(), 'replicator', next.password)).toBe(401)
      // The host has the old one, so that is not forgotten.
      expect(made()).toBe(old)
    }
    expect(await world.muster('install')).toMatchObject({ code: 0 })
    expect((await world.muster('plan')).stdout).toBe('alpha: nothing to do on 1 host.\n')
    expect(await enter(db1(), 'replicator', next.password)).toBe(200)
    expect(await enter(db1(), 'replicator', old)).toBe(401)
    expect(made()).toBeUndefined()
  })
})
