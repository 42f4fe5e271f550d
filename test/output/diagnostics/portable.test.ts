import { describe, expect, it } from 'vitest'
import type { Diagnostic } from '../../../src/diagnostics/diagnostic.ts'
import { makePortable, portableName } from '../../../src/output/diagnostics/portable.ts'

const cwd = '/home/ops/project'

describe('portableName', () => {
  it.each([
    ['muster.yaml', 'muster.yaml'],
    ['./conf/../muster.yaml', 'muster.yaml'],
    ['conf/muster.yaml', 'conf/muster.yaml'],
    ['/home/ops/project/conf/muster.yaml', 'conf/muster.yaml'],
    ['../project/muster.yaml', 'muster.yaml'],
    ['../muster.yaml', '../muster.yaml'],
    ['..muster/a.yaml', '..muster/a.yaml'],
    ['/home/ops/project-b/muster.yaml', 'muster.yaml'],
    ['/etc/muster/muster.yaml', 'muster.yaml'],
    ['/home/ops/project', '.'],
    ['/', '.'],
    ['standard input', 'standard input'],
    ['--set', '--set'],
  ])('shortens the file name %s', (name, expected) => {
    expect(portableName(name, cwd)).toBe(expected)
  })
})

const finding = (file: string, text: string): Diagnostic => {
  const span = { file, line: 1, column: 1, endLine: 1, endColumn: 2 }
  return {
    code: 'x',
    severity: 'error',
    message: text,
    why: text,
    fix: text,
    span,
    related: [{ message: text, span }],
  }
}

describe('makePortable', () => {
  it('removes absolute paths from all places', () => {
    const file = `${cwd}/a.yaml`
    const text = `There is no file ${file}.`
    const report = makePortable(
      {
        findings: [finding(file, text)],
        silenced: [{ finding: finding(file, text), reason: 'r' }],
        files: [file],
      },
      cwd,
    )
    const shown = finding('a.yaml', 'There is no file a.yaml.')
    expect(report).toEqual({
      findings: [shown],
      silenced: [{ finding: shown, reason: 'r' }],
      files: ['a.yaml'],
    })
  })

  it.each([
    ['/etc/a.yaml', 'See /etc/a.yaml, or /etc/a.yaml/muster.yaml', 'See a.yaml, or a.yaml/muster.yaml'],
    ['/etc/a.yaml', '/etc/a.yaml-old and x/etc/a.yaml stay', '/etc/a.yaml-old and x/etc/a.yaml stay'],
    ['a.yaml', `in ${cwd}/keys/k.p12, not ${cwd}-b/keys`, `in keys/k.p12, not ${cwd}-b/keys`],
    ['/e$&.(c)/a+', 'a /e$&.(c)/a+.', 'a a+.'],
    ['/', 'one / two', 'one / two'],
    ['a.yaml', 'a.yaml wants /opt/muster', 'a.yaml wants /opt/muster'],
  ])('rewrites paths in texts: %s in %j', (file, text, expected) => {
    const report = makePortable({ findings: [finding(file, text)], silenced: [], files: [] }, cwd)
    const [{ message, why, fix, related = [] } = finding('', '')] = report.findings
    expect([message, why, fix, ...related.map((other) => other.message)]).toEqual(new Array(4).fill(expected))
  })

  it('changes nothing if the working directory is the root', () => {
    const report = { findings: [finding('etc/a.yaml', 'a / b')], silenced: [], files: [] }
    expect(makePortable(report, '/')).toEqual(report)
    expect(portableName('/etc/a.yaml', '/')).toBe('etc/a.yaml')
  })
})
