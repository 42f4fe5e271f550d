import { describe, expect, it } from 'vitest'
import type { Diagnostic } from '../../../src/diagnostics/diagnostic.ts'
import { diagnosticsJson } from '../../../src/output/diagnostics/json.ts'
import { diagnosticsText } from '../../../src/output/diagnostics/text.ts'

const text = 'a: 1\nlog-levl: debug\nlog-levl: info\n'
const sources = [{ name: 'm.yaml', text, hidden: [] }]
const span = (line: number, column: number, endColumn: number) => ({
  file: 'm.yaml',
  line,
  column,
  endLine: line,
  endColumn,
})

const unknown: Diagnostic = {
  code: 'unknown-option',
  severity: 'error',
  message: 'log-levl is not an option.',
  why: 'It would be ignored silently.',
  fix: 'Did you mean log-level?',
  span: span(2, 1, 9),
}
const twice: Diagnostic = {
  code: 'duplicate-key',
  severity: 'error',
  message: 'log-levl is given twice.',
  why: 'Only one of the two can apply, and it is not clear which.',
  fix: 'Remove one of them.',
  span: span(3, 1, 9),
  related: [{ message: 'The first one is here.', span: span(2, 1, 9) }],
}
const warning: Diagnostic = { ...twice, severity: 'warning', code: 'x' }

describe('findings as text', () => {
  it('have place, message, reason and fix, and a count at the end', () => {
    expect(
      diagnosticsText({
        diagnostics: [unknown, twice, warning].slice(0, 2),
        sources,
        colour: false,
        width: 60,
      }),
    ).toBe(
      `m.yaml:2:1 error unknown-option
  log-levl is not an option.
    |
  2 | log-levl: debug
    | ^^^^^^^^
  why: It would be ignored silently.
  fix: Did you mean log-level?

m.yaml:3:1 error duplicate-key
  log-levl is given twice.
    |
  3 | log-levl: info
    | ^^^^^^^^
  why: Only one of the two can apply, and it is not clear
       which.
  fix: Remove one of them.
  see: m.yaml:2:1 The first one is here.

2 errors. More about each: muster explain CODE
`,
    )
  })

  it('count errors and warnings separately', () => {
    const all = diagnosticsText({ diagnostics: [unknown, warning], sources, colour: false, width: 60 })
    expect(all.endsWith('\n\n1 error and 1 warning. More about each: muster explain CODE\n')).toBe(true)
  })

  it('have colours only if requested, and the same text', () => {
    const options = { diagnostics: [unknown, warning], sources, width: 60 }
    const coloured = diagnosticsText({ ...options, colour: true })
    expect(coloured).toContain('\u001b[31m')
    expect(coloured).toContain('\u001b[33m')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
    expect(coloured.replaceAll(/\u001b\[\d+m/g, '')).toBe(diagnosticsText({ ...options, colour: false }))
  })

  it('fit the width', () => {
    const wide = diagnosticsText({ diagnostics: [unknown, twice], sources, colour: false, width: 44 })
    expect(Math.max(...wide.split('\n').map((line) => line.length))).toBeLessThanOrEqual(46)
  })

  it('are empty without findings', () => {
    expect(diagnosticsText({ diagnostics: [], sources, colour: false, width: 60 })).toBe('')
  })
})

describe('findings as JSON', () => {
  it('are one object with flat places', () => {
    expect(JSON.parse(diagnosticsJson([twice]))).toEqual({
      findings: [
        {
          code: 'duplicate-key',
          severity: 'error',
          message: 'log-levl is given twice.',
          why: 'Only one of the two can apply, and it is not clear which.',
          fix: 'Remove one of them.',
          file: 'm.yaml',
          line: 3,
          column: 1,
          endLine: 3,
          endColumn: 9,
          related: [
            {
              message: 'The first one is here.',
              file: 'm.yaml',
              line: 2,
              column: 1,
              endLine: 2,
              endColumn: 9,
            },
          ],
        },
      ],
    })
    expect(diagnosticsJson([])).toBe('{\n  "findings": []\n}\n')
  })

  it('escape characters that change the direction of text', () => {
    const turned = { ...twice, message: '\u202e\u009b' }
    expect(diagnosticsJson([turned])).not.toMatch(/[\u202e\u009b]/)
    expect(JSON.parse(diagnosticsJson([turned])).findings[0].message).toBe('\u202e\u009b')
  })
})
