import { expect, it } from 'vitest'
import type { Code } from '../../src/diagnostics/codes.ts'
import { finding, type Place } from '../../src/diagnostics/finding.ts'
import { sortFindings } from '../../src/diagnostics/sortFindings.ts'

const at = (file: string, line: number, column: number) => ({
  span: { file, line, column, endLine: line, endColumn: column + 1 },
})

const made = (code: Code, message: string, place: Place) =>
  finding(code, () => ({ message, why: '', fix: '' }))({}, place)

it('findings are sorted by file, line and column, without duplicates', () => {
  const findings = [
    made('duplicate-key', 'a', at('b', 1, 1)),
    made('duplicate-key', 'a', at('z', 10, 1)),
    made('duplicate-key', 'a', at('z', 9, 5)),
    made('duplicate-key', 'a', at('z', 9, 5)),
    made('duplicate-key', 'b', at('z', 9, 5)),
    made('bad-indent', '', at('z', 9, 5)),
  ]
  const places = sortFindings(findings, ['z', 'b']).map(
    ({ code, span }) => `${span.file}:${span.line} ${code}`,
  )
  expect(places).toEqual([
    'z:9 bad-indent',
    'z:9 duplicate-key',
    'z:9 duplicate-key',
    'z:10 duplicate-key',
    'b:1 duplicate-key',
  ])
})

it('findings of one place begin with those that explain the others', () => {
  const place = at('z', 9, 5)
  const findings = [
    made('certificate-missing', '', place),
    made('drift-changes', '', place),
    made('drift-check', '', place),
    made('user-missing', '', place),
  ]
  expect(sortFindings(findings, ['z']).map(({ code }) => code)).toEqual([
    'drift-check',
    'drift-changes',
    'certificate-missing',
    'user-missing',
  ])
})
