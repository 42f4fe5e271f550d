import { describe, expect, it } from 'vitest'
import { betrays, makeSentinel } from './sentinel.ts'

describe('the password that betrays itself', () => {
  const sentinel = makeSentinel()
  const { password } = sentinel

  it('is found in each form it could take', () => {
    const forms = [
      password,
      JSON.stringify({ password }),
      encodeURIComponent(password),
      `'${password.replaceAll("'", `'\\''`)}'`,
      Buffer.from(`admin:${password}`).toString('base64'),
      Buffer.from(`x${password}`).toString('base64url'),
      Buffer.from(password).toString('base64'),
      Buffer.from(password).toString('hex'),
      Buffer.from(password, 'utf16le'),
    ]
    expect(forms.map((form) => betrays(sentinel, form))).toEqual(forms.map(() => true))
  })

  it('is not found where it is not', () => {
    expect(betrays(sentinel, makeSentinel().password)).toBe(false)
  })
})
