import { describe, expect, it } from 'vitest'
import { finding } from '../../src/diagnostics/finding.ts'
import { limitFindings, maxFindings } from '../../src/diagnostics/limitFindings.ts'

const unusedHost = finding('unused-host', (host: string) => ({ message: host, why: '', fix: '' }))

const findings = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    unusedHost(`db${index}`, {
      span: { file: 'muster.yaml', line: index + 1, column: 1, endLine: index + 1, endColumn: 2 },
    }),
  )

describe('the list of findings', () => {
  it('has at most a thousand findings', () => {
    const whole = findings(maxFindings)
    expect(limitFindings(whole)).toBe(whole)
  })

  it('ends with an error that counts the others', () => {
    const short = limitFindings(findings(maxFindings + 7))
    expect(short).toHaveLength(maxFindings + 1)
    expect(short.at(-1)).toMatchObject({ code: 'too-many-findings', severity: 'error', span: { line: 1001 } })
    expect(short.at(-1)?.message).toContain('7 more findings')
  })
})
