import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sparkLine } from '../../../src/dashboard/topology/sparkLine.ts'
import { atSecond, start } from '../pictures.ts'

const box = { width: 100, height: 22, now: Date.parse(start), span: 600_000 }

describe('the line of a lag', () => {
  it('steps at each change, begins at the left edge, ends now, and has a gap where nothing is known', () => {
    const points = [
      { at: atSecond(-900), lag: 0 },
      { at: atSecond(-480), lag: 20 },
      { at: atSecond(-300), lag: null },
      { at: atSecond(-60), lag: 10 },
    ]
    expect(sparkLine(points, box)).toEqual({ path: 'M0 21H20V1H50M90 11H100', highest: 20 })
  })

  it('keeps a lag of a few seconds low', () => {
    expect(sparkLine([{ at: atSecond(-900), lag: 1 }], box)).toEqual({ path: 'M0 19H100', highest: 1 })
  })

  it('is empty where nothing is known', () => {
    expect(sparkLine([], box)).toEqual({ path: '', highest: null })
    expect(sparkLine([{ at: atSecond(-900), lag: null }], box)).toEqual({ path: '', highest: null })
  })

  it('stays in its box, also with points after now and before its edge', () => {
    const points = fc
      .array(fc.record({ second: fc.integer({ min: -2000, max: 300 }), lag: fc.option(fc.nat(100_000)) }))
      .map((all) =>
        all
          .sort((one, other) => one.second - other.second)
          .map(({ second, lag }) => ({ at: atSecond(second), lag })),
      )
    fc.assert(
      fc.property(points, (all) => {
        const { path } = sparkLine(all, box)
        expect(path).toMatch(/^([MHV][\d. ]+)*$/)
        for (const [, command, first, second] of path.matchAll(/([MHV])([\d.]+)(?: ([\d.]+))?/g)) {
          const [x, y] = command === 'V' ? [0, first] : [first, second ?? 0]
          expect(Number(x)).toBeLessThanOrEqual(100)
          expect(Number(y)).toBeLessThanOrEqual(22)
        }
      }),
    )
  })
})
