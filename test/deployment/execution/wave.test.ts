import { describe, expect, it } from 'vitest'
import type { DeploymentEvent } from '../../../src/deployment/events.ts'
import { execute } from '../../../src/deployment/execution/execute.ts'
import type { HostWork } from '../../../src/deployment/execution/hostRun.ts'
import { allInParallel, canaryThenBatches, type Rollout } from '../../../src/deployment/execution/rollout.ts'
import type { PlannedStep } from '../../../src/deployment/hostPlan.ts'
import type { StepPhase } from '../../../src/deployment/step.ts'
import { StepError } from '../../../src/deployment/stepError.ts'
import type { Transport } from '../../../src/transport/transport.ts'

type Step = PlannedStep['step']

const refuse = (): Promise<never> => Promise.reject(new Error('not expected'))
const transport = (host: string): Transport => ({ host, run: refuse, upload: refuse, close: refuse })

/** Hosts whose work is told as it begins and ends, and goes on when the test says so. */
function world(rollout: Rollout) {
  const done: string[] = []
  const events: DeploymentEvent[] = []
  const abort = new AbortController()
  let working = 0
  let most = 0
  const step = (id: string, phase: StepPhase, apply: (host: string) => Promise<void>): Step => ({
    id,
    title: id,
    phase,
    apply: async ({ host }) => {
      working += 1
      most = Math.max(most, working)
      // Long enough for others to begin, were they allowed to.
      await new Promise(setImmediate)
      await apply(host).finally(() => {
        working -= 1
      })
      done.push(`${host} ${id}`)
    },
  })
  const work = (
    host: string,
    facts: { readonly broken?: boolean; readonly drains?: boolean; readonly more?: readonly Step[] } = {},
  ): HostWork => {
    const commit = step('commit', 'commit', async () => {
      if (facts.broken) throw new StepError({ host, code: 'failed', message: 'it broke', fix: 'mend it' })
    })
    return {
      host,
      transport: transport(host),
      steps: [commit, ...(facts.more ?? [])].map((one) => ({
        step: one,
        change: { summary: one.id, details: [], ...(facts.drains ? { drains: 30_000 } : {}) },
      })),
      verify: async () => {
        done.push(`${host} verify`)
        return 'logins verified'
      },
    }
  }
  return {
    done,
    events,
    abort,
    step,
    work,
    most: () => most,
    waves: () => events.flatMap((event) => (event.type === 'wave-started' ? [event.hosts.join(' ')] : [])),
    run: (hosts: readonly HostWork[], forks?: number) =>
      execute({ hosts, rollout, forks, emit: (it) => events.push(it), signal: abort.signal, clock: () => 0 }),
  }
}

const results = (outcomes: Awaited<ReturnType<typeof execute>>) => outcomes.map(({ result }) => result)

