import { describe, expect, it } from 'vitest'
import type { WriteLoad } from '../../support/writeLoad.ts'
import { interleaved, longestGap } from './faultFigures.ts'

/** A load whose rows were acknowledged at these moments, each a millisecond after its begin. */
const loadOf = (ends: readonly number[]): WriteLoad => ({
  logins: [],
  acknowledged: ends.map((end, seq) => ({
    ...{ client: 1, kind: 'kept', seq },
    ...{ wanted: end - 1, begin: end - 1, end },
  })),
  failures: [],
  waiting: () => [],
  stop: async () => undefined,
})

const takenBy = (servers: readonly number[]): ReadonlyMap<string, number> =>
  new Map(servers.map((server, seq) => [`1:${seq}`, server]))

describe('the figures of faults', () => {
  it('count the time without a writer from the last row before to the first one after', () => {
    expect(longestGap([loadOf([10, 20, 2020, 2030])], 25, 5000)).toBe(2000)
  })

  it('find two servers that acknowledge in turns', () => {
    expect(interleaved([loadOf([10, 20, 30, 40])], takenBy([1, 2, 1, 2])).toSorted()).toEqual(['1:1', '1:2'])
  })

  it('find no fault in a takeover, nor in one back after a while', () => {
    expect(interleaved([loadOf([10, 20, 2030, 2040])], takenBy([1, 1, 2, 2]))).toEqual([])
    expect(interleaved([loadOf([10, 20, 2030, 4040])], takenBy([1, 1, 2, 1]))).toEqual([])
  })
})
