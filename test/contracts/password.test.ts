import { describe, expect, it } from 'vitest'
import { passwordProblems } from '../../src/contracts/password.ts'

describe('passwordProblems', () => {
  it.each([' ', ':', '\'"\\#$%:@ é', '\u0000', '😀'.repeat(1024), 'e\u0301'.repeat(1024)])(
    'accepts %j',
    (password) => {
      expect(passwordProblems(password)).toEqual([])
    },
  )

  it('refuses what is empty, too long or no Unicode, and never quotes it', () => {
    expect(passwordProblems('')).toEqual(['must not be empty'])
    expect(passwordProblems('x'.repeat(1025))).toEqual(['has 1025 characters, and 1024 is the most'])
    expect(passwordProblems('a\udc00')).toEqual([
      'contains half of a character (a lone surrogate), which no login can carry',
    ])
  })
})
