import { describe, expect, it } from 'vitest'
import { realClock, throttle } from '../../src/components/clock.ts'
import { manualClock } from '../support/manualClock.ts'

describe('the clock of a process', () => {
  it('does the work after its time', async () => {
    await new Promise<void>((resolve) => {
      realClock.after(1, resolve)
      // Something else that goes on, as a server does in a component.
      const going = setInterval(() => undefined, 1000)
      realClock.after(1, () => clearInterval(going))
    })
  })

  it('keeps no process from its end', () => {
    const timers = () => process.getActiveResourcesInfo().filter((it) => it === 'Timeout').length
    const before = timers()
    const cancel = realClock.after(60_000, () => undefined)
    expect(timers()).toBe(before)
    cancel()
  })
})

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
