import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { diagnosticsMarkdown } from '../../../src/output/diagnostics/markdown.ts'
import type { Report } from '../../../src/output/diagnostics/portable.ts'
import { sampleReport, unseen } from './sampleReport.ts'

const golden = fileURLToPath(new URL('../../fixtures/output/diagnostics/report.md', import.meta.url))
const hasCmark = spawnSync('cmark-gfm', ['--version']).error === undefined

const [first] = sampleReport.findings

/** A report whose every text is the given one. */
function reportOf(text: string, count = 1): Report {
  if (first === undefined) throw new Error('the sample is empty')
  const named = {
    ...first,
    message: text,
    why: text,
    fix: text,
    code: text,
    span: { ...first.span, file: text },
  }
  return { findings: Array.from({ length: count }, () => named), silenced: [], files: [text], command: text }
}

describe('findings as Markdown', () => {
  it('are folded below their numbers', async () => {
    const text = diagnosticsMarkdown(sampleReport)
    await expect(text).toMatchFileSnapshot(golden)
    expect(text).not.toMatch(unseen)
  })

  it('fit into a comment of GitHub, and what is left out is counted', () => {
    const text = diagnosticsMarkdown(reportOf('`x` '.repeat(2000), 500))
    expect(text.length).toBeLessThanOrEqual(65_536)
    expect(text).toMatch(/\*\*\d+ more findings\*\*/)
  })

  it.skipIf(!hasCmark)('leave text of others as code', () => {
    const hostile = fc.constantFrom(
      '@team',
      '</code><img src=x>',
      '```\n# x',
      '\n\n<b>',
      '[a](b)',
      '<!--',
      '|',
      '`',
      '\\',
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(hostile, fc.string({ unit: 'grapheme' })), { maxLength: 5 }), (parts) => {
        const input = diagnosticsMarkdown(reportOf(parts.join('')))
        const { stdout } = spawnSync('cmark-gfm', ['--unsafe', '-e', 'autolink', '-e', 'table'], {
          input,
          encoding: 'utf8',
        })
        const around = stdout.replace(/<code\b[^>]*>[^<]*<\/code>/g, '')
        expect(around.replaceAll(/<\/?(p|strong|details|summary|pre)>/g, '')).toMatch(/^[\s\w:,.]*$/)
        expect(around).not.toMatch(/team|img/)
      }),
      { numRuns: 40 },
    )
  })
})
