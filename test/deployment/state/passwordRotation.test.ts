import { describe, expect, it } from 'vitest'
import { createHasher } from '../../../src/accounts/passwordHash.ts'
import type { UserState } from '../../../src/deployment/state/clusterState.ts'
import {
  beginRotation,
  endRotation,
  replacementDate,
} from '../../../src/deployment/state/passwordRotation.ts'
import { decodeSecrets, encodeSecrets } from '../../../src/deployment/state/secretsFile.ts'
import { Secret } from '../../../src/secrets/secret.ts'

const hash = createHasher({ ln: 1, r: 1, p: 1 })
const salt = Buffer.alloc(16, 1)
const random = (size: number): Buffer => Buffer.alloc(size, 9)
const on = (day: string) => ({ now: new Date(`${day}T12:00:00Z`), random, hash })
const words = (known: UserState) => ({
  password: known.password?.reveal(),
  pending: known.pending?.map((one) => one.reveal()),
})

describe('the state of a password rotation', () => {
  it('has the new and the old password until verification, and the date of replacement', async () => {
    const before = { salt, password: new Secret('old') }
    const begun = await beginRotation(before, { password: new Secret('new'), ...on('2026-11-22') })
    expect(words(begun)).toEqual({ password: 'new', pending: ['old'] })
    const ended = endRotation(begun, { given: false })
    expect(words(ended)).toEqual({ password: 'new', pending: undefined })
    expect(await replacementDate(ended, new Secret('old'), hash)).toBe('2026-11-22')
    expect(await replacementDate(ended, new Secret('new'), hash)).toBeUndefined()
    expect(await replacementDate(before, new Secret('old'), hash)).toBeUndefined()
  })

  it('stores no password of the file, and recognizes the replaced one', async () => {
    const options = { password: new Secret('new'), old: [new Secret('given')], ...on('2026-11-22') }
    const ended = endRotation(await beginRotation({ salt }, options), { given: true })
    expect(words(ended)).toEqual({ password: undefined, pending: undefined })
    expect(await replacementDate(ended, new Secret('given'), hash)).toBe('2026-11-22')
    expect(await replacementDate(ended, new Secret('a third'), hash)).toBeUndefined()
  })

  it('has every password that hosts may have if another one is chosen meanwhile', async () => {
    let known = await beginRotation(
      { salt, password: new Secret('a') },
      { password: new Secret('b'), ...on('2026-11-20') },
    )
    known = await beginRotation(known, { password: new Secret('c'), ...on('2026-11-21') })
    expect(words(known)).toEqual({ password: 'c', pending: ['b', 'a'] })
    known = await beginRotation(known, { password: new Secret('a'), ...on('2026-11-22') })
    expect(words(known)).toEqual({ password: 'a', pending: ['c', 'b'] })
    expect(await replacementDate(known, new Secret('a'), hash)).toBeUndefined()
    const ended = endRotation(known, { given: true })
    // In use again, so it was not replaced.
    expect(await replacementDate(ended, new Secret('a'), hash)).toBeUndefined()
    expect(await replacementDate(ended, new Secret('b'), hash)).toBe('2026-11-22')
  })

  it('recognizes five replaced passwords, and never the new one', async () => {
    let known: UserState = { salt, password: new Secret('0') }
    // Twelve bits: of so many some would collide.
    for (let index = 1; index <= 400; index += 1) {
      const password = new Secret(String(index))
      known = await beginRotation(known, {
        password,
        now: new Date('2026-11-22T12:00:00Z'),
        random: (size) => Buffer.alloc(size, index),
        hash,
      })
      expect(await replacementDate(endRotation(known, { given: true }), password, hash)).toBeUndefined()
      expect(await replacementDate(known, new Secret(String(index - 1)), hash)).toBe('2026-11-22')
      known = endRotation(known, { given: false })
    }
    expect(known.replaced).toHaveLength(5)
  })

  it('is read back as it was written, and rejected if it is invalid', async () => {
    const known = await beginRotation(
      { salt, password: new Secret('old') },
      { password: new Secret('new'), ...on('2026-11-22') },
    )
    const bytes = encodeSecrets({ users: new Map([['admin', known]]) })
    const read = decodeSecrets(bytes)
    expect(typeof read === 'string' ? read : encodeSecrets(read).equals(bytes)).toBe(true)
    const text = bytes.toString()
    const wrong = 'has a user without a valid salt or password'
    expect(decodeSecrets(Buffer.from(text.replace('"old"', '7')))).toBe(wrong)
    expect(decodeSecrets(Buffer.from(text.replace('2026-11-22T12', 'yesterday')))).toBe(wrong)
  })
})
