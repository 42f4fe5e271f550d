import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { timeScale } from '../../../src/dashboard/topology/timeScale.ts'

describe('the line of days', () => {
  it.each([
    [0, [0, 7]],
    [5, [0, 7]],
    [160, [0, 90, 180]],
    [398, [0, 180, 360, 540]],
  ])('that reaches %d days has the marks %j', (days, marks) => {
    expect(timeScale(days).marks).toEqual(marks)
  })

  it('reaches far enough, with four marks at most', () => {
    fc.assert(
      fc.property(fc.nat(100_000), (days) => {
        const { end, marks } = timeScale(days)
        expect(end).toBeGreaterThanOrEqual(days)
        expect(marks.at(-1)).toBe(end)
        expect(marks.length).toBeLessThanOrEqual(4)
      }),
    )
  })
})
