import { describe, expect, it } from 'vitest'
import { type RetryOptions, retry } from '../../src/transport/retry.ts'

function world(overrides: Partial<RetryOptions> = {}) {
  let clock = 0
  const slept: number[] = []
  const options: RetryOptions = {
    attempts: 4,
    budget: 10_000,
    isRetryable: () => true,
    now: () => clock,
    sleep: async (milliseconds) => {
      slept.push(milliseconds)
      clock += milliseconds
    },
    random: () => 0.5,
    ...overrides,
  }
  return { options, slept }
}

describe('retry', () => {
  it('waits longer each time and passes the remaining time', async () => {
    const { options, slept } = world()
    const left: number[] = []
    const trying = retry(options, async (milliseconds) => {
      left.push(milliseconds)
      throw new Error('reset')
    })
    await expect(trying).rejects.toThrow('reset')
    expect(slept).toEqual([300, 600, 1200])
    expect(left).toEqual([10_000, 9700, 9100, 7900])
  })

  it('does not repeat a permanent failure', async () => {
    const { options, slept } = world({ isRetryable: () => false })
    await expect(retry(options, () => Promise.reject(new Error('refused')))).rejects.toThrow('refused')
    expect(slept).toEqual([])
  })

  it('stays within its budget', async () => {
    const { options, slept } = world({ budget: 800 })
    await expect(retry(options, () => Promise.reject(new Error('reset')))).rejects.toThrow('reset')
    expect(slept).toEqual([300])
  })
})
