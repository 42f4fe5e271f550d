import { describe, expect, it } from 'vitest'
import { throttle } from '../../src/components/clock.ts'
import { manualClock } from '../support/manualClock.ts'

describe('throttle', () => {
  it('does its work at once, and again only when the time is over', () => {
    const clock = manualClock()
    const done: number[] = []
    const work = throttle({ milliseconds: 100, clock, work: (it: number) => void done.push(it) })
    work(1)
    work(2)
    clock.advance(99)
    work(3)
    clock.advance(1)
    work(4)
    work(5)
    expect(done).toEqual([1, 4])
  })
})
