import { describe, expect, it } from 'vitest'
import { backdateMs } from '../../../src/certificates/profile.ts'
import type { Subject } from '../../../src/deployment/preflight/checkContract.ts'
import { reasons, subject } from './values.ts'

describe('the clock check', () => {
  const at = (clockOffset: number): Subject => subject({ observed: { clockOffset } })

  it('compares a host with the median of the hosts, not with this machine', () => {
    const hours = 2 * 3_600_000
    expect(reasons('clock', [at(hours), at(hours), at(hours)])).toEqual(['ok: 0.0 s off'])
    expect(reasons('clock', [at(0), at(hours), at(hours)])[0]).toMatch(
      /^warning: its clock is 2\.0 hours behind the median of the hosts: /,
    )
    expect(reasons('clock', [at(hours), at(10), at(-10)])[0]).toMatch(
      /^warning: its clock is 2\.0 hours ahead of /,
    )
  })

  it.each([
    [2_000, 'ok: 2.0 s off'],
    [-2_000, 'ok: 2.0 s off'],
    [2_001, 'warning: its clock is 2.0 s ahead of'],
    [-80_000, 'warning: its clock is 80.0 s behind'],
    [600_000, 'warning: its clock is 10.0 minutes ahead of'],
    [40 * 86_400_000, 'warning: its clock is 40.0 days ahead of'],
  ])('reports an offset of %i ms as "%s"', (offset, words) => {
    expect(reasons('clock', [at(offset), at(0), at(0)])[0]?.slice(0, words.length)).toBe(words)
  })

  it('fails if new certificates would not be valid yet, even if all hosts agree', () => {
    const late = at(-backdateMs - 1)
    expect(reasons('clock', [late, late])[0]).toMatch(
      /^failure: its clock is 24\.0 hours behind this machine: /,
    )
    expect(reasons('clock', [at(-backdateMs), at(-backdateMs)])).toEqual(['ok: 0.0 s off'])
  })
})
