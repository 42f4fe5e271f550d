import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createLoginLimiter, loginLimits } from '../../../src/components/connector/loginLimiter.ts'
import { manualClock } from '../../support/manualClock.ts'

const { pending, broken, window, silence } = loginLimits

function admission() {
  const clock = manualClock()
  return { clock, ...createLoginLimiter({ clock }) }
}

const times = (count: number, work: () => void): void => {
  for (let index = 0; index < count; index += 1) work()
}

describe('the admission of logins', () => {
  it('lets in so many of one address, and others beside them', () => {
    const { enter, leave } = admission()
    times(pending.each, () => expect(enter('a')).toBe(true))
    expect([enter('a'), enter('b')]).toEqual([false, true])
    leave('a')
    expect([enter('a'), enter('a')]).toEqual([true, false])
  })

  it('lets in so many of all addresses', () => {
    const { enter, leave, counts } = admission()
    for (let index = 0; index < pending.all; index += 1) expect(enter(`${index}`)).toBe(true)
    expect([enter('late'), counts().pending]).toEqual([false, pending.all])
    leave('7')
    expect(enter('late')).toBe(true)
  })

  it('keeps an address out of which logins broke off, for a while, and no other', () => {
    const { enter, leave, broken: broke, remaining, clock } = admission()
    times(broken.each, () => {
      expect(enter('a')).toBe(true)
      leave('a')
      broke('a')
    })
    expect([enter('a'), enter('b'), remaining()]).toEqual([false, true, window])
    clock.advance(window)
    expect([enter('a'), remaining()]).toEqual([true, undefined])
  })

  it('keeps all out after the broken logins of many, until one went well', () => {
    const { enter, broken: broke, succeeded } = admission()
    for (let index = 0; index < broken.all; index += 1) broke(`${index}`)
    expect(enter('new')).toBe(false)
    succeeded()
    expect(enter('new')).toBe(true)
  })

  it('names what one more has to wait for', () => {
    const { enter, leave, broken: broke, obstacle } = admission()
    for (let index = 0; index < pending.each; index += 1) enter('a')
    expect([obstacle('a'), obstacle('b')]).toEqual(['places-of-address', undefined])
    for (let index = 0; index < pending.each; index += 1) enter('b')
    expect([obstacle('b'), obstacle('c')]).toEqual(['places-of-address', 'places'])
    leave('b')
    expect(obstacle('c')).toBeUndefined()
    times(broken.each, () => broke('c'))
    expect([obstacle('a'), obstacle('c')]).toEqual(['places-of-address', 'broken-logins'])
  })

  it('has less patience with an address whose clients say nothing, until they speak or time has passed', () => {
    const { silent, spoke, patience, clock } = admission()
    times(silence.after - 1, () => silent('a'))
    expect(patience('a')).toBe(silence.usual)
    times(silence.after, () => silent('a'))
    expect([patience('a'), patience('b')]).toEqual([silence.least, silence.usual])
    times(silence.after, () => spoke('a'))
    expect(patience('a')).toBe(silence.usual)
    silent('a')
    expect(patience('a')).toBe(silence.least)
    clock.advance(window)
    expect(patience('a')).toBe(silence.usual)
  })

  it('never lets a server count as many as block a host, whoever comes and however their logins end', () => {
    // A server blocks after 100 without a good login between; the manager makes one within each window.
    const step = fc.record({ from: fc.nat(200), after: fc.nat(2000), breaks: fc.boolean() })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 600 }), (steps) => {
        const { enter, leave, broken: broke, clock } = admission()
        const inside: string[] = []
        const ends: number[] = []
        const end = (): void => {
          for (const from of inside.splice(0)) {
            leave(from)
            broke(from)
            ends.push(clock.elapsed())
          }
        }
        for (const { from, after, breaks } of steps) {
          if (enter(`${from}`)) inside.push(`${from}`)
          if (breaks) end()
          clock.advance(after)
        }
        end()
        for (const at of ends) {
          expect(ends.filter((other) => other > at - window && other <= at).length).toBeLessThan(100)
        }
      }),
    )
  })
})
