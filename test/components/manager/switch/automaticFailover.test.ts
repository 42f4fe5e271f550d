import { describe, expect, it } from 'vitest'
import { ProblemError } from '../../../../src/api/problemError.ts'
import type { Manager } from '../../../../src/components/manager/createManager.ts'
import { failOverByItself } from '../../../../src/components/manager/switch/automaticFailover.ts'
import type { SwitchOrder } from '../../../../src/components/manager/switch/executeSwitch.ts'
import { installed, place } from '../support.ts'

type Decision = ReturnType<Manager['failover']>

/** A manager of the host of db3, what it decides, and how its attempts end. */
function world(decided: Partial<Decision> = {}) {
  let decision: Decision = {
    ...{ reasons: [], lost: 'db1', candidates: ['db2', 'db3'], problem: null },
    ...decided,
  }
  let own: string | undefined = 'db3'
  let isHeld = false
  let time = 0
  let update = (): void => undefined
  let answer: () => Promise<unknown> = async () => undefined
  const orders: SwitchOrder[] = []
  const noted: (string | null)[] = []
  const lines: string[] = []
  const waits: { readonly milliseconds: number; readonly end: (value: unknown) => void }[] = []
  const log = (_facts: object, message: string): void => void lines.push(message)
  const manager = {
    map: () => installed,
    failover: () => decision,
    ownSource: () => (own === undefined ? undefined : { name: own, ...place('db3') }),
    holdOf: () => (isHeld ? { isInForce: true } : undefined),
    noteFailover: (_service: string, problem: string | null) => void noted.push(problem),
    onUpdate: (listener: () => void) => {
      update = listener
      return () => {
        update = () => undefined
      }
    },
  } as unknown as Manager
  const stop = failOverByItself({
    manager,
    start: (order) => {
      orders.push(order)
      return answer()
    },
    timing: {
      now: () => time,
      wait: (milliseconds) => new Promise((end) => waits.push({ milliseconds, end })),
    },
    log: { info: log, warn: log, error: log },
  })
  return {
    ...{ stop, orders, noted, lines },
    decide: (more: Partial<Decision>) => {
      decision = { ...decision, ...more }
    },
    setOwn: (name: string | undefined) => {
      own = name
    },
    setHeld: (is: boolean) => {
      isHeld = is
    },
    answers: (how: () => Promise<unknown>) => {
      answer = how
    },
    /** Lets the last pause end, without any check. */
    endPause: async () => {
      const last = waits.at(-1)
      time += last?.milliseconds ?? 0
      last?.end(undefined)
      await new Promise((resolve) => setImmediate(resolve))
    },
    /** Lets time pass, then a check end. */
    pass: async (milliseconds: number) => {
      time += milliseconds
      update()
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
}

const refused = async (): Promise<never> => {
  throw new ProblemError({ code: 'wrong-state', detail: 'db1: It answers.' })
}

describe('the failover of a manager by itself', () => {
  it('makes the server of its own host the primary, after those before it had their turn', async () => {
    const { orders, pass, noted } = world()
    await pass(0)
    await pass(499)
    expect(orders).toEqual([])
    await pass(1)
    expect(orders).toEqual([
      {
        operation: 'failover',
        service: 'alpha',
        to: 'db3',
        id: undefined,
        accepted: new Set(),
        by: 'manager',
      },
    ])
    expect(noted).toEqual([null])
  })

  it('begins at once where its server is the first', async () => {
    const { orders, pass } = world({ candidates: ['db3', 'db2'] })
    await pass(0)
    expect(orders).toHaveLength(1)
  })

  it.each<readonly [string, Partial<Decision>, string | undefined]>([
    ['nothing is lost', { lost: null }, 'db3'],
    ['something speaks against it', { reasons: ['The policy is MANUAL.'] }, 'db3'],
    ['its host has no data source', {}, undefined],
    ['its server cannot be the primary', { candidates: ['db2'] }, 'db3'],
  ])('does nothing where %s', async (_what, decided, own) => {
    const { orders, pass, setOwn } = world(decided)
    setOwn(own)
    for (const time of [0, 500, 10_000]) await pass(time)
    expect(orders).toEqual([])
  })

  it('waits for a switch that is under way', async () => {
    const { orders, pass, setHeld } = world({ candidates: ['db3'] })
    setHeld(true)
    await pass(0)
    expect(orders).toEqual([])
    setHeld(false)
    await pass(0)
    expect(orders).toHaveLength(1)
  })

  it('tries again later and later, and tells once why it could not', async () => {
    const { orders, pass, answers, lines, noted } = world({ candidates: ['db3'] })
    answers(refused)
    const times: number[] = []
    for (let time = 0; time <= 20_000; time += 100) {
      const before = orders.length
      await pass(time === 0 ? 0 : 100)
      if (orders.length > before) times.push(time)
    }
    expect(times).toEqual([0, 100, 300, 700, 1500, 3100, 6300, 11_300, 16_300])
    expect(lines).toEqual(['does not replace the lost primary yet'])
    expect(new Set(noted)).toEqual(new Set(['db1: It answers.']))
  })

  it('tries again without a check, until it was stopped: another manager may be a moment behind', async () => {
    const { orders, pass, answers, endPause, stop } = world({ candidates: ['db3'] })
    answers(refused)
    await pass(0)
    expect(orders).toHaveLength(1)
    await endPause()
    expect(orders).toHaveLength(2)
    stop()
    await endPause()
    expect(orders).toHaveLength(2)
  })

  it('begins anew with another lost primary, and with one that was back', async () => {
    const { orders, pass, decide } = world({ candidates: ['db3'] })
    await pass(0)
    decide({ lost: 'db2' })
    await pass(0)
    expect(orders).toHaveLength(2)
    decide({ lost: null })
    await pass(0)
    decide({ lost: 'db2' })
    await pass(0)
    expect(orders).toHaveLength(3)
  })

  it('makes one attempt at a time, and none once it was stopped', async () => {
    const { orders, pass, answers, stop } = world({ candidates: ['db3'] })
    answers(() => new Promise(() => undefined))
    for (const time of [0, 10_000, 10_000]) await pass(time)
    expect(orders).toHaveLength(1)
    stop()
    await pass(10_000)
    expect(orders).toHaveLength(1)
  })

  it('logs a fault, and goes on', async () => {
    const { orders, pass, answers, lines } = world({ candidates: ['db3'] })
    answers(() => Promise.reject(new TypeError('a bug')))
    await pass(0)
    await pass(500)
    expect(lines).toEqual(['a fault of the failover', 'a fault of the failover'])
    expect(orders).toHaveLength(2)
  })
})
