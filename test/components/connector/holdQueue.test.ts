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
    expect([enter('a'), enter('b'), enter('c')]).toEqual([true, true, false])
    waiting.remove('a')
    expect(enter('c')).toBe(true)
    expect(room(0).enter('a')).toBe(false)
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
