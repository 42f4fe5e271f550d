import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { printable } from '../../src/base/printable.ts'
import {
  existingNameProblems,
  passwordProblems,
  reservedCharacters,
  userNameProblems,
} from '../../src/contracts/credentialRules.ts'

describe('userNameProblems', () => {
  it('knows the nineteen reserved characters of the specification', () => {
    expect(reservedCharacters.join('')).toBe(" !#$&'()*+,/:;=?@[]")
  })

  it.each([...reservedCharacters])('rejects %j at any position', (character) => {
    const shown = character === ' ' ? 'a space' : character === "'" ? `"'"` : `'${character}'`
    for (const name of [`${character}a`, `a${character}b`, `a${character}`]) {
      expect(userNameProblems(name)).toEqual([`must not contain ${shown}`])
    }
  })

  it('names every invalid character once, in order', () => {
    expect(userNameProblems('a:b@c:\u0007d')).toEqual([
      "must not contain ':'",
      "must not contain '@'",
      'must not contain the control character U+0007',
    ])
  })

  it.each([
    ['', ['must not be empty']],
    ['a'.repeat(129), ['has 129 characters; the maximum is 128']],
    ['a\ud800', ['must not contain the lone surrogate U+D800']],
    ['\u0085', ['must not contain the control character U+0085']],
    ['..', ["must not be '..', which has a special meaning in a URL"]],
  ])('rejects %j', (name, problems) => {
    expect(userNameProblems(name)).toEqual(problems)
  })

  it.each([
    'admin',
    'a'.repeat(128),
    'jürgen',
    'e\u0301'.repeat(128),
    'a-b_c.d%~"<>\\^`{|}',
    'Ольга',
    'محمد',
    'ก้อง',
    '山田',
    'nuñez–lopez',
    '٣',
  ])('accepts %j', (name) => {
    expect(userNameProblems(name)).toEqual([])
  })

  it.each([
    ['\u00a0', 'the space U+00A0'],
    ['\u2003', 'the space U+2003'],
    ['\u2028', 'the space U+2028'],
    ['\u200b', 'the invisible character U+200B'],
    ['\u200d', 'the invisible character U+200D'],
    ['\ufeff', 'the invisible character U+FEFF'],
    ['\u00ad', 'the invisible character U+00AD'],
    ['\u202e', 'the invisible character U+202E'],
    ['\u2066', 'the invisible character U+2066'],
    ['\u034f', 'the invisible character U+034F'],
    ['\u3164', 'the invisible character U+3164'],
    ['\ufe0f', 'the invisible character U+FE0F'],
    ['\u2800', 'the symbol U+2800'],
    ['😀', 'the symbol U+1F600'],
    ['\u00b2', 'the symbol U+00B2'],
    ['\ue000', 'the unassigned character U+E000'],
    ['\uff41', "U+FF41, another form of 'a'"],
    ['\u{1d41a}', "U+1D41A, another form of 'a'"],
  ])(
    'rejects the look-alike character %j for a new user, and accepts it for an existing one',
    (character, shown) => {
      for (const name of [`${character}admin`, `ad${character}min`, `admin${character}`]) {
        expect(userNameProblems(name)).toEqual([`must not contain ${shown}`])
        expect(existingNameProblems(name)).toEqual([])
      }
    },
  )

  it('accepts no name with an invisible character, whatever surrounds it', () => {
    const anything = fc.string({ unit: 'binary', maxLength: 20 })
    fc.assert(
      fc.property(anything, (name) => {
        fc.pre(userNameProblems(name).length === 0)
        expect(printable(name)).toBe(name)
        expect(name).not.toMatch(/\s/u)
        expect(name.normalize('NFKC')).toBe(name.normalize('NFC'))
      }),
    )
  })
})

describe('passwordProblems', () => {
  it.each([' ', ':', '\'"\\#$%:@ é', '\u00a0', '😀'.repeat(1024), 'e\u0301'.repeat(1024)])(
    'accepts %j',
    (password) => {
      expect(passwordProblems(password)).toEqual([])
    },
  )

  it.each([
    ['a\u0000b', 'the control character U+0000'],
    ['a\n', 'the control character U+000A'],
    ['\ta\tb', 'the control character U+0009'],
    ['a\u0007\u007f', 'the control characters U+0007, U+007F'],
    ['a\u0085', 'the control character U+0085'],
  ])('rejects control characters in %j by their code points', (password, what) => {
    expect(passwordProblems(password)).toEqual([`contains ${what}, which a login cannot contain (RFC 7617)`])
  })

  it('rejects a password that is empty, too long or not Unicode, and never quotes it', () => {
    expect(passwordProblems('')).toEqual(['must not be empty'])
    expect(passwordProblems('x'.repeat(1025))).toEqual(['has 1025 characters; the maximum is 1024'])
    expect(passwordProblems('a\udc00')).toEqual([
      'contains a lone surrogate (half of a character), which a login cannot contain',
    ])
  })
})
