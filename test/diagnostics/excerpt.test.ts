import { describe, expect, it } from 'vitest'
import type { Span } from '../../src/diagnostics/diagnostic.ts'
import { excerpt } from '../../src/diagnostics/excerpt.ts'

const span = (line: number, column: number, endColumn: number, endLine = line): Span => ({
  file: 'f',
  line,
  column,
  endLine,
  endColumn,
})

const lines = (text: string, at: Span, hidden: readonly Span[] = [], width = 60): string[] => {
  const shown = excerpt({ name: 'f', text, hidden }, { span: at, width })
  return shown === undefined ? [] : [shown.text, shown.caret]
}

describe('the excerpt of a finding', () => {
  it('puts carets under the span', () => {
    expect(lines('one\ntwo: three\n', span(2, 6, 11))).toEqual(['two: three', '     ^^^^^'])
  })

  it('marks the rest of the line if the span continues on the next', () => {
    expect(lines('a: [1,\n 2]', span(1, 4, 4, 2))).toEqual(['a: [1,', '   ^^^'])
  })

  it('redacts a secret after its colon and puts carets under [redacted]', () => {
    const hidden = [span(1, 5, Number.MAX_SAFE_INTEGER)]
    expect(lines('pass: hunter2 # x', span(1, 7, 14), hidden)).toEqual([
      'pass: [redacted]',
      '      ^^^^^^^^^^',
    ])
  })

  it('keeps the caret in place after a redacted value', () => {
    const hidden = [span(1, 6, 13), span(1, 8, 13)]
    expect(lines('{ p: hunter2, prot: 1 }', span(1, 15, 19), hidden)).toEqual([
      '{ p: [redacted], prot: 1 }',
      '                 ^^^^',
    ])
  })

  it('redacts every line of a secret', () => {
    const hidden = [span(1, 3, 5, 3)]
    expect(lines('p: |\n  one\n  two', span(3, 3, 6), hidden)).toEqual(['  [redacted]o', '  ^^^^^^^^^^^'])
  })

  it('cuts a long line around the caret', () => {
    const text = `${'a'.repeat(100)}HERE${'b'.repeat(100)}`
    expect(lines(text, span(1, 101, 105), [], 30)).toEqual([
      `…${'a'.repeat(9)}HERE${'b'.repeat(15)}…`,
      `${' '.repeat(10)}^^^^`,
    ])
  })

  it('counts a character beyond the basic plane as one', () => {
    expect(lines('é😀: x', span(1, 6, 7))).toEqual(['é😀: x', '    ^'])
  })

  it('shows tabs as one space and control characters as a dot', () => {
    expect(lines('\ta\x1b[0m: x', span(1, 2, 3))).toEqual([' a·[0m: x', ' ^'])
  })

  it('is absent for an empty line and beyond the text', () => {
    expect(lines('a\n\n', span(2, 1, 2))).toEqual([])
    expect(lines('a', span(9, 1, 2))).toEqual([])
  })
})
