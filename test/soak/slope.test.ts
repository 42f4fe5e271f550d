import { expect, it } from 'vitest'
import { slopeOf } from './slope.ts'

const mebibyte = 1024 * 1024

it('a slope is told as it is, whatever a fifth of the samples say', () => {
  const samples = Array.from({ length: 150 }, (_, index) => ({
    at: index * 2,
    bytes: index * 2 * (mebibyte / 3600) + (index % 5 === 0 ? 20 * mebibyte : (index * 7919) % 1000),
  }))
  const { slope, low, high } = slopeOf(samples)
  expect(slope / mebibyte).toBeCloseTo(1, 1)
  expect(low).toBeLessThan(slope)
  expect(high).toBeGreaterThan(slope)
})
