import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { yamlValue } from '../../../src/output/config/yamlValue.ts'

describe('yamlValue', () => {
  it.each([
    ['10.0.0.11', '10.0.0.11'],
    ['8s', '8s'],
    ['master of alpha', 'master of alpha'],
    ['host:/etc/pki/a.p12', 'host:/etc/pki/a.p12'],
    ['~/.ssh/deploy', '~/.ssh/deploy'],
    ['[redacted]', "'[redacted]'"],
    ['2001:db8::1', "'2001:db8::1'"],
    ["it's: x", "'it''s: x'"],
    ['no', "'no'"],
    ['', "''"],
    ['a\n\u202eb', '"a\\n\\u202eb"'],
    [8090, '8090'],
    [false, 'false'],
    [[], '[]'],
    [['a', 'b, c', 1], "[a, 'b, c', 1]"],
  ])('writes %j as %s', (value, written) => {
    expect(yamlValue(value)).toBe(written)
  })

  const words = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string(),
    fc.constantFrom(
      'null',
      '~',
      'True',
      '.inf',
      '-.5',
      '1e3',
      'e0',
      '._e5',
      '._',
      '0x1f',
      '12:30:45',
      '1_000',
      '<<',
      '=',
      '- a',
      'a: b',
      '2001-01-01',
      'y',
    ),
  )

  it.each(['1.1', '1.2'] as const)(
    'writes text that YAML %s reads back unchanged, also in a list and as a key',
    (version) => {
      fc.assert(
        fc.property(words, (text) => {
          fc.pre(!/\p{Cs}/u.test(text))
          const written = yamlValue(text)
          const read = (source: string): unknown => parse(source, { version, logLevel: 'silent' })
          expect(read(`a: ${written} # c`)).toEqual({ a: text })
          expect(read(`a: [${written}, ${written}]`)).toEqual({ a: [text, text] })
          if (text.length < 500 && text !== '__proto__')
            expect(Object.keys(read(`${written}: 1`) as object)).toEqual([text])
          expect(written).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u)
        }),
        { numRuns: 800 },
      )
    },
  )
})
