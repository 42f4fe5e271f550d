import { describe, expect, it } from 'vitest'
import { reservedCharacters, userNameProblems } from '../../src/contracts/userName.ts'

describe('userNameProblems', () => {
  it('knows the nineteen reserved characters of the specification', () => {
    expect(reservedCharacters.join('')).toBe(" !#$&'()*+,/:;=?@[]")
  })

  it.each([...reservedCharacters])('refuses %j wherever it stands', (character) => {
    const shown = character === ' ' ? 'a space' : character === "'" ? `"'"` : `'${character}'`
    for (const name of [`${character}a`, `a${character}b`, `a${character}`]) {
      expect(userNameProblems(name)).toEqual([`must not contain ${shown}`])
    }
  })

  it('names every offending character once, in order', () => {
    expect(userNameProblems('a:b@c:\u0007d')).toEqual([
      "must not contain ':'",
      "must not contain '@'",
      'must not contain the control character U+0007',
    ])
  })

  it.each([
    ['', ['must not be empty']],
    ['a'.repeat(129), ['has 129 characters, and 128 is the most']],
    ['a\ud800', ['must not contain the half character U+D800']],
    ['\u0085', ['must not contain the control character U+0085']],
    ['..', ["must not be '..', which has a meaning of its own in a URL"]],
  ])('refuses %j', (name, problems) => {
    expect(userNameProblems(name)).toEqual(problems)
  })

  it.each([
    'admin',
    'a'.repeat(128),
    '😀'.repeat(128),
    'jürgen',
    'e\u0301'.repeat(128),
    'a-b_c.d%~"<>\\^`{|}',
  ])('accepts %j', (name) => {
    expect(userNameProblems(name)).toEqual([])
  })
})
