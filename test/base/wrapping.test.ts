import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { columnsOf, foldLines } from '../../src/base/wrapping.ts'

it.each([
  ['', 0],
  ['admin', 5],
  ['zoë', 3],
  ['zoe\u0308', 3],
  ['漢字ユーザー', 12],
  ['한글', 4],
  ['ｶﾅ', 2],
  ['Ａ', 2],
  ['a😀b', 4],
  ['·', 1],
])('columnsOf counts the columns of %j: %i', (text, columns) => {
  expect(columnsOf(text)).toBe(columns)
})

describe('lines wider than the terminal', () => {
  it('break between words and continue with an indent, or under the words of a fix', () => {
    const text = 'error: the host db1 cannot be reached\n  fix: see that it runs and is reachable\n'
    expect(foldLines(text, 24)).toBe(
      'error: the host db1\n  cannot be reached\n  fix: see that it runs\n       and is reachable\n',
    )
  })

  it('keep a path or a digest whole, on a line of its own', () => {
    const path = '/var/lib/muster-alpha/manager/state.json'
    expect(foldLines(`cannot read ${path} now`, 24)).toBe(`cannot read\n  ${path}\n  now`)
  })

  it('stay unchanged where a command continues on the next line, which would no longer be one command', () => {
    const command = '  curl --cacert \\\n    .muster/alpha/authority.crt \\\n    https://127.0.0.1:8090/\n'
    expect(foldLines(command, 28)).toBe(command)
  })

  it('stay unchanged without a known width, with cursor sequences, and as JSON', () => {
    const long = 'word '.repeat(20)
    expect(foldLines(long, undefined)).toBe(long)
    for (const text of [`\u001b[2K${long}`, `{"a": "${long}"}`, `  "a": "${long}"`]) {
      expect(foldLines(text, 40)).toBe(text)
    }
    expect(foldLines(`\u001b[31m${'x '.repeat(12)}\u001b[39m`, 40)).not.toContain('\n')
  })

  it('never break within a word and keep every word', () => {
    const word = fc.stringMatching(/^[!-~äß漢]{1,30}$/)
    fc.assert(
      fc.property(
        fc.array(word, { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 20, max: 120 }),
        (words, width) => {
          const folded = foldLines(words.join(' '), width)
          expect(folded.split(/\s+/).filter((one) => one !== '')).toEqual(words)
          if (/^["{[]/.test(words[0] ?? '') || words.at(-1) === '\\') return
          for (const line of folded.split('\n')) {
            const alone = line.trim().split(' ').length === 1
            expect(alone || [...line].length <= width).toBe(true)
          }
        },
      ),
    )
  })
})
