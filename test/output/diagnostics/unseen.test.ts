import { describe, expect, it } from 'vitest'
import { escapeUnseen, withoutUnseen } from '../../../src/output/diagnostics/unseen.ts'

const each = [
  '\0',
  '\u001b',
  '\u007f',
  '\u009b',
  '\u00ad',
  '\u061c',
  '\u200b',
  '\u200f',
  '\u2028',
  '\u202e',
  '\u2066',
  '\ufeff',
  '\ufffe',
  '\ud800',
  '\udc00',
  '\u{e0041}',
]

describe('what a reader does not see', () => {
  it.each(each)('%j becomes a point in text and an escape in JSON', (character) => {
    expect(withoutUnseen(`a${character}b`)).toBe('a\u00b7b')
    const json = escapeUnseen(JSON.stringify([`a${character}b`]))
    expect(json).toMatch(/^\["a(\\u[0-9a-f]{4}){1,2}b"\]$/)
    expect(JSON.parse(json)).toEqual([`a${character}b`])
  })

  it('leaves everything else', () => {
    const text = 'tab\t, lines\r\n, é, 漢字, 😀, \ufffd'
    expect(withoutUnseen(text)).toBe(text)
    expect(escapeUnseen(text)).toBe(text)
  })
})
