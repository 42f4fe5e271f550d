import { describe, expect, it } from 'vitest'
import { scalarSource } from '../../../src/config/scrub/scrubTree.ts'

describe('replacing a scalar', () => {
  it.each([
    ['abc', 'name1', 'name1'],
    ['abc', '[redacted]', "'[redacted]'"],
    ['abc', '2001:db8::1', '2001:db8::1'],
    ["'abc'", 'name1', "'name1'"],
    ['"abc"', 'name1', '"name1"'],
    ['"abc"', '[redacted]', '"[redacted]"'],
    ['abc', 'a\ud800', '"a\\ud800"'],
    ['"a\n\n    b"', 'x', '"x"\n\n    '],
    ['"a\r\n  b"', 'x', '"x"\r\n  '],
    ['| # secret\n  a\n  b\n', '[redacted]', "'[redacted]'\n\n\n"],
    ['>-\n  a', 'x', 'x\n  '],
    ['12345', 0, '0'],
    ['@abc', '[redacted]-1', '@redacted--1'],
    ['"a\\q"', 'x', '"x\\q"'],
    ['"a\\n"', 'x', '"x"'],
  ])('writes in place of %j the value %j as %j', (source, value, expected) => {
    expect(scalarSource(source, value)).toBe(expected)
  })
})
