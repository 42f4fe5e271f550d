import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { scrubFiles } from '../../../src/config/scrub/scrubFiles.ts'

const fixture = (name: string): string =>
  readFileSync(new URL(`../../fixtures/config/${name}.yaml`, import.meta.url), 'utf8')

const scrub = (text: string) => {
  const { texts, hasSameFindings } = scrubFiles({
    files: [{ name: 'a.yaml', directory: '/etc/muster', text }],
    home: '/home/ops',
  })
  return { text: texts[0] ?? '', hasSameFindings }
}

describe('scrubbing hooks and webhooks', () => {
  it('keeps names and events, and replaces programs, URLs, templates and headers', () => {
    const { text, hasSameFindings } = scrub(fixture('hooks'))
    expect(hasSameFindings).toBe(true)
    expect(text).not.toMatch(
      /downtime|backup|page\.sh|ntfy|pass|CHAT|token|PAGER|Authorization|authority\.crt/,
    )
    expect(text).toMatch(/before-run: !exec \[name-\d+, name\d+\]/)
    expect(text).toContain('on: [run-failed, drift]')
    expect(text).toContain('timeout: 5m')
  })

  it('shows no secret of a wrong file', () => {
    const { text } = scrub(fixture('hook-mistakes'))
    expect(text).not.toMatch(/sentinel|T0123|B0123|chat\.example/)
  })
})
