import { describe, expect, it } from 'vitest'
import { applyIgnores, type Silenced } from '../../../src/config/document/applyIgnores.ts'
import type { Code } from '../../../src/diagnostics/catalogue.ts'
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
  readonly isJudged?: (code: string) => boolean
}

function applied({ text, findings = [], isJudged = () => true }: Given) {
  const { ignores } = loadText(text)
  const result = applyIgnores({ findings, ignores, files: ['muster.yaml'], isChecked: isJudged })
  const silenced = (one: Silenced): string => `${one.finding.span.line} ${one.finding.code}: ${one.reason}`
  return {
    left: result.findings.map(({ span, code, severity }) => `${span.line} ${severity} ${code}`),
    silenced: result.silenced.map(silenced),
  }
}

const comment = 'a: 1 # muster-ignore: unused-host why\n'

describe('findings that a comment silences', () => {
  it('are warnings and notes of its code, on its line, in its file', () => {
    const findings = [
      finding(1, 'unused-host', 'warning'),
      finding(1, 'unused-host', 'warning', 'other.yaml'),
      finding(1, 'even-managers', 'warning'),
      finding(2, 'unused-host', 'warning'),
    ]
    expect(applied({ text: comment, findings })).toEqual({
      left: ['1 warning even-managers', '2 warning unused-host', '1 warning unused-host'],
      silenced: ['1 unused-host: why'],
    })
    const text = 'a: 1 # muster-ignore: secret-not-resolved why\n'
    expect(applied({ text, findings: [finding(1, 'secret-not-resolved', 'note')] })).toEqual({
      left: [],
      silenced: ['1 secret-not-resolved: why'],
    })
  })

  it('may be several, by several codes and several comments', () => {
    const findings = [
      finding(2, 'unused-host', 'warning'),
      { ...finding(2, 'unused-host', 'warning'), message: 'another host' },
      finding(2, 'unused-host', 'warning'),
      finding(2, 'even-managers', 'warning'),
      finding(2, 'weak-password', 'warning'),
    ]
    const text = '# muster-ignore: unused-host, even-managers one\na: 1 # muster-ignore: weak-password two\n'
    expect(applied({ text, findings })).toEqual({
      left: [],
      silenced: ['2 even-managers: one', '2 unused-host: one', '2 unused-host: one', '2 weak-password: two'],
    })
  })

  it('are never errors, whatever the catalogue says of their code', () => {
    const findings = [finding(1, 'unused-host', 'error')]
    expect(applied({ text: comment, findings })).toEqual({ left: ['1 error unused-host'], silenced: [] })
    const text = 'a: 1 # muster-ignore: port-clash why\n'
    expect(applied({ text, findings: [finding(1, 'port-clash', 'error')] })).toEqual({
      left: ['1 error port-clash', '1 warning ignore-error'],
      silenced: [],
    })
  })

  it('stay when there is no reason', () => {
    const findings = [finding(1, 'unused-host', 'warning')]
    expect(applied({ text: 'a: 1 # muster-ignore: unused-host\n', findings })).toEqual({
      left: ['1 warning unused-host', '1 warning ignore-without-reason'],
      silenced: [],
    })
    const twice = '# muster-ignore: unused-host why\na: 1 # muster-ignore: unused-host\n'
    expect(applied({ text: twice, findings: [finding(2, 'unused-host', 'warning')] })).toEqual({
      left: ['2 warning ignore-without-reason'],
      silenced: ['2 unused-host: why'],
    })
  })

  it('are not those about comments', () => {
    const text = 'a: 1 # muster-ignore: nothing-known, ignore-unknown-code why\n'
    expect(applied({ text }).left).toEqual(['1 warning ignore-unknown-code', '1 warning ignore-unused'])
  })
})

describe('a comment that silences nothing', () => {
  it('is told', () => {
    expect(applied({ text: comment }).left).toEqual(['1 warning ignore-unused'])
  })

  it('is not told where the findings of its code were not looked for', () => {
    expect(applied({ text: comment, isJudged: (code) => code !== 'unused-host' }).left).toEqual([])
  })

  it('is not told beside an error, which may keep others from being found', () => {
    expect(applied({ text: comment, findings: [finding(9, 'port-clash', 'error')] }).left).toEqual([
      '9 error port-clash',
    ])
  })
})

describe('a code that is none', () => {
  const messageOf = (code: string): string => {
    const { ignores } = loadText(`a: 1 # muster-ignore: ${code} why\n`)
    const result = applyIgnores({ findings: [], ignores, files: [], isChecked: () => true })
    return result.findings.map(({ message, fix }) => `${message} ${fix}`).join()
  }

  it('is named, with the nearest one', () => {
    expect(messageOf('unused_hosts')).toBe(
      'unused_hosts is not the code of a finding. Did you mean unused-host?',
    )
  })

  it('is not named when it does not look like one', () => {
    expect(messageOf('Zq7#%:@')).toMatch(/^This is not the code of a finding\. Copy/)
    expect(messageOf('constructor')).toMatch(/^constructor is not the code/)
    expect(messageOf('x'.repeat(61))).toMatch(/^This is not the code of a finding\./)
  })
})
