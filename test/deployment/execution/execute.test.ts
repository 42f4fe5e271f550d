import { describe, expect, it } from 'vitest'
import type { DeploymentEvent } from '../../../src/deployment/events.ts'
import { execute } from '../../../src/deployment/execution/execute.ts'
import type { HostWork } from '../../../src/deployment/execution/hostRun.ts'
import type { PlannedStep } from '../../../src/deployment/hostPlan.ts'
import { change, type StepPhase } from '../../../src/deployment/step.ts'
import { StepError } from '../../../src/deployment/stepError.ts'
import type { Transport } from '../../../src/transport/transport.ts'
import { TransportError } from '../../../src/transport/transportError.ts'

type Step = PlannedStep['step']

const refuse = (): Promise<never> => Promise.reject(new Error('not expected'))
const transport = (host: string): Transport => ({ host, run: refuse, upload: refuse, close: refuse })

function world(): {
  readonly done: string[]
  readonly events: DeploymentEvent[]
  readonly step: (id: string, phase: StepPhase, apply?: () => Promise<void>) => Step
  readonly work: (host: string, steps: readonly Step[]) => HostWork
  readonly run: (hosts: readonly HostWork[], signal?: AbortSignal) => ReturnType<typeof execute>
} {
  const done: string[] = []
  const events: DeploymentEvent[] = []
  return {
    done,
    events,
    step: (id, phase, apply) => ({
      id,
      title: id,
      phase,
      apply: async (to) => {
        await apply?.()
        done.push(`${to.host} ${id}`)
      },
    }),
    work: (host, steps) => ({
      host,
      transport: transport(host),
      steps: steps.map((step) => ({ step, change: change(step.id) })),
      verify: async (to) => {
        done.push(`${to.host} verify`)
        return 'logins verified'
      },
    }),
    run: (hosts, signal = new AbortController().signal) =>
      execute({ hosts, emit: (event) => events.push(event), signal, clock: () => 0 }),
  }
}

const fail = (): Promise<never> =>
  Promise.reject(new StepError({ host: 'db1', code: 'failed', message: 'it broke', fix: 'mend it' }))

