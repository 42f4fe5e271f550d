import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createLagRecorder, lagLimits } from '../../src/client/lagHistory.ts'

const at = (seconds: number): Date => new Date(Date.parse('2026-01-02T03:00:00Z') + seconds * 1000)
const db3 = (appliedLatency: number | null) => ({ service: 'alpha', name: 'db3', appliedLatency })

describe('the lags of the last ten minutes', () => {
  it('are kept as the points at which they change', () => {
    const lags = createLagRecorder()
    for (const [second, lag] of [0, 0, 4, 4, null, null, 2].entries()) lags.record([db3(lag)], at(second))
    expect(lags.read(at(7))).toEqual([
      {
        service: 'alpha',
        datasource: 'db3',
        points: [
          { at: at(0).toISOString(), lag: 0 },
          { at: at(2).toISOString(), lag: 4 },
          { at: at(4).toISOString(), lag: null },
          { at: at(6).toISOString(), lag: 2 },
        ],
      },
    ])
  })

  it('begin with the value that held ten minutes ago', () => {
    const lags = createLagRecorder()
    lags.record([db3(1)], at(0))
    lags.record([db3(2)], at(100))
    lags.record([db3(3)], at(900))
    expect(lags.read(at(900))[0]?.points.map(({ lag }) => lag)).toEqual([2, 3])
  })

  it('forget a data source that left the map', () => {
    const lags = createLagRecorder()
    lags.record([db3(1)], at(0))
    lags.record([], at(1))
    expect(lags.read(at(1))).toEqual([])
  })

  it('stay within their bound however often a lag changes, and tell the value of each moment that they cover', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(30), fc.constantFrom(null, 0, 1, 2)), { maxLength: 300 }),
        (changes) => {
          const lags = createLagRecorder()
          let second = 0
          const seen: { readonly second: number; readonly lag: number | null }[] = []
          for (const [pause, lag] of changes) {
            second += pause
            lags.record([db3(lag)], at(second))
            seen.push({ second, lag })
          }
          const points = lags.read(at(second))[0]?.points ?? []
          expect(points.length).toBeLessThanOrEqual(lagLimits.points)
          for (const one of seen.filter((it) => it.second > second - lagLimits.kept / 1000)) {
            const last = seen.findLast((it) => it.second === one.second)
            expect(points.findLast((point) => point.at <= at(one.second).toISOString())?.lag).toBe(last?.lag)
          }
        },
      ),
    )
  })
})
