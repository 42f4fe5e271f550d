import { describe, expect, it } from 'vitest'
import { createHoldQueue } from '../../../src/components/connector/holdQueue.ts'
import { manualClock } from '../../support/manualClock.ts'

function room(most = 10) {
  const clock = manualClock()
  const away: string[] = []
  const waiting = createHoldQueue<string>({
    most,
    longest: 1000,
    clock,
    // The first letter is where it comes from.
    originOf: (name) => name.charAt(0),
    onExpired: (name) => void away.push(name),
  })
  return { clock, away, waiting, enter: (name: string) => waiting.add(name, clock.elapsed()) }
}

describe('the hold queue', () => {
  it('lets out in order of arrival', () => {
    const { waiting, enter } = room()
    for (const name of ['a', 'b', 'c']) enter(name)
    waiting.remove('b')
    expect([waiting.take(), waiting.take(), waiting.take()]).toEqual(['a', 'c', undefined])
  })

  it('gives one that comes back its old place, even behind one that left', () => {
    const { waiting, clock, enter } = room()
    clock.advance(5)
    enter('b')
    clock.advance(5)
    enter('c')
    waiting.remove('c')
    waiting.add('a', 1)
    waiting.add('bb', 7)
    expect([waiting.take(), waiting.take(), waiting.take()]).toEqual(['a', 'b', 'bb'])
  })

  it('is full at its limit, and has room again when somebody leaves', () => {
    const { waiting, enter } = room(2)
    expect([enter('a'), enter('b'), enter('c')]).toEqual([undefined, undefined, 'c'])
    waiting.remove('a')
    expect(enter('c')).toBeUndefined()
    expect(room(0).enter('a')).toBe('a')
  })

  it('gives a place to one of another origin, of the newest of the origin that has most', () => {
    const { waiting, enter } = room(4)
    for (const name of ['b1', 'a1', 'a2', 'a3']) enter(name)
    expect([enter('a4'), enter('b2'), enter('b3'), enter('c1')]).toEqual(['a4', 'a3', 'b3', 'b2'])
    expect(waiting.origins()).toEqual(
      new Map([
        ['b', new Map([['b1', 0]])],
        [
          'a',
          new Map([
            ['a1', 0],
            ['a2', 0],
          ]),
        ],
        ['c', new Map([['c1', 0]])],
      ]),
    )
  })

  it('names the first of the origin with the lowest rank, of equals the one that arrived first', () => {
    const { waiting, clock, enter } = room()
    for (const name of ['a1', 'a2', 'b1', 'c1']) {
      enter(name)
      clock.advance(1)
    }
    const first = (ranks: Record<string, number>) => waiting.next((origin) => ranks[origin])?.client
    expect(first({ a: 7, b: 3, c: 3 })).toBe('b1')
    expect(first({ a: 7 })).toBe('a1')
    waiting.remove('a1')
    expect([first({ a: 1, b: 1 }), first({})]).toEqual(['a2', undefined])
  })

  it('sends everybody away when their own time is over, and says when that is', () => {
    const { waiting, clock, away, enter } = room()
    expect(waiting.remaining()).toBeUndefined()
    enter('a')
    clock.advance(400)
    enter('b')
    expect(waiting.remaining()).toBe(600)
    clock.advance(599)
    expect(away).toEqual([])
    clock.advance(1)
    expect(away).toEqual(['a'])
    expect(waiting.remaining()).toBe(400)
    clock.advance(400)
    expect(away).toEqual(['a', 'b'])
    expect([waiting.size, clock.pending()]).toEqual([0, 0])
  })

  it('counts the time of the next when the first leaves', () => {
    const { waiting, clock, away, enter } = room()
    enter('a')
    clock.advance(500)
    enter('b')
    waiting.remove('a')
    clock.advance(999)
    expect(away).toEqual([])
    clock.advance(1)
    expect(away).toEqual(['b'])
  })
})
