import { describe, expect, it } from 'vitest'
import { createFairQueue, type Origin, QueueFullError } from '../../src/accounts/fairQueue.ts'

const at = (name: string, isLocal = false): Origin => ({ name, isLocal })

/** A gate that lets one in at a time, and who came in so far; `open` lets out whoever is in. */
function held(limits: { perOrigin: number; waiting: number }) {
  const gate = createFairQueue({ concurrency: 1, ...limits })
  const entered: string[] = []
  const refused: string[] = []
  const ends: (() => void)[] = []
  const come = (name: string, isLocal = false): void => {
    gate
      .run(at(name, isLocal), () => {
        entered.push(name)
        return new Promise<void>((resolve) => ends.push(resolve))
      })
      .catch(() => refused.push(name))
  }
  const drain = async (count: number): Promise<void> => {
    for (let left = 0; left < count; left += 1) {
      await expect.poll(() => ends.length).toBeGreaterThan(left)
      ends[left]?.()
    }
  }
  return { come, entered, refused, drain }
}

describe('the queue of password checks', () => {
  it('runs two checks at a time, keeps 32 of an origin waiting in order and rejects the next', async () => {
    const gate = createFairQueue({ concurrency: 2, perOrigin: 32, waiting: 64 })
    const order: number[] = []
    const ends: (() => void)[] = []
    let inside = 0
    let most = 0
    const works = Array.from({ length: 34 }, (_, index) =>
      gate.run(at('a'), async () => {
        inside += 1
        most = Math.max(most, inside)
        order.push(index)
        await new Promise<void>((resolve) => ends.push(resolve))
        inside -= 1
      }),
    )
    await expect(gate.run(at('a'), async () => undefined)).rejects.toBeInstanceOf(QueueFullError)
    for (let ended = 0; ended < 34; ended += 1) {
      await expect.poll(() => ends.length).toBeGreaterThan(ended)
      ends[ended]?.()
    }
    await Promise.all(works)
    expect(most).toBe(2)
    expect(order).toEqual(Array.from({ length: 34 }, (_, index) => index))
  })

  it('frees the slot of a check that fails', async () => {
    const gate = createFairQueue({ concurrency: 1, perOrigin: 0, waiting: 0 })
    await expect(gate.run(at('a'), () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(await gate.run(at('a'), async () => 'yes')).toBe('yes')
  })

  it('runs the checks of origins in turn, however many each of them sends', async () => {
    const { come, entered, drain } = held({ perOrigin: 8, waiting: 64 })
    for (const name of ['a', 'a', 'a', 'a', 'b', 'b', 'c']) come(name)
    await drain(7)
    expect(entered).toEqual(['a', 'a', 'b', 'c', 'a', 'b', 'a'])
  })

  it('rejects the newest check of the origin with most checks when the queue is full', async () => {
    const { come, entered, refused, drain } = held({ perOrigin: 8, waiting: 8 })
    for (let index = 0; index < 9; index += 1) come('flood')
    come('admin')
    await expect.poll(() => refused).toEqual(['flood'])
    come('flood')
    await expect.poll(() => refused).toEqual(['flood', 'flood'])
    await drain(9)
    expect(entered.indexOf('admin')).toBe(2)
  })

  it('keeps room for callers of this host while others fill their part', async () => {
    const { come, entered, refused, drain } = held({ perOrigin: 1, waiting: 4 })
    for (const name of ['far1', 'far2', 'far3', 'far4', 'far5', 'far6']) come(name)
    await expect.poll(() => refused).toEqual(['far6'])
    come('near', true)
    await drain(6)
    expect(entered.indexOf('near')).toBeLessThanOrEqual(2)
  })
})
