import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createSemaphore, createTurns, mapLimit, shareRuns } from '../../src/base/concurrency.ts'

/** Work that ends when the test says so, and how much of it runs. */
function controlled() {
  const begun: number[] = []
  const ends: (() => void)[] = []
  const work = async (number: number): Promise<number> => {
    begun.push(number)
    await new Promise<void>((resolve) => void ends.push(resolve))
    return number * 10
  }
  return { begun, ends, work }
}

describe('createSemaphore', () => {
  it('limits concurrent calls and runs the others in the order of their calls', async () => {
    const { begun, ends, work } = controlled()
    const run = createSemaphore(2)
    const results = Promise.all([1, 2, 3, 4].map((number) => run(() => work(number))))
    await setImmediate()
    expect(begun).toEqual([1, 2])
    ends[1]?.()
    await setImmediate()
    expect(begun).toEqual([1, 2, 3])
    for (let at = 0; at < 4; at += 1) {
      ends[at]?.()
      await setImmediate()
    }
    expect(await results).toEqual([10, 20, 30, 40])
  })

  it('passes the slot of a failed call on', async () => {
    const run = createSemaphore(1)
    const failed = run(() => Promise.reject(new Error('no')))
    const next = run(async () => 'next')
    await expect(failed).rejects.toThrow('no')
    expect(await next).toBe('next')
  })
})

describe('mapLimit', () => {
  it('keeps the order and limits concurrent calls', async () => {
    const { begun, ends, work } = controlled()
    const results = mapLimit({ items: [1, 2, 3], limit: 2, map: work })
    await setImmediate()
    expect(begun).toEqual([1, 2])
    ends[1]?.()
    await setImmediate()
    expect(begun).toEqual([1, 2, 3])
    ends[2]?.()
    ends[0]?.()
    expect(await results).toEqual([10, 20, 30])
  })

  it('rejects with the first rejection', async () => {
    const map = async (item: number): Promise<number> => {
      if (item === 2) throw new Error('two')
      return item
    }
    await expect(mapLimit({ items: [1, 2, 3], limit: 2, map })).rejects.toThrow('two')
  })
})

describe('shareRuns', () => {
  it('lets calls during a run share the next run', async () => {
    const ends: ((value: number) => void)[] = []
    const share = shareRuns(() => new Promise<number>((resolve) => void ends.push(resolve)))
    const [first, second, third] = [share(), share(), share()]
    expect(ends).toHaveLength(1)
    ends[0]?.(1)
    expect(await first).toBe(1)
    await setImmediate()
    expect(ends).toHaveLength(2)
    ends[1]?.(2)
    expect(await Promise.all([second, third])).toEqual([2, 2])
    const fourth = share()
    ends[2]?.(3)
    expect(await fourth).toBe(3)
  })

  it('continues after a failed run', async () => {
    let runs = 0
    const share = shareRuns(async () => {
      runs += 1
      if (runs === 1) throw new Error('first')
      return runs
    })
    const [first, second] = [share(), share()]
    await expect(first).rejects.toThrow('first')
    expect(await second).toBe(2)
  })
})

describe('the turns of a long computation', () => {
  async function afterStep(milliseconds: number): Promise<'ran' | 'waits'> {
    let time = 0
    let state: 'ran' | 'waits' = 'waits'
    const turn = createTurns(() => time)
    const waiting = setImmediate().then(() => {
      state = 'ran'
    })
    time += milliseconds
    await turn()
    const seen = state
    await waiting
    return seen
  }

  it('let what waits run after a step that took long', async () => {
    expect(await afterStep(60)).toBe('ran')
  })

  it('cost nothing while steps are short', async () => {
    expect(await afterStep(40)).toBe('waits')
  })
})
