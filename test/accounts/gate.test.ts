import { describe, expect, it } from 'vitest'
import { createGate, GateFullError } from '../../src/accounts/gate.ts'

describe('a gate', () => {
  it('lets two in, keeps 32 waiting in order and turns the next away', async () => {
    const gate = createGate({ atOnce: 2, waiting: 32 })
    const order: number[] = []
    const ends: (() => void)[] = []
    let inside = 0
    let most = 0
    const works = Array.from({ length: 34 }, (_, index) =>
      gate.run(async () => {
        inside += 1
        most = Math.max(most, inside)
        order.push(index)
        await new Promise<void>((resolve) => ends.push(resolve))
        inside -= 1
      }),
    )
    await expect(gate.run(async () => undefined)).rejects.toBeInstanceOf(GateFullError)
    for (let ended = 0; ended < 34; ended += 1) {
      await expect.poll(() => ends.length).toBeGreaterThan(ended)
      ends[ended]?.()
    }
    await Promise.all(works)
    expect(most).toBe(2)
    expect(order).toEqual(Array.from({ length: 34 }, (_, index) => index))
  })

  it('gives its place back when the work fails', async () => {
    const gate = createGate({ atOnce: 1, waiting: 0 })
    await expect(gate.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(await gate.run(async () => 'yes')).toBe('yes')
  })
})
