import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { createVerifiedLogins } from '../../src/accounts/verifiedLogins.ts'
import { Secret } from '../../src/secrets/secret.ts'

const key = Buffer.alloc(32, 7)
const claim = (user: string, password: string, more: { hash?: string; guesser?: string } = {}) => ({
  login: { user, password: new Secret(password) },
  hash: 'the hash',
  guesser: 'somebody',
  ...more,
})

function counting(verdict: boolean) {
  const counter = { calls: 0, verify: async () => verdict }
  counter.verify = async () => {
    counter.calls += 1
    return verdict
  }
  return counter
}

describe('verified logins', () => {
  it('keep a valid login and never a refused one', async () => {
    const logins = createVerifiedLogins({ key, limit: 10 })
    const good = counting(true)
    const bad = counting(false)
    for (let time = 0; time < 3; time += 1) {
      expect(await logins.check(claim('a', 'right'), good.verify)).toBe(true)
      expect(await logins.check(claim('a', 'wrong'), bad.verify)).toBe(false)
    }
    expect([good.calls, bad.calls]).toEqual([1, 3])
  })

  it('verify a login once that arrives many times at the same time', async () => {
    const logins = createVerifiedLogins({ key, limit: 10 })
    const good = counting(true)
    await Promise.all(Array.from({ length: 50 }, () => logins.check(claim('a', 'b'), good.verify)))
    expect(good.calls).toBe(1)
  })

  it('drop the oldest beyond their limit', async () => {
    const logins = createVerifiedLogins({ key, limit: 2 })
    const good = counting(true)
    for (const user of ['a', 'b', 'c', 'c', 'b', 'a']) await logins.check(claim(user, 'x'), good.verify)
    expect(good.calls).toBe(4)
  })

  it('do not confuse two pairs of user and password', async () => {
    const logins = createVerifiedLogins({ key, limit: 10 })
    await logins.check(claim('ab', 'c'), counting(true).verify)
    expect(await logins.check(claim('a', 'bc'), counting(false).verify)).toBe(false)
    expect(await logins.check(claim('a', 'b:c'), counting(false).verify)).toBe(false)
  })

  it('are valid only for the hash they were verified against', async () => {
    const logins = createVerifiedLogins({ key, limit: 10 })
    await logins.check(claim('a', 'b'), counting(true).verify)
    expect(await logins.check(claim('a', 'b', { hash: 'another' }), counting(false).verify)).toBe(false)
    expect(await logins.check(claim('a', 'b'), counting(false).verify)).toBe(true)
  })

  it('verify a new login once per origin', async () => {
    const logins = createVerifiedLogins({ key, limit: 10 })
    const bad = counting(false)
    const guessers = ['x', 'y', 'x', 'y']
    await Promise.all(guessers.map((guesser) => logins.check(claim('a', 'b', { guesser }), bad.verify)))
    expect(bad.calls).toBe(2)
  })

  it('do not show a password when printed', async () => {
    const logins = createVerifiedLogins({ key, limit: 10 })
    await logins.check(claim('a', 'visible'), counting(true).verify)
    expect(inspect(logins, { depth: 9, showHidden: true })).not.toContain('visible')
  })
})
