import { describe, expect, it } from 'vitest'
import {
  eachStep,
  followSwitch,
  readSwitchPlan,
  readSwitchTask,
  type SwitchTask,
} from '../../src/client/switchTask.ts'
import { envelope } from '../../src/contracts/envelope.ts'
import { managerExamples } from '../../src/contracts/examples/managerExamples.ts'

const complete = managerExamples.managerTask.response
const plan = { service: 'alpha', from: 'db1', to: 'db2', loss: null, refusals: [] }
const read = (payload: unknown) => readSwitchTask(envelope('TaskPayload', payload))
const running: SwitchTask = {
  taskId: complete.taskId,
  state: 'in_progress',
  operation: 'switch',
  service: 'alpha',
  step: 'hold',
  startedAt: complete.startedAt,
  endedAt: null,
  result: null,
  error: null,
}

describe('readSwitchTask', () => {
  it('reads a task, also one with a step and members of another release', () => {
    expect(read({ ...complete, step: 'yet-another', more: 1 })).toEqual({ ...complete, step: 'yet-another' })
  })

  it('makes the words of a task printable lines', () => {
    expect(read({ ...complete, state: 'failed', result: null, error: 'a\u001b[31m\nb' })?.error).toBe(
      'a\\x1b[31m / b',
    )
  })

  it.each([
    ['has another state', { state: 'done' }],
    ['is complete without a result', { result: null }],
    ['has a name that is none', { result: { ...complete.result, newPrimary: 'db2\u001b[31m' } }],
    ['has an id for another path', { taskId: '../x' }],
  ])('reads nothing that %s', (_what, other) => {
    expect(read({ ...complete, ...other })).toBeUndefined()
  })
})

it('readSwitchPlan keeps the lines of SQL, and makes all words printable', () => {
  const refusals = [{ datasource: 'db2', reason: 'x\ny\u001b', fix: 'GRANT A;\nGRANT B\u001b;' }]
  expect(readSwitchPlan(envelope('SwitchPlanPayload', { ...plan, refusals }))?.refusals).toEqual([
    { datasource: 'db2', reason: 'x / y\\x1b', fix: 'GRANT A;\nGRANT B\\x1b;' },
  ])
  expect(readSwitchPlan(envelope('SwitchPlanPayload', { ...plan, to: '; rm' }))).toBeUndefined()
})

describe('followSwitch', () => {
  /** A clock that a wait moves on at once. */
  function follow(readings: readonly (SwitchTask | undefined)[], first?: SwitchTask) {
    let now = 0
    const pauses: number[] = []
    const seen: string[] = []
    const left = [...readings]
    const outcome = followSwitch({
      first,
      read: async () => (left.length > 1 ? left.shift() : left[0]),
      onTask: ({ step }) => seen.push(step),
      clock: {
        now: () => now,
        wait: async (milliseconds) => {
          pauses.push(milliseconds)
          now += milliseconds
        },
      },
    })
    return { outcome, pauses, seen, time: () => now }
  }
  const ended: SwitchTask = { ...running, state: 'failed', step: 'drain' }

  it('reads the task until it has ended, with a pause before each time', async () => {
    const { outcome, pauses, seen } = follow([...Array(10).fill(running), ended], running)
    expect(await outcome).toBe(ended)
    expect(pauses).toEqual(Array(11).fill(100))
    expect(seen).toEqual([...Array(11).fill('hold'), 'drain'])
  })

  it('gives a manager 30 s to answer again, each time', async () => {
    const silence = Array(250).fill(undefined)
    const { outcome } = follow([...silence, running, ...silence, ended])
    expect(await outcome).toBe(ended)
    const lost = follow([undefined], running)
    expect(await lost.outcome).toBeUndefined()
    expect(lost.time()).toBeGreaterThanOrEqual(30_000)
    expect(lost.time()).toBeLessThan(32_000)
  })
})

it('eachStep shows a step once, as long as it lasts', () => {
  const shown: string[] = []
  const show = eachStep(({ step }) => shown.push(step))
  for (const step of ['check', 'check', 'hold', 'hold', 'check']) show({ ...running, step })
  expect(shown).toEqual(['check', 'hold', 'check'])
})

it('eachStep shows steps that were over before anybody asked, and those of another release by name', () => {
  const shown: string[] = []
  const show = eachStep(({ step }) => shown.push(step))
  for (const step of ['check', 'promote', 'wash-up', 'verify']) show({ ...running, step })
  expect(shown).toEqual([
    'check',
    'hold',
    'drain',
    'freeze',
    'catch-up',
    'promote',
    'wash-up',
    'repoint',
    'release',
    'verify',
  ])
})
