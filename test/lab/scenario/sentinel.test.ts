import { describe, expect, it } from 'vitest'
import { betrays, makeSentinel, spellingsOf } from './sentinel.ts'

describe('the password that betrays itself', () => {
  const sentinel = makeSentinel()
  const { password } = sentinel

  it('is found in each form it could take', () => {
    const forms = [
      ...spellingsOf(sentinel),
      Buffer.from(`x${password}`).toString('base64url'),
      Buffer.from(password, 'utf16le'),
    ]
    expect(forms.map((form) => betrays(sentinel, form))).toEqual(forms.map(() => true))
  })

  it('is not found where it is not', () => {
    expect(betrays(sentinel, makeSentinel().password)).toBe(false)
  })
})
