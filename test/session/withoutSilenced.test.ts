import { describe, expect, it } from 'vitest'
import type { Diagnostic } from '../../src/diagnostics/diagnostic.ts'
import { withoutSilenced } from '../../src/session/withoutSilenced.ts'
import { loadText } from '../config/loadText.ts'

const text = `# muster-ignore: secret-not-resolved the pipeline has no secrets
a: 1 # muster-ignore: unused-host spare
`
const codes = (
  options: Omit<Parameters<typeof withoutSilenced>[1], 'findings'> & { readonly combined?: boolean },
): string[] => {
  const { combined = false, ...rest } = options
  const { findings } = withoutSilenced({ ...loadText(text), combined }, { findings: [], ...rest })
  return findings.map(({ span, code }) => `${span.line} ${span.column} ${code}`)
}

describe('unused ignore comments', () => {
  it('are reported for findings that need only the files', () => {
    expect(codes({})).toEqual(['2 23 ignore-unused'])
  })

  it('are reported for other findings that were checked', () => {
    expect(codes({ checked: ['keystore-'] })).toEqual(['2 23 ignore-unused'])
    expect(codes({ checked: ['secret-'] })).toEqual(['1 18 ignore-unused', '2 23 ignore-unused'])
  })

  it('are not reported if several files are merged: one may be needed without the others', () => {
    expect(codes({ checked: ['secret-'], combined: true })).toEqual([])
  })
})

describe('too many findings', () => {
  it('are counted without the silenced ones', () => {
    const loaded = { ...loadText('# muster-ignore: unused-host why\na: 1\n'), combined: true }
    const finding = (line: number): Diagnostic => ({
      code: 'unused-host',
      severity: 'warning',
      message: 'm',
      why: 'w',
      fix: 'f',
      span: { file: 'muster.yaml', line, column: 1, endLine: line, endColumn: 2 },
    })
    const thousand = Array.from({ length: 1000 }, (_, index) => finding(index + 3))
    const exact = withoutSilenced(loaded, { findings: [finding(2), ...thousand] })
    expect(exact.findings).toEqual(thousand)
    expect(exact.silenced).toHaveLength(1)
    const { findings } = withoutSilenced(loaded, { findings: [...thousand, finding(1010)] })
    expect(findings.at(-1)?.code).toBe('too-many-findings')
  })
})

describe('the order of findings', () => {
  it('is unreadable files first, then by file and position', () => {
    const at = (file: string, line: number): Diagnostic => ({
      code: 'x',
      severity: 'warning',
      message: `${file}${line}`,
      why: 'w',
      fix: 'f',
      span: { file, line, column: 1, endLine: line, endColumn: 2 },
    })
    const loaded = {
      ignores: [],
      combined: true,
      sources: ['b', 'a'].map((name) => ({ name, text: '', hidden: [] })),
    }
    const found = [at('a', 2), at('b', 7), at('b', 3), at('gone', 1), at('a', 1)]
    const { findings } = withoutSilenced(loaded, { findings: found })
    expect(findings.map(({ message }) => message)).toEqual(['gone1', 'b3', 'b7', 'a1', 'a2'])
  })
})