describe('execute', () => {
  it('stages every host before any commits, and verifies last', async () => {
    const { step, work, run, done } = world()
    const steps = [step('stage', 'stage'), step('commit', 'commit')]
    const outcomes = await run([work('db1', steps), work('db2', steps)])
    expect(done.map((line) => line.split(' ')[1])).toEqual([
      'stage',
      'stage',
      'commit',
      'commit',
      'verify',
      'verify',
    ])
    expect(outcomes.map(({ result }) => result)).toEqual(['changed', 'changed'])
  })

  it('has as many hosts in progress as there are forks in every phase', async () => {
    const most = new Map<string, number>()
    const working = new Map<string, number>()
    const during = async (phase: string): Promise<void> => {
      const now = (working.get(phase) ?? 0) + 1
      working.set(phase, now)
      most.set(phase, Math.max(now, most.get(phase) ?? 0))
      // Long enough for others to begin, were they allowed to.
      for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate)
      working.set(phase, (working.get(phase) ?? 0) - 1)
    }
    const { step, work } = world()
    const phases = ['stage', 'commit', 'verify'] as const
    const hosts = Array.from({ length: 9 }, (_, index) => ({
      ...work(
        `db${index + 1}`,
        phases.map((phase) => step(phase, phase, () => during(phase))),
      ),
      verify: () => during('login').then(() => 'logins verified'),
    }))
    const { signal } = new AbortController()
    await execute({ hosts, forks: 3, emit: () => {}, signal, clock: () => 0 })
    expect([...most]).toEqual(['stage', 'commit', 'login', 'verify'].map((phase) => [phase, 3]))
  })

  it('cleans up after verification, and not if it fails', async () => {
    const { step, work, run, done } = world()
    const steps = [step('tidy', 'verify')]
    await run([work('db1', steps), { ...work('db2', steps), verify: fail }])
    expect(done).toEqual(['db1 verify', 'db1 tidy'])
  })

  it('commits nowhere when staging fails on one host', async () => {
    const { step, work, run, done } = world()
    const outcomes = await run([
      work('db1', [step('stage', 'stage', fail), step('commit', 'commit')]),
      work('db2', [step('stage', 'stage'), step('commit', 'commit')]),
    ])
    expect(done).toEqual(['db2 stage'])
    expect(outcomes.map(({ result }) => result)).toEqual(['failed', 'not-started'])
    expect(outcomes[1]).toMatchObject({ applied: ['stage'], staged: 1, reason: 'staging failed on db1' })
    expect(outcomes[0]?.failure).toEqual({ code: 'failed', message: 'it broke', fix: 'mend it' })
  })

  it('lets other hosts finish when one fails to commit', async () => {
    const { step, work, run, done, events } = world()
    await run([work('db1', [step('commit', 'commit', fail)]), work('db2', [step('commit', 'commit')])])
    expect(done).toEqual(['db2 commit', 'db2 verify'])
    expect(events.filter(({ type }) => type === 'host-failed')).toHaveLength(1)
  })

  it('begins hosts that go last once all others have ended, and not at all after a failure', async () => {
    const rollout = { maxFailed: 1, onFailure: 'continue' } as const
    const { signal } = new AbortController()
    const last = { last: true } as const
    const well = world()
    const steps = [well.step('commit', 'commit')]
    const clock = (): number => 0
    const emit = (): void => {}
    await execute({
      ...{ rollout, signal, clock, emit },
      hosts: [{ ...well.work('db3', steps), ...last }, well.work('db1', steps), well.work('db2', steps)],
    })
    expect(well.done.slice(-2)).toEqual(['db3 commit', 'db3 verify'])
    const { step, work, done } = world()
    const outcomes = await execute({
      ...{ rollout, signal, clock, emit },
      hosts: [
        { ...work('db3', [step('commit', 'commit')]), ...last },
        work('db1', [step('commit', 'commit', fail)]),
        work('db2', [step('commit', 'commit')]),
      ],
    })
    expect(outcomes.map(({ result }) => result)).toEqual(['not-started', 'failed', 'changed'])
    expect(outcomes[0]).toMatchObject({ reason: 'db1 failed' })
    expect(done.filter((line) => line.startsWith('db3'))).toEqual([])
  })

  it('verifies a host without changes', async () => {
    const { work, run, done } = world()
    expect((await run([work('db1', [])]))[0]).toMatchObject({
      result: 'unchanged',
      proved: 'logins verified',
    })
    expect(done).toEqual(['db1 verify'])
  })

  it('stops after the current step when it is interrupted', async () => {
    const { step, work, run, done } = world()
    const stop = new AbortController()
    const steps = [step('one', 'stage', async () => stop.abort()), step('two', 'stage')]
    await run([work('db1', steps)], stop.signal)
    expect(done).toEqual(['db1 one'])
  })

  it('reports the remaining steps of a stopped host', async () => {
    const { step, work, run } = world()
    const stop = new AbortController()
    const at = (phase: StepPhase, id: string) => step(id, phase, async () => stop.abort())
    const steps = [step('sent', 'stage'), at('commit', 'one'), step('two', 'commit'), step('tidy', 'verify')]
    const [between] = await run([work('db1', steps)], stop.signal)
    expect(between).toMatchObject({
      result: 'stopped',
      applied: ['sent', 'one'],
      left: ['two', 'verification', 'tidy'],
    })
    const last = new AbortController()
    const ending = [step('one', 'commit', async () => last.abort())]
    expect((await run([work('db1', ending)], last.signal))[0]).toMatchObject({
      result: 'stopped',
      left: ['verification'],
    })
    const early = new AbortController()
    const staged = [step('sent', 'stage', async () => early.abort()), step('one', 'commit')]
    expect((await run([work('db1', staged)], early.signal))[0]).toMatchObject({ result: 'not-started' })
    expect((await run([work('db1', [step('one', 'commit'), step('tidy', 'verify')])]))[0]).toEqual({
      ...{ host: 'db1', result: 'changed', applied: ['one', 'tidy'], proved: 'logins verified' },
      seconds: { stage: 0, commit: 0, verify: 0 },
    })
  })

  it('restores the started commit steps of a failed host, newest first', async () => {
    const { step, work, run, done, events } = world()
    const steps = [step('sent', 'stage'), step('one', 'commit')]
    const restoreSteps = async (to: Transport, begun: readonly string[]): Promise<void> => {
      for (const id of begun) done.push(`${to.host} not ${id}`)
    }
    const [outcome, other] = await run([
      {
        ...work('db1', [...steps, step('two', 'commit', fail), step('three', 'commit')]),
        snapshot: { restoreSteps },
      },
      { ...work('db2', steps), snapshot: { restoreSteps } },
    ])
    const of = (host: string) => done.filter((line) => line.startsWith(host))
    expect(of('db1')).toEqual(['db1 sent', 'db1 one', 'db1 not two', 'db1 not one'])
    expect(of('db2')).toEqual(['db2 sent', 'db2 one', 'db2 verify'])
    expect([outcome?.result, other?.result]).toEqual(['failed', 'changed'])
    expect(outcome?.failure).toEqual({
      code: 'failed',
      message: 'it broke\nUndone: two, one.',
      fix: 'mend it',
    })
    expect(events.flatMap((event) => (event.type === 'step-undone' ? event.step : []))).toEqual([
      'two',
      'one',
    ])
  })

  it('restores a host if its verification fails, and never after verification', async () => {
    const { step, work, run, done } = world()
    const snapshot = { restoreSteps: async (): Promise<void> => void done.push('undone') }
    const steps = [step('one', 'commit')]
    await run([{ ...work('db1', steps), snapshot, verify: fail }])
    expect(done).toEqual(['db1 one', 'undone'])
    done.length = 0
    await run([{ ...work('db1', [...steps, step('tidy', 'verify', fail)]), snapshot }])
    expect(done).toEqual(['db1 one', 'db1 verify'])
  })

  it('reports a failed restore with its fix', async () => {
    const { step, work, run, done } = world()
    const worse = new StepError({ host: 'db1', code: 'locked', message: 'no way back', fix: 'look there' })
    const steps = [step('one', 'commit'), step('two', 'commit', fail)]
    const snapshot = { restoreSteps: () => Promise.reject(worse) }
    const [outcome] = await run([{ ...work('db1', steps), snapshot }])
    expect(done).toEqual(['db1 one'])
    expect(outcome?.failure).toEqual({
      code: 'failed',
      message: 'it broke\nUndoing “two, one” also failed: no way back',
      fix: 'look there',
    })
  })

  it('does not restore an unreachable host', async () => {
    const { step, work, run, done } = world()
    const lost = new TransportError({ host: 'db1', code: 'connection-lost', message: 'lost', fix: 'see' })
    const snapshot = { restoreSteps: async (): Promise<void> => void done.push('undone') }
    const steps = [step('one', 'commit', () => Promise.reject(lost))]
    const [outcome] = await run([{ ...work('db1', steps), snapshot }])
    expect(done).toEqual([])
    expect(outcome).toMatchObject({
      result: 'unreachable',
      failure: {
        message:
          'lost\nThe host is unreachable, so its changes were not undone. The next run continues there.',
      },
    })
  })

  describe('with a snapshot', () => {
    const wayBack = (done: string[], leftover = false) => ({
      leftover,
      take: async () => void done.push('take'),
      restore: async () => {
        done.push('restore')
        return 'manager runs as before.'
      },
      discard: async () => void done.push('discard'),
    })

    it('takes it before the first change and discards it after verification', async () => {
      const { step, work, run, done } = world()
      const steps = [step('sent', 'stage'), step('one', 'commit'), step('tidy', 'verify')]
      await run([{ ...work('db1', steps), snapshot: wayBack(done) }])
      expect(done).toEqual(['db1 sent', 'take', 'db1 one', 'db1 verify', 'discard', 'db1 tidy'])
    })

    it('takes none without changes, except for a leftover', async () => {
      const { step, work, run, done } = world()
      await run([{ ...work('db1', [step('sent', 'stage')]), snapshot: wayBack(done) }])
      expect(done).toEqual(['db1 sent', 'db1 verify'])
      done.length = 0
      await run([{ ...work('db1', []), snapshot: wayBack(done, true) }])
      expect(done).toEqual(['db1 verify', 'discard'])
    })

    it('restores it if a step or the verification fails, and describes the result', async () => {
      const { step, work, run, done, events } = world()
      const [outcome] = await run([
        { ...work('db1', [step('one', 'commit'), step('two', 'commit', fail)]), snapshot: wayBack(done) },
      ])
      expect(done).toEqual(['take', 'db1 one', 'restore'])
      expect(outcome).toMatchObject({
        result: 'failed',
        undone: true,
        failure: { message: 'it broke\nmanager runs as before.', fix: 'mend it' },
      })
      expect(events).toContainEqual({
        ...{ type: 'step-undone', host: 'db1', step: 'before', title: 'all changes', seconds: 0 },
      })
      done.length = 0
      await run([{ ...work('db1', [step('one', 'commit')]), snapshot: wayBack(done), verify: fail }])
      expect(done).toEqual(['take', 'db1 one', 'restore'])
    })

    it('does not report an undone host if some changes remain', async () => {
      const { step, work, run, done, events } = world()
      const restore = async () => ({ partial: 'ops stays.' })
      const [outcome] = await run([
        { ...work('db1', [step('one', 'commit', fail)]), snapshot: { ...wayBack(done), restore } },
      ])
      expect(outcome).toMatchObject({ result: 'failed', failure: { message: 'it broke\nops stays.' } })
      expect(outcome?.undone).toBeUndefined()
      expect(events.filter(({ type }) => type === 'step-undone')).toEqual([])
    })

    it('takes it in one round trip with the first change if possible', async () => {
      const { step, work, run, done } = world()
      const chained = transport('chained')
      const host = { ...transport('db1'), chain: () => chained }
      const take = async (to: Transport): Promise<void> => void done.push(`${to.host} take`)
      const snapshot = { leftover: false, take, discard: async () => {} }
      const together: Step = { ...step('one', 'commit'), batchable: true }
      await run([{ ...work('db1', [together, step('two', 'commit')]), transport: host, snapshot }])
      expect(done).toEqual(['chained take', 'chained one', 'db1 two', 'db1 verify'])
      done.length = 0
      await run([{ ...work('db1', [step('two', 'commit'), together]), transport: host, snapshot }])
      expect(done).toEqual(['db1 take', 'db1 two', 'db1 one', 'db1 verify'])
    })

    it('also restores an unverified leftover', async () => {
      const { step, work, run, done } = world()
      const [outcome] = await run([{ ...work('db1', []), snapshot: wayBack(done, true), verify: fail }])
      expect(done).toEqual(['restore'])
      expect(outcome).toMatchObject({ result: 'failed', undone: true })
      done.length = 0
      await run([{ ...work('db1', [step('tidy', 'verify', fail)]), snapshot: wayBack(done, true) }])
      expect(done).toEqual(['db1 verify', 'discard'])
      done.length = 0
      await run([{ ...work('db1', []), snapshot: wayBack(done), verify: fail }])
      expect(done).toEqual([])
    })

    it('changes nothing if it cannot be taken', async () => {
      const { step, work, run, done } = world()
      const [outcome] = await run([
        { ...work('db1', [step('one', 'commit')]), snapshot: { ...wayBack(done), take: fail } },
      ])
      expect(done).toEqual([])
      expect(outcome).toMatchObject({ result: 'failed', failure: { message: 'it broke' } })
      expect(outcome?.undone).toBeUndefined()
    })

    it('keeps a failed host unchanged with --keep-failed', async () => {
      const { step, work, run, done } = world()
      const [outcome] = await run([
        { ...work('db1', [step('one', 'commit', fail)]), snapshot: wayBack(done), keepFailed: true },
      ])
      expect(done).toEqual(['take'])
      expect(outcome?.undone).toBeUndefined()
      expect(outcome?.failure?.message).toBe(
        'it broke\nThe changes were not undone (--keep-failed). Inspect the host with `muster status` and `muster logs`. The next run continues from here. If it fails without --keep-failed, the host is restored to its previous state.',
      )
    })

    it('completes a restore despite an interruption', async () => {
      const { step, work, run, done } = world()
      const stop = new AbortController()
      const restore = async (): Promise<string> => {
        stop.abort()
        await Promise.resolve()
        done.push('restored')
        return 'as before'
      }
      const one = [step('one', 'commit', fail)]
      await run([{ ...work('db1', one), snapshot: { ...wayBack(done), restore } }], stop.signal)
      expect(done).toEqual(['take', 'restored'])
    })
  })

  it('treats an exception as a failure of that host, restores it and completes the others', async () => {
    const { step, work, run, done } = world()
    const bug = (): Promise<void> => Promise.reject(new TypeError('a \u001b[31mbug\nerror db2: forged'))
    const snapshot = {
      leftover: false,
      take: async () => undefined,
      restore: async () => 'as before',
      discard: async () => undefined,
    }
    const hosts = [
      { ...work('db1', [step('one', 'commit', bug)]), snapshot },
      work('db2', [step('one', 'commit')]),
    ]
    const outcomes = await run(hosts)
    expect(outcomes.map(({ host, result }) => `${host} ${result}`)).toEqual(['db1 failed', 'db2 changed'])
    expect(outcomes[0]?.failure?.code).toBe('internal-error')
    expect(outcomes[0]?.failure?.message).toMatch(
      /^unexpected error: TypeError: a \\x1b\[31mbug \/ error db2: forged \(execute\.test\.ts:\d+\)\n/,
    )
    expect(outcomes[0]).toMatchObject({ undone: true })
    expect(done).toEqual(['db2 one', 'db2 verify'])
  })
})
