import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { maskInvisible } from '../../../src/base/printable.ts'
import { diagnosticsGithub } from '../../../src/output/diagnostics/github.ts'
import { sampleReport, unseen } from './sampleReport.ts'

const golden = fileURLToPath(new URL('../../fixtures/output/diagnostics/report.github.txt', import.meta.url))

/** A line as the runner reads it (actions/runner, ActionCommand.cs): command, properties, message. */
function command(line: string): { name: string; properties: Record<string, string>; message: string } {
  const end = line.indexOf('::', 2)
  const [, name = '', rest = ''] = /^::(\w+) (.*)$/.exec(line.slice(0, end)) ?? []
  const value = (text: string): string =>
    [
      ['\r', '%0D'],
      ['\n', '%0A'],
      [':', '%3A'],
      [',', '%2C'],
      ['%', '%25'],
    ].reduce((sofar, [character = '', escaped = '']) => sofar.replaceAll(escaped, character), text)
  const properties = rest.split(',').map((pair) => {
    const at = pair.indexOf('=')
    return [pair.slice(0, at), value(pair.slice(at + 1))] as const
  })
  const message = line
    .slice(end + 2)
    .replaceAll('%0D', '\r')
    .replaceAll('%0A', '\n')
    .replaceAll('%25', '%')
  return { name, properties: Object.fromEntries(properties), message }
}

describe('findings as commands of GitHub Actions', () => {
  it('are one line each', async () => {
    const text = diagnosticsGithub(sampleReport.findings)
    await expect(text).toMatchFileSnapshot(golden)
    expect(text).not.toMatch(unseen)
    expect(text.split('\n')).toHaveLength(sampleReport.findings.length + 1)
  })

  it('are empty without findings', () => {
    expect(diagnosticsGithub([])).toBe('')
  })

  it('have columns only within one line', () => {
    const [one, , several] = diagnosticsGithub(sampleReport.findings).split('\n').map(command)
    expect(one?.properties).toEqual({
      file: 'conf/my cluster.yaml',
      line: '20',
      endLine: '20',
      col: '67',
      endColumn: '71',
      title: 'port-clash',
    })
    expect(Object.keys(several?.properties ?? {})).toEqual(['file', 'line', 'endLine', 'title'])
  })

  it('keep any text unchanged', () => {
    const [first] = sampleReport.findings
    if (first === undefined) throw new Error('the sample is empty')
    const { related: _none, ...finding } = first
    const pieces = fc.oneof(
      fc.constantFrom('%', '%25', '%0A', '%3A', '::', ',', '\r\n', '##[', ']'),
      fc.string({ unit: 'binary', maxLength: 6 }),
    )
    fc.assert(
      fc.property(fc.array(pieces, { minLength: 1, maxLength: 8 }), (parts) => {
        const text = parts.join('')
        const seen = maskInvisible(text)
        const made = diagnosticsGithub([
          {
            ...finding,
            code: text,
            message: text,
            why: 'w',
            fix: 'f',
            span: { ...finding.span, file: text },
          },
        ])
        expect(made.split('\n')).toHaveLength(2)
        const { name, properties, message } = command(made.trimEnd())
        expect({ name, file: properties.file, title: properties.title, message }).toEqual({
          name: 'error',
          file: seen,
          title: seen,
          message: `${seen}\nw\nFix: f`,
        })
      }),
      { numRuns: 500 },
    )
  })
})
