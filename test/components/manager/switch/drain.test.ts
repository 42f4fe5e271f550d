import { describe, expect, it } from 'vitest'
import { beforeLogin, type Session } from '../../../../src/components/databases/sessions.ts'
import { createDrainRule, drain } from '../../../../src/components/manager/switch/drain.ts'

const session = (id: number, more: Partial<Session> = {}): Session => ({
  id,
  user: 'app',
  milliseconds: 0,
  isIdle: false,
  transaction: null,
  ...more,
})
const resting = (id: number, milliseconds: number): Session => session(id, { isIdle: true, milliseconds })
const working = (id: number, transaction: string): Session =>
  session(id, { transaction: { id: transaction, seconds: 0 } })

describe('the sessions that a primary loses while new clients wait', () => {
  it('are idle ones outside of a transaction', () => {
    const rule = createDrainRule(new Set([1, 2]))
    expect(rule([resting(1, 5), resting(2, 4)])).toEqual([1])
  })

  it('are not those that have just connected and not begun yet', () => {
    const rule = createDrainRule(new Set())
    expect(rule([resting(1, 499)])).toEqual([])
    expect(rule([resting(1, 500)])).toEqual([1])
  })

  it('are not those in their transaction, idle or not', () => {
    const rule = createDrainRule(new Set([1, 2]))
    const idle = { ...working(2, 'b'), isIdle: true, milliseconds: 5000 }
    for (let look = 0; look < 3; look += 1) expect(rule([working(1, 'a'), idle])).toEqual([])
  })

  it('are those that begin another transaction', () => {
    const rule = createDrainRule(new Set([1]))
    expect(rule([working(1, 'a'), working(2, 'b')])).toEqual([])
    expect(rule([working(1, 'c'), working(2, 'b')])).toEqual([1])
    expect(rule([session(2)])).toEqual([])
    expect(rule([working(2, 'd')])).toEqual([2])
  })

  it('are those that were there before and begin a transaction now', () => {
    const rule = createDrainRule(new Set([1]))
    expect(rule([resting(1, 0), resting(2, 0)])).toEqual([])
    expect(rule([working(1, 'a'), working(2, 'b')])).toEqual([1])
  })
})

describe('waiting for the sessions of a primary', () => {
  function world(looks: readonly (readonly Session[])[]) {
    const killed: number[][] = []
    let look = 0
    let time = 0
    return {
      killed,
      looks: () => look,
      options: {
        server: {
          sessions: async () => looks[Math.min(look++, looks.length - 1)] ?? [],
          kill: async (ids: readonly number[]) => void killed.push([...ids]),
        },
        known: new Set([1]),
        limit: 100,
        now: () => time,
        wait: async (milliseconds: number) => {
          time += milliseconds
        },
      },
    }
  }

  it('ends when all are gone or cut', async () => {
    const { options, killed, looks } = world([[resting(1, 50), working(2, 'a')], [session(2)], []])
    await drain(options)
    expect(killed).toEqual([[1]])
    expect(looks()).toBe(3)
  })

  it('does not wait for those who come past the connectors meanwhile', async () => {
    const early = Array.from({ length: 16 }, () => [working(2, 'a')])
    const { options, looks } = world([...early, [working(2, 'a'), working(3, 'b')], [working(3, 'b')]])
    await drain({ ...options, limit: 1000 })
    expect(looks()).toBe(18)
  })

  it('does not wait long for those who have not logged in, of whom some never will', async () => {
    const silent = (milliseconds: number): Session => session(3, { user: beforeLogin, milliseconds })
    const { options, looks } = world([[working(2, 'a'), silent(700)], [silent(710)]])
    await drain({ ...options, limit: 5000 })
    expect(looks()).toBe(2)
    const fresh = world([[silent(0)]])
    await drain({ ...fresh.options, limit: 5000 })
    expect([fresh.options.now(), fresh.killed]).toEqual([500, []])
  })

  it('ends after its time, and leaves the others to the caller', async () => {
    const { options, killed } = world([[working(2, 'a')]])
    await drain(options)
    expect(killed).toEqual([])
    expect(options.now()).toBe(100)
  })
})
