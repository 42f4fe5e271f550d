import { describe, expect, it } from 'vitest'
import type { Ignore } from '../../../src/config/document/readIgnores.ts'
import { loadText } from '../loadText.ts'

const ignoresOf = (text: string): readonly Ignore[] => loadText(text).ignores

/** Line to which it applies, codes and reason of each comment. */
const ignoresIn = (text: string): string[] =>
  ignoresOf(text).map(
    ({ line, codes, reason }) => `${line ?? 'none'} [${codes.map(({ code }) => code).join(' ')}] ${reason}`,
  )

describe('a muster-ignore comment', () => {
  it('applies to its own line if a value is before it', () => {
    expect(ignoresIn('a: 1 # muster-ignore: x why\n')).toEqual(['1 [x] why'])
    expect(ignoresIn('a: { b: 1, # muster-ignore: x why\n  c: 2 }\n')).toEqual(['1 [x] why'])
    expect(ignoresIn('a:\n  - 1 # muster-ignore: x why')).toEqual(['2 [x] why'])
    expect(ignoresIn('a: | # muster-ignore: x why\n  text\n')).toEqual(['1 [x] why'])
    expect(ignoresIn('a: "b" # muster-ignore: x why\n')).toEqual(['1 [x] why'])
  })

  it('applies to the next line that is neither empty nor a comment if it is alone on its line', () => {
    expect(ignoresIn('# muster-ignore: x why\na: 1\n')).toEqual(['2 [x] why'])
    expect(ignoresIn('a:\n  # muster-ignore: x why\n  # more\n\n  b: 1\n')).toEqual(['5 [x] why'])
    expect(ignoresIn('# muster-ignore: x one\n# muster-ignore: y two\na: 1\n')).toEqual([
      '3 [x] one',
      '3 [y] two',
    ])
    expect(ignoresIn('a: { b: 1,\n  # muster-ignore: x why\n  c: 2 }\n')).toEqual(['3 [x] why'])
    expect(ignoresIn('a: 1\n# muster-ignore: x why\n# end\n')).toEqual(['none [x] why'])
  })

  it('applies to the same line with Windows line ends and a byte order mark', () => {
    expect(ignoresIn('\ufeff# muster-ignore: x why\r\n\r\na: 1 # muster-ignore: y too\r\n')).toEqual([
      '3 [x] why',
      '3 [y] too',
    ])
  })

  it('has the position of each code', () => {
    const [ignore] = ignoresOf('a: 1 # muster-ignore: x, yy why\n')
    const at = { file: 'muster.yaml', line: 1, endLine: 1 }
    expect(ignore?.span).toEqual({ ...at, column: 6, endColumn: 32 })
    expect(ignore?.codes.map(({ span }) => span)).toEqual([
      { ...at, column: 23, endColumn: 24 },
      { ...at, column: 26, endColumn: 28 },
    ])
  })
})

describe('text that is not a muster-ignore comment', () => {
  it.each([
    ['in double quotes', 'a: "b\n # muster-ignore: x why"\n'],
    ['in single quotes', "a: 'b # muster-ignore: x why'\n"],
    ['in a block', 'a: |\n  # muster-ignore: x why\n  b # muster-ignore: x why\n'],
    ['in a folded block', 'a: >-\n  # muster-ignore: x why\n'],
    ['after a sign that is not a space', 'a: b# muster-ignore: x why\n'],
    ['in the middle of a comment', 'a: 1 # see muster-ignore: x why\n'],
    ['as part of a word', 'a: 1 # muster-ignored: x why\n'],
    ['with capital letters', 'a: 1 # Muster-Ignore: x why\n'],
  ])('is ignored %s', (_place, text) => {
    expect(ignoresIn(text)).toEqual([])
  })

  it('includes all comments of a file that is not YAML', () => {
    expect(ignoresIn('a: 1 # muster-ignore: x why\n')).toHaveLength(1)
    expect(ignoresIn('a: 1 # muster-ignore: x why\n}{\n')).toEqual([])
    expect(ignoresIn('a: 1 # muster-ignore: x why\n\0')).toEqual([])
    expect(ignoresIn('# muster-ignore: x why\n- a\n')).toEqual([])
  })
})

describe('parsing a muster-ignore comment', () => {
  it.each([
    ['# muster-ignore: x why not', '[x] why not'],
    ['#muster-ignore:x why', '[x] why'],
    ['## muster-ignore : x why', '[x] why'],
    ['# muster-ignore x why', '[x] why'],
    ['# muster-ignore: x, y why', '[x y] why'],
    ['# muster-ignore: x ,y, z why, oh why', '[x y z] why, oh why'],
    ['# muster-ignore: x: why', '[x] why'],
    ['# muster-ignore: x - why', '[x] why'],
    ['# muster-ignore: x – why – really', '[x] why – really'],
    ['# muster-ignore: x', '[x] '],
    ['# muster-ignore: x, y', '[x y] '],
    ['# muster-ignore: x …', '[x] '],
    ['# muster-ignore: x --- ', '[x] '],
    ['# muster-ignore:', '[] '],
    ['# muster-ignore', '[] '],
    ['# muster-ignore: , why', '[] why'],
  ])('reads codes and reason of %s', (comment, expected) => {
    expect(ignoresIn(`a: 1 ${comment}\n`)).toEqual([`1 ${expected}`])
  })
})
