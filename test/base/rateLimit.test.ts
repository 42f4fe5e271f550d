import { expect, it } from 'vitest'
import { createRateLimit } from '../../src/base/rateLimit.ts'

it('a rate limit counts anew after its time, and where the clock was put back', () => {
  const exceeds = createRateLimit(2, 1000)
  expect([5000, 5100, 5200, 5999].map(exceeds)).toEqual([false, false, true, true])
  expect([6000, 6001, 6002].map(exceeds)).toEqual([false, false, true])
  expect(exceeds(4000)).toBe(false)
})
