import { describe, expect, it } from 'vitest'
import { applyIgnores, type Silenced } from '../../../src/config/document/applyIgnores.ts'
import type { Code } from '../../../src/diagnostics/codes.ts'
import type { Diagnostic, Severity } from '../../../src/diagnostics/diagnostic.ts'
import { loadText } from '../loadText.ts'

const finding = (line: number, code: Code, severity: Severity, file = 'muster.yaml'): Diagnostic => ({
  code,
  severity,
  message: 'm',
  why: 'w',
  fix: 'f',
  span: { file, line, column: 1, endLine: line, endColumn: 2 },
})

type Given = {
  readonly text: string
  readonly findings?: readonly Diagnostic[]
  readonly isChecked?: (code: string) => boolean
}

function applied({ text, findings = [], isChecked = () => true }: Given) {
  const { ignores } = loadText(text)
  const result = applyIgnores({ findings, ignores, files: ['muster.yaml'], isChecked })
  const silenced = (one: Silenced): string => `${one.finding.span.line} ${one.finding.code}: ${one.reason}`
  return {
    rest: result.findings.map(({ span, code, severity }) => `${span.line} ${severity} ${code}`),
    silenced: result.silenced.map(silenced),
  }
}

const comment = 'a: 1 # muster-ignore: unused-host why\n'

describe('a muster-ignore comment', () => {
  it('silences warnings and notes with its code, on its line, in its file', () => {
    const findings = [
      finding(1, 'unused-host', 'warning'),
      finding(1, 'unused-host', 'warning', 'other.yaml'),
      finding(1, 'even-managers', 'warning'),
      finding(2, 'unused-host', 'warning'),
    ]
    expect(applied({ text: comment, findings })).toEqual({
      rest: ['1 warning even-managers', '2 warning unused-host', '1 warning unused-host'],
      silenced: ['1 unused-host: why'],
    })
    const text = 'a: 1 # muster-ignore: secret-not-resolved why\n'
    expect(applied({ text, findings: [finding(1, 'secret-not-resolved', 'note')] })).toEqual({
      rest: [],
      silenced: ['1 secret-not-resolved: why'],
    })
  })

  it('silences several findings, by several codes and together with other comments', () => {
    const findings = [
      finding(2, 'unused-host', 'warning'),
      { ...finding(2, 'unused-host', 'warning'), message: 'another host' },
      finding(2, 'unused-host', 'warning'),
      finding(2, 'even-managers', 'warning'),
      finding(2, 'weak-password', 'warning'),
    ]
    const text = '# muster-ignore: unused-host, even-managers one\na: 1 # muster-ignore: weak-password two\n'
    expect(applied({ text, findings })).toEqual({
      rest: [],
      silenced: ['2 even-managers: one', '2 unused-host: one', '2 unused-host: one', '2 weak-password: two'],
    })
  })

  it('never silences an error, even if its page says warning', () => {
    const findings = [finding(1, 'unused-host', 'error')]
    expect(applied({ text: comment, findings })).toEqual({ rest: ['1 error unused-host'], silenced: [] })
    const text = 'a: 1 # muster-ignore: port-clash why\n'
    expect(applied({ text, findings: [finding(1, 'port-clash', 'error')] })).toEqual({
      rest: ['1 error port-clash', '1 warning ignore-error'],
      silenced: [],
    })
  })

  it('silences nothing without a reason', () => {
    const findings = [finding(1, 'unused-host', 'warning')]
    expect(applied({ text: 'a: 1 # muster-ignore: unused-host\n', findings })).toEqual({
      rest: ['1 warning unused-host', '1 warning ignore-without-reason'],
      silenced: [],
    })
    const twice = '# muster-ignore: unused-host why\na: 1 # muster-ignore: unused-host\n'
    expect(applied({ text: twice, findings: [finding(2, 'unused-host', 'warning')] })).toEqual({
      rest: ['2 warning ignore-without-reason'],
      silenced: ['2 unused-host: why'],
    })
  })

  it('does not silence findings about comments', () => {
    const text = 'a: 1 # muster-ignore: nothing-known, ignore-unknown-code why\n'
    expect(applied({ text }).rest).toEqual(['1 warning ignore-unknown-code', '1 warning ignore-unused'])
  })
})

describe('a muster-ignore comment without a matching finding', () => {
  it('is reported', () => {
    expect(applied({ text: comment }).rest).toEqual(['1 warning ignore-unused'])
  })

  it('is not reported if the command does not check for its code', () => {
    expect(applied({ text: comment, isChecked: (code) => code !== 'unused-host' }).rest).toEqual([])
  })

  it('is not reported together with an error, which may prevent other checks', () => {
    expect(applied({ text: comment, findings: [finding(9, 'port-clash', 'error')] }).rest).toEqual([
      '9 error port-clash',
    ])
  })
})

describe('an unknown code in a muster-ignore comment', () => {
  const messageOf = (code: string): string => {
    const { ignores } = loadText(`a: 1 # muster-ignore: ${code} why\n`)
    const result = applyIgnores({ findings: [], ignores, files: [], isChecked: () => true })
    return result.findings.map(({ message, fix }) => `${message} ${fix}`).join()
  }

  it('is reported with the nearest code', () => {
    expect(messageOf('unused_hosts')).toBe(
      'unused_hosts is not the code of a finding. Did you mean unused-host?',
    )
  })

  it('is not quoted if it does not look like a code', () => {
    expect(messageOf('Zq7#%:@')).toMatch(/^This is not the code of a finding\. Copy/)
    expect(messageOf('constructor')).toMatch(/^constructor is not the code/)
    expect(messageOf('x'.repeat(61))).toMatch(/^This is not the code of a finding\./)
  })
})
