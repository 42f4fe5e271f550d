import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { quote } from '../../src/base/shellWords.ts'

describe('quote', () => {
  it('does not quote safe words', () => {
    expect(quote('/opt/muster/current')).toBe('/opt/muster/current')
    expect(quote('')).toBe("''")
    expect(quote("it's")).toBe("'it'\\''s'")
    expect(quote('~')).toBe("'~'")
  })

  it('rejects a NUL character', () => {
    expect(() => quote('a\0b')).toThrow('a NUL character cannot be part of a shell word')
  })

  it('returns one word of exactly these characters for a real sh', () => {
    const word = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom(...'\'"\\$`!*?[]{}()<>|&;#~=%: \t\n\r-é@a') }),
    )
    const words = fc.array(
      word.filter((text) => !text.includes('\0') && Buffer.from(text).toString() === text),
      { minLength: 1, maxLength: 20 },
    )
    fc.assert(
      fc.property(words, (texts) => {
        const script = `printf '%s\\0' ${texts.map(quote).join(' ')}`
        const output = execFileSync('sh', { input: script, encoding: 'utf8' })
        expect(output.split('\0').slice(0, -1)).toEqual(texts)
      }),
      { numRuns: 50 },
    )
  })
})
