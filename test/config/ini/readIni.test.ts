import { describe, expect, it } from 'vitest'
import { commentText, readLine } from '../../../src/config/ini/readIni.ts'

const option = (key: string, value: string, more: object = {}) => ({
  kind: 'option',
  key,
  value,
  backslash: false,
  ...more,
})

describe('reading a line of an INI file', () => {
  it.each([
    ['a=b', option('a', 'b', { keyFrom: 0, valueFrom: 2 })],
    ['\t a \t=  b c \t', option('a', 'b c', { keyFrom: 2, valueFrom: 8 })],
    ['a=b=c=', option('a', 'b=c=')],
    ['a=', option('a', '')],
    ['a=b#c;d', option('a', 'b#c;d')],
    ['a=b #c', option('a', 'b', { comment: 'c' })],
    ['a=b\t; c # d', option('a', 'b', { comment: 'c # d' })],
    ['a=#b', option('a', '#b')],
    ['a= #b', option('a', '', { comment: 'b' })],
    ['a="b c"', option('a', '"b c"')],
    ['a=b \\', option('a', 'b', { backslash: true })],
    ['a=b\\', option('a', 'b\\')],
    ['a=\u00a0b', option('a', '\u00a0b')],
    ['[a', { kind: 'bad-section' }],
    ['[]', { kind: 'bad-section' }],
    ['[ ]', { kind: 'bad-section' }],
    ['[a] b', { kind: 'bad-section' }],
    ['[a]=b', { kind: 'bad-section' }],
    ['  [ a.b@c ]  ; d', { kind: 'section', name: 'a.b@c', from: 2, to: 11 }],
    ['a', { kind: 'unread' }],
    ['=b', { kind: 'unread' }],
    [' # a=b ', { kind: 'comment', text: 'a=b', from: 1 }],
    [';', { kind: 'comment', text: '', from: 0 }],
    [' \t\r', { kind: 'blank' }],
    ['', { kind: 'blank' }],
  ])('parses %j', (line, expected) => {
    expect(readLine(line)).toMatchObject(expected)
    expect('comment' in readLine(line)).toBe('comment' in expected)
  })

  it('takes time in proportion to its length', () => {
    const started = process.hrtime.bigint()
    readLine(`a=${' '.repeat(5_000_000)}`)
    readLine(`${' #'.repeat(2_000_000)}`)
    // A reader that went back at every blank would take hours.
    expect(Number(process.hrtime.bigint() - started) / 1e9).toBeLessThan(20)
  })
})

describe('text in a comment', () => {
  it('has no character that would end the comment', () => {
    const ended = commentText('a\rb\u0000c\u0085d\u2028e\ud800')
    expect(ended).toBe('a\\u000db\\u0000c\\u0085d\\u2028e\\ud800')
  })
})
