import { describe, expect, it } from 'vitest'
import type { Ignore } from '../../../src/config/document/readIgnores.ts'
import { loadText } from '../loadText.ts'

const ignoresOf = (text: string): readonly Ignore[] => loadText(text).ignores

/** Line that is meant, codes and reason of each comment. */
const said = (text: string): string[] =>
  ignoresOf(text).map(
    ({ line, codes, reason }) => `${line ?? 'none'} [${codes.map(({ code }) => code).join(' ')}] ${reason}`,
  )

describe('the line that a muster-ignore is about', () => {
  it('is its own when something stands before it', () => {
    expect(said('a: 1 # muster-ignore: x why\n')).toEqual(['1 [x] why'])
    expect(said('a: { b: 1, # muster-ignore: x why\n  c: 2 }\n')).toEqual(['1 [x] why'])
    expect(said('a:\n  - 1 # muster-ignore: x why')).toEqual(['2 [x] why'])
    expect(said('a: | # muster-ignore: x why\n  text\n')).toEqual(['1 [x] why'])
    expect(said('a: "b" # muster-ignore: x why\n')).toEqual(['1 [x] why'])
  })

  it('is the next one that is neither comment nor blank when it stands alone', () => {
    expect(said('# muster-ignore: x why\na: 1\n')).toEqual(['2 [x] why'])
    expect(said('a:\n  # muster-ignore: x why\n  # more\n\n  b: 1\n')).toEqual(['5 [x] why'])
    expect(said('# muster-ignore: x one\n# muster-ignore: y two\na: 1\n')).toEqual(['3 [x] one', '3 [y] two'])
    expect(said('a: { b: 1,\n  # muster-ignore: x why\n  c: 2 }\n')).toEqual(['3 [x] why'])
    expect(said('a: 1\n# muster-ignore: x why\n# end\n')).toEqual(['none [x] why'])
  })

  it('is the same with other line ends and a byte order mark', () => {
    expect(said('\ufeff# muster-ignore: x why\r\n\r\na: 1 # muster-ignore: y too\r\n')).toEqual([
      '3 [x] why',
      '3 [y] too',
    ])
  })

  it('knows where each code stands', () => {
    const [ignore] = ignoresOf('a: 1 # muster-ignore: x, yy why\n')
    const at = { file: 'muster.yaml', line: 1, endLine: 1 }
    expect(ignore?.span).toEqual({ ...at, column: 6, endColumn: 32 })
    expect(ignore?.codes.map(({ span }) => span)).toEqual([
      { ...at, column: 23, endColumn: 24 },
      { ...at, column: 26, endColumn: 28 },
    ])
  })
})

describe('what is no muster-ignore', () => {
  it.each([
    ['in double quotes', 'a: "b\n # muster-ignore: x why"\n'],
    ['in single quotes', "a: 'b # muster-ignore: x why'\n"],
    ['in a block', 'a: |\n  # muster-ignore: x why\n  b # muster-ignore: x why\n'],
    ['in a folded block', 'a: >-\n  # muster-ignore: x why\n'],
    ['after a sign that is not a space', 'a: b# muster-ignore: x why\n'],
    ['in the middle of a comment', 'a: 1 # see muster-ignore: x why\n'],
    ['as part of a word', 'a: 1 # muster-ignored: x why\n'],
    ['with capital letters', 'a: 1 # Muster-Ignore: x why\n'],
  ])('%s', (_place, text) => {
    expect(said(text)).toEqual([])
  })

  it('in a text that is not YAML', () => {
    expect(said('a: 1 # muster-ignore: x why\n')).toHaveLength(1)
    expect(said('a: 1 # muster-ignore: x why\n}{\n')).toEqual([])
    expect(said('a: 1 # muster-ignore: x why\n\0')).toEqual([])
    expect(said('# muster-ignore: x why\n- a\n')).toEqual([])
  })
})

describe('codes and reason', () => {
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
  ])('of %s', (comment, expected) => {
    expect(said(`a: 1 ${comment}\n`)).toEqual([`1 ${expected}`])
  })
})
