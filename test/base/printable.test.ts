import { inspect } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HostText } from '../../src/base/hostText.ts'
import {
  boundedMessage,
  lastLines,
  maskInvisible,
  printable,
  printableInColour,
  printableLine,
} from '../../src/base/printable.ts'

const escapes: readonly (readonly [string, string])[] = [
  ['\0', '\\x00'],
  ['\b', '\\x08'],
  ['\r', '\\x0d'],
  ['\u001b', '\\x1b'],
  ['\u007f', '\\u007f'],
  ['\u009b', '\\u009b'],
  ['\u00ad', '\\u00ad'],
  ['\u061c', '\\u061c'],
  ['\u200b', '\\u200b'],
  ['\u200f', '\\u200f'],
  ['\u2028', '\\u2028'],
  ['\u2029', '\\u2029'],
  ['\u202a', '\\u202a'],
  ['\u202e', '\\u202e'],
  ['\u2066', '\\u2066'],
  ['\u2069', '\\u2069'],
  ['\u3164', '\\u3164'],
  ['\ufeff', '\\ufeff'],
  ['\ufffe', '\\ufffe'],
  ['\ud800', '\\ud800'],
  ['\udc00', '\\udc00'],
  ['\u{e0041}', '\\udb40\\udc41'],
]

/** Text in which what steers terminals is as frequent as letters. */
const hostile = fc.string({
  unit: fc.oneof(fc.constantFrom(...escapes.map(([character]) => character), '\n', '\t', ' '), fc.string()),
})

/** Bytes of C0 but line feed and tab, DEL, C1, and the marks that turn the direction of writing. */
const steers = (text: string): boolean =>
  [...text].some((character) => {
    const code = character.codePointAt(0) ?? 0
    const control = (code < 0x20 && code !== 0x0a && code !== 0x09) || (code >= 0x7f && code < 0xa0)
    const mark = (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069)
    const unseen = code === 0x2028 || code === 0x2029 || (code >= 0x200b && code <= 0x200f)
    return control || mark || unseen || (code >= 0xd800 && code < 0xe000)
  })

describe('printable text', () => {
  it.each(escapes)('shows %j as an escape, as a dot in columns, and exactly in JSON', (character, shown) => {
    expect(printable(`a${character}b`)).toBe(`a${shown}b`)
    expect(maskInvisible(`a${character}b`)).toBe('a\u00b7b')
    expect(JSON.parse(printable(JSON.stringify([character])))).toEqual([character])
  })

  it('is unchanged if every character is visible', () => {
    const text = 'tab\t, lines\n, é, 漢字, 😀, \ufffd, שלום'
    expect(printable(text)).toBe(text)
    expect(maskInvisible(text)).toBe(text)
    expect(printableLine(text)).toBe(text.replace('\n', '\\x0a'))
  })

  it('never contains a terminal control sequence', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        for (const shown of [printable(text), maskInvisible(text), lastLines(text), boundedMessage(text)]) {
          expect(steers(shown)).toBe(false)
        }
        expect(printableLine(text)).not.toContain('\n')
        expect(JSON.parse(printable(JSON.stringify(text)))).toBe(text)
      }),
    )
  })

  it("keeps only muster's own colours", () => {
    const ours = '\u001b[31merror\u001b[39m \u001b[1mdb1\u001b[22m'
    expect(printableInColour(ours)).toBe(ours)
    for (const theirs of [
      '\u001b[8m',
      '\u001b[2J',
      '\u001b]0;x\u0007',
      '\u001b[31;8m',
      '\u001b[0m',
      '\u009b31m',
    ]) {
      expect(steers(printableInColour(theirs))).toBe(false)
    }
  })

  it('is a message of a bounded size, also where every character becomes an escape', () => {
    const longest = `${'x'.repeat(7998)}\u{1f600}`
    expect(boundedMessage(longest)).toBe(longest)
    expect(boundedMessage(`x${longest}`)).toBe(`x${'x'.repeat(7998)} …`)
    for (const character of ['\0', '\u202e', '\u{e0041}', '\n', '\ud800'])
      expect(boundedMessage(character.repeat(20_000)).length).toBeLessThanOrEqual(8002)
  })

  it('is quoted as the last thousand characters on one line', () => {
    expect(lastLines('one\r\ntwo\n\n  three \n')).toBe('one / two / three')
    expect(lastLines('1\n2\n3\n4\n5\n6\n7')).toBe('3 / 4 / 5 / 6 / 7')
    expect(lastLines(' \n\t ')).toBe('')
    const long = lastLines(`${'x'.repeat(100_000)}end`)
    expect(long).toHaveLength(1001)
    expect(long).toMatch(/^…x+end$/)
  })

  it('is cut to forty lines and eight thousand characters in a message', () => {
    expect(boundedMessage('one\ntwo')).toBe('one\ntwo')
    expect(boundedMessage('x\n'.repeat(1_000_000)).split('\n')).toHaveLength(40)
    expect(boundedMessage('x'.repeat(1_000_000)).length).toBeLessThan(8010)
  })
})

describe('HostText', () => {
  const text = new HostText('a\u001b[2J\nerror db2: forged')
  const shown = 'a\\x1b[2J / error db2: forged'

  it('prints as one printable line in every output', () => {
    expect(`${text}`).toBe(shown)
    expect(String(text)).toBe(shown)
    expect([text].join()).toBe(shown)
    expect(JSON.stringify({ text })).toBe(JSON.stringify({ text: shown }))
    expect(inspect(text)).toBe(shown)
    expect(new Error(`${text}`).message).toBe(shown)
    expect(Object.keys(text)).toEqual([])
  })

  it('returns the whole text to a parser', () => {
    expect(text.raw()).toBe('a\u001b[2J\nerror db2: forged')
  })
})
