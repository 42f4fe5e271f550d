import { expect, it } from 'vitest'
import { diagnose } from '../../src/diagnostics/diagnose.ts'
import { sortFindings } from '../../src/diagnostics/sortFindings.ts'

const at = (file: string, line: number, column: number) => ({
  span: { file, line, column, endLine: line, endColumn: column + 1 },
})

it('findings are sorted by file, line and column, without duplicates', () => {
  const findings = [
    diagnose('duplicate-key', { name: 'a' }, at('b', 1, 1)),
    diagnose('duplicate-key', { name: 'a' }, at('z', 10, 1)),
    diagnose('duplicate-key', { name: 'a' }, at('z', 9, 5)),
    diagnose('duplicate-key', { name: 'a' }, at('z', 9, 5)),
    diagnose('duplicate-key', { name: 'b' }, at('z', 9, 5)),
    diagnose('bad-indent', {}, at('z', 9, 5)),
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
