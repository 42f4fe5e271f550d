import { describe, expect, it } from 'vitest'
import { jsonText } from '../../../src/base/json.ts'
import { renderBody, renderDuration, renderFields } from '../../../src/tapi/call/render.ts'

const wrapped = (payload: unknown) => ({ payloadType: 'X', payloadVersion: '1', payload })

describe('tapi', () => {
  it.each([
    [312.4, '312 ms'],
    [1000, '1 s'],
    [307_000, '5 min 7 s'],
    [3_600_000, '1 h'],
    [183_600_000, '2 d 3 h'],
  ])('prints %d ms as %s', (milliseconds, text) => {
    expect(renderDuration(milliseconds)).toBe(text)
  })

  it('prints a single text without quotes, everything else as JSON, and text unchanged', () => {
    expect(renderBody(wrapped({ value: 'https://db1' }))).toBe('https://db1\n')
    expect(renderBody(wrapped({ value: true }))).toBe('{\n  "value": true\n}\n')
    expect(renderBody(wrapped([1]))).toBe('[\n  1\n]\n')
    expect(renderBody({ openapi: '3.1.0' })).toBe('{\n  "openapi": "3.1.0"\n}\n')
    expect(renderBody('up 1\n')).toBe('up 1\n')
    expect(renderBody('live')).toBe('live\n')
    expect(renderBody('')).toBe('')
  })

  it('prints nothing that controls a terminal', () => {
    expect(renderBody('a\u001b[2Jb\u202ec\u009b')).toBe('a\\x1b[2Jb\\u202ec\\u009b\n')
    expect(
      renderFields([
        ['a', '\r'],
        ['long', 'x'],
      ]),
    ).toBe('a     \\x0d\nlong  x\n')
    const value = { a: 'x\u009b\u202e\u007fé\u{e0001}' }
    const json = jsonText(value)
    expect(json).toBe('{\n  "a": "x\\u009b\\u202e\\u007fé\\udb40\\udc01"\n}\n')
    expect(JSON.parse(json)).toEqual(value)
  })
})
