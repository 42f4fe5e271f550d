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

it('findings of one place begin with those that explain the others', () => {
  const host = 'db1'
  const place = at('z', 9, 5)
  const findings = [
    diagnose('certificate-missing', { host }, place),
    diagnose('drift-changes', { host, changes: ['start manager'] }, place),
    diagnose('drift-check', { host, check: 'ports', reason: 'a port is in use', fix: 'Free it.' }, place),
    diagnose('user-missing', { host, user: 'dev' }, place),
  ]
  expect(sortFindings(findings, ['z']).map(({ code }) => code)).toEqual([
    'drift-check',
    'drift-changes',
    'certificate-missing',
    'user-missing',
  ])
})