describe('the waves of a run', () => {
  it('verify each wave before the next one begins', async () => {
    const { work, run, done, waves } = world({ ...canaryThenBatches, batch: { hosts: 2 } })
    const outcomes = await run(['db1', 'db2', 'db3', 'db4'].map((host) => work(host)))
    expect(results(outcomes)).toEqual(['changed', 'changed', 'changed', 'changed'])
    expect(waves()).toEqual(['db1', 'db2 db3', 'db4'])
    expect(done.slice(0, 2)).toEqual(['db1 commit', 'db1 verify'])
    expect(done.slice(2, 6).sort()).toEqual(['db2 commit', 'db2 verify', 'db3 commit', 'db3 verify'])
  })

  it('end with a failed canary, whatever --max-failed allows', async () => {
    const { work, run, done } = world({ ...canaryThenBatches, maxFailed: 5 })
    const outcomes = await run([work('db1', { broken: true }), work('db2'), work('db3')])
    expect(results(outcomes)).toEqual(['failed', 'not-started', 'not-started'])
    expect(outcomes[1]?.reason).toBe('the canary db1 failed')
    expect(done).toEqual([])
  })

  it('end when more hosts have failed than allowed, and not before', async () => {
    const rollout = { ...allInParallel, batch: { hosts: 1 }, maxFailed: 1 }
    const { work, run } = world(rollout)
    const broken = { broken: true }
    const outcomes = await run([
      work('db1', broken),
      work('db2'),
      work('db3', broken),
      work('db4'),
      work('db5'),
    ])
    expect(results(outcomes)).toEqual(['failed', 'changed', 'failed', 'not-started', 'not-started'])
    expect(outcomes.map(({ reason }) => reason)).toEqual([
      undefined,
      undefined,
      undefined,
      'db1, db3 failed, more than --max-failed 1 allows',
      'db1, db3 failed, more than --max-failed 1 allows',
    ])
  })

  it('let the other hosts of the wave finish, or stop them after their step', async () => {
    const slow = (it: ReturnType<typeof world>) => [
      it.step('second', 'commit', () => new Promise((resolve) => setImmediate(resolve))),
      it.step('third', 'commit', async () => {}),
    ]
    for (const onFailure of ['continue', 'stop'] as const) {
      const it = world({ ...allInParallel, onFailure })
      const outcomes = await it.run([
        it.work('db1', { broken: true }),
        it.work('db2', { more: slow(it) }),
        it.work('db3'),
      ])
      expect(results(outcomes)).toEqual(['failed', onFailure === 'stop' ? 'stopped' : 'changed', 'changed'])
      expect(it.done).toContain('db3 verify')
      expect(it.done.includes('db2 third')).toBe(onFailure === 'continue')
      if (onFailure === 'stop') {
        expect(outcomes[1]).toMatchObject({
          left: expect.arrayContaining(['third', 'verification']),
          reason: 'db1 failed, and --on-failure is stop',
        })
      }
    }
  })

  it('end if hosts were stopped, whatever --max-failed allows', async () => {
    const it = world({ ...allInParallel, batch: { hosts: 2 }, onFailure: 'stop', maxFailed: 9 })
    const outcomes = await it.run([it.work('db1', { broken: true }), it.work('db2'), it.work('db3')])
    expect(results(outcomes)).toEqual(['failed', 'changed', 'not-started'])
  })

  it('start no wave after an interruption', async () => {
    const it = world({ ...allInParallel, batch: { hosts: 1 } })
    const end = it.step('end', 'commit', async () => it.abort.abort())
    expect(results(await it.run([it.work('db1', { more: [end] }), it.work('db2')]))[1]).toBe('not-started')
    expect(it.waves()).toEqual(['db1'])
  })
})

describe('hosts that drain a connector', () => {
  it('go one after another, each verified before the next, while the others run in parallel', async () => {
    const { work, run, done, most } = world(allInParallel)
    const drains = { drains: true }
    await run([work('db1', drains), work('db2', drains), work('db3', drains), work('db4'), work('db5')])
    const turns = done.filter((line) => /db[123]/.test(line))
    expect(turns).toEqual(['db1', 'db2', 'db3'].flatMap((host) => [`${host} commit`, `${host} verify`]))
    expect(most()).toBe(3)
  })

  it('share the forks of the run with the others', async () => {
    const { work, run, done, most } = world(allInParallel)
    const drains = { drains: true }
    const others = ['db3', 'db4', 'db5', 'db6'].map((host) => work(host))
    await run([work('db1', drains), work('db2', drains), ...others], 2)
    expect(most()).toBe(2)
    // Nor do they wait until the others are done.
    expect(done.indexOf('db2 commit')).toBeLessThan(done.indexOf('db6 commit'))
  })

  it('do not start after one has failed', async () => {
    const { work, run } = world(allInParallel)
    const outcomes = await run([
      work('db1', { drains: true, broken: true }),
      work('db2', { drains: true }),
      work('db3'),
    ])
    expect(results(outcomes)).toEqual(['failed', 'not-started', 'changed'])
    expect(outcomes[1]?.reason).toBe('db1 failed')
  })
})
