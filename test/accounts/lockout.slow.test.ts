import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createLockout, type GuessSource, LockedOutError, type Lockout } from '../../src/accounts/lockout.ts'
import { heapInUse } from '../support/heapInUse.ts'

const minute = 60_000
const admin: GuessSource = { from: '10.0.0.9', user: 'admin' }

function clocked(maxPairs?: number) {
  const time = { now: 0 }
  const lockout = createLockout({ now: () => time.now, ...(maxPairs === undefined ? {} : { maxPairs }) })
  return { time, lockout }
}

/** Seconds that a pair is told to wait; 0 when its guess may be checked. */
function wait(lockout: Lockout, pair: GuessSource): number {
  try {
    lockout.begin(pair).cancelled()
    return 0
  } catch (error) {
    if (error instanceof LockedOutError) return error.seconds
    throw error
  }
}

function fail(lockout: Lockout, pair: GuessSource, times = 1): void {
  for (let time = 0; time < times; time += 1) lockout.begin(pair).failed()
}

describe('the lockout after failed logins', () => {
  it('locks a pair of address and user for five minutes at the fifth failure within five', () => {
    const { time, lockout } = clocked()
    fail(lockout, admin, 4)
    time.now = 5 * minute - 1
    expect(wait(lockout, admin)).toBe(0)
    fail(lockout, admin)
    expect(wait(lockout, admin)).toBe(300)
    time.now += 5 * minute - 1
    expect(wait(lockout, admin)).toBe(1)
    time.now += 1
    expect(wait(lockout, admin)).toBe(0)
    fail(lockout, admin, 4)
    expect(wait(lockout, admin)).toBe(0)
    expect(lockout.counts()).toEqual({ locks: 1, locked: 0 })
  })

  it('drops a failure after five minutes, and all failures at a successful login', () => {
    const { time, lockout } = clocked()
    fail(lockout, admin, 4)
    time.now = 5 * minute
    fail(lockout, admin, 4)
    expect(wait(lockout, admin)).toBe(0)
    lockout.begin(admin).succeeded()
    fail(lockout, admin, 4)
    expect(wait(lockout, admin)).toBe(0)
  })

  it('tells pairs apart, but not two spellings of a user name', () => {
    const { lockout } = clocked()
    fail(lockout, { ...admin, user: 'jos\u00e9' }, 5)
    expect(wait(lockout, { ...admin, user: 'jose\u0301' })).toBe(300)
    expect(wait(lockout, { ...admin, user: 'jose' })).toBe(0)
    expect(wait(lockout, { from: '10.0.0.8', user: 'jos\u00e9' })).toBe(0)
  })

  it('counts pending guesses, and stops counting those that succeed or are cancelled', () => {
    const { lockout } = clocked()
    const guesses = Array.from({ length: 5 }, () => lockout.begin(admin))
    expect(wait(lockout, admin)).toBe(1)
    guesses[0]?.cancelled()
    expect(wait(lockout, admin)).toBe(0)
    guesses[1]?.failed()
    guesses[2]?.failed()
    guesses[3]?.succeeded()
    guesses[4]?.failed()
    fail(lockout, admin, 3)
    expect(wait(lockout, admin)).toBe(0)
    fail(lockout, admin)
    expect(wait(lockout, admin)).toBe(300)
  })

  it('keeps a lock while a flood of names, addresses or fewer locks than its limit arrives', () => {
    const { lockout } = clocked(100)
    fail(lockout, admin, 5)
    for (let index = 0; index < 10_000; index += 1) {
      fail(lockout, { ...admin, user: `user${index}` })
      fail(lockout, { ...admin, from: `10.1.${index >> 8}.${index & 255}` }, 4)
    }
    for (let index = 0; index < 99; index += 1) fail(lockout, { ...admin, user: `locked${index}` }, 5)
    expect(wait(lockout, admin)).toBe(300)
    expect(lockout.counts()).toEqual({ locks: 100, locked: 100 })
  })

  it('keeps no more pairs than its limit and drops the oldest first', () => {
    const { lockout } = clocked(100)
    const pair = (index: number): GuessSource => ({ ...admin, user: `user${index}` })
    for (let index = 0; index <= 100; index += 1) fail(lockout, pair(index), 4)
    fail(lockout, pair(0))
    expect(wait(lockout, pair(0))).toBe(0)
    fail(lockout, pair(100))
    expect(wait(lockout, pair(100))).toBe(300)
    for (let index = 200; index < 300; index += 1) fail(lockout, pair(index), 5)
    expect(wait(lockout, pair(100))).toBe(0)
    expect(lockout.counts()).toEqual({ locks: 101, locked: 100 })
  })

  it('uses no more memory for long user names', () => {
    const { lockout } = clocked()
    const before = heapInUse()
    for (let index = 0; index < 2_000; index += 1)
      fail(lockout, { ...admin, user: `${index}`.padEnd(16_000) })
    // As they came they would take 32 MB.
    expect(heapInUse() - before).toBeLessThan(4_000_000)
    expect(wait(lockout, admin)).toBe(0)
  })

  it('agrees with a model that keeps everything', () => {
    const pairs: readonly GuessSource[] = ['a', 'b'].flatMap((from) =>
      ['x', 'y'].map((user) => ({ from, user })),
    )
    const step = fc.record({
      pair: fc.constantFrom(...pairs),
      later: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 3 * minute })),
      end: fc.constantFrom('failed', 'failed', 'failed', 'succeeded', 'cancelled', 'open'),
    })
    fc.assert(
      fc.property(fc.array(step, { minLength: 5, maxLength: 80 }), (steps) => {
        const { time, lockout } = clocked()
        // The model: for each pair, when its guesses failed since it was last good or locked, and its lock.
        const model = new Map(pairs.map((it) => [it, { failures: [] as number[], lockedUntil: 0, open: 0 }]))
        for (const { pair, later, end } of steps) {
          time.now += later
          const its = model.get(pair)
          if (!its) throw new Error('no such pair')
          const counted = its.failures.filter((at) => time.now - at < 5 * minute)
          const expected =
            its.lockedUntil > time.now
              ? Math.ceil((its.lockedUntil - time.now) / 1000)
              : counted.length + its.open >= 5
                ? 1
                : 0
          expect(wait(lockout, pair)).toBe(expected)
          if (expected > 0) continue
          const guess = lockout.begin(pair)
          if (end === 'open') its.open += 1
          else guess[end]()
          if (end === 'succeeded') its.failures = []
          if (end === 'failed') its.failures = [...counted, time.now]
          if (its.failures.length < 5) continue
          its.lockedUntil = time.now + 5 * minute
          its.failures = []
        }
        const locked = [...model.values()].filter(({ lockedUntil }) => lockedUntil > time.now)
        expect(lockout.counts().locked).toBe(locked.length)
      }),
      { numRuns: 500 },
    )
  })
})
