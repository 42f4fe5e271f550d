import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { findingGroups } from '../../../src/diagnostics/catalogue.ts'
import { explanationOf } from '../../../src/diagnostics/explanation.ts'
import { findingMarkdown } from '../../../src/output/explain/findingMarkdown.ts'
import { findingText } from '../../../src/output/explain/findingText.ts'
import { layoutFor } from '../../../src/output/explain/layout.ts'

const codes = findingGroups.flatMap(({ codes: of }) => of)
const plain = layoutFor({ width: 60, colour: false })
const example = explanationOf('missing-unit')

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const unpainted = (text: string): string => text.replaceAll(/\u001b\[\d+m/g, '')

describe('the page of a finding', () => {
  it('has severity, title, text, both examples with marks and commands', () => {
    expect(findingText(explanationOf('unknown-option'), plain)).toBe(`unknown-option error
An option that does not exist

Names in \`defaults:\`, in \`options:\` or after \`--set\` must be
options of this version. A misspelt name is an error, not a
warning, because it would be ignored silently: with
\`rest-api-admin-usr\` no API would get its administrator.

Other causes than typing errors: a file for a newer muster,
a key of \`ssh:\` among the options, or an option of the
product family that muster does not have. The value is shown
as [redacted], because it may be a password.

Wrong

    cluster: alpha
    defaults:
  >   log-levl: debug
    services:
      alpha:
        topology: clustered
        master: db1
        members: [db1]
    hosts:
      db1: { address: 10.0.0.11 }

Right

    cluster: alpha
    defaults:
  >   log-level: debug
    services:
      alpha:
        topology: clustered
        master: db1
        members: [db1]
    hosts:
      db1: { address: 10.0.0.11 }

Commands

    # every option; then one of them
    muster explain
    muster explain log-level
`)
  })

  it.each(codes)('%s fits 60 columns, but for commands, which are not broken', (code) => {
    const [page = ''] = findingText(explanationOf(code), plain).split('\nCommands\n')
    expect(Math.max(...page.split('\n').map((line) => [...line].length))).toBeLessThanOrEqual(60)
  })

  it.each(codes)('%s is the same with colour, but for backquotes', (code) => {
    const finding = explanationOf(code)
    const colour = layoutFor({ width: 60, colour: true })
    const painted = findingText(finding, colour)
    expect(painted).toContain('\u001b[1m')
    const [shown = '', commands] = unpainted(painted).split('\nCommands\n')
    const [text = '', same] = findingText(finding, plain).split('\nCommands\n')
    expect(shown).toBe(text.replaceAll('`', ''))
    expect(commands).toBe(same)
  })

  it('breaks no name or command in backquotes', () => {
    const lines = codes.flatMap((code) => findingText(explanationOf(code), plain).split('\n'))
    expect(lines.filter((line) => line.split('`').length % 2 === 0)).toEqual([])
  })

  it('marks a line that is there once too often', () => {
    const page = findingText({ ...example, bad: '[alpha]\na=1\n[alpha]', good: '[alpha]\na=1' }, plain)
    expect(page).toContain('\nWrong\n\n    [alpha]\n    a=1\n  > [alpha]\n')
  })

  it('shows a tab as something that can be seen', () => {
    const page = findingText(explanationOf('tab-indent'), plain)
    expect(page).not.toContain('\t')
    expect(page).toContain('  > →address: 10.0.0.11\n')
  })

  it('does not call wrong what a note is about', () => {
    const page = findingText({ ...example, severity: 'note' }, plain)
    expect(page).toContain('\nWith this note\n')
    expect(page).toContain('\nWithout it\n')
    expect(page).not.toMatch(/^(Wrong|Right)$/m)
  })
})

describe('the section of a finding', () => {
  it('has its code as the heading, and examples that can be copied', () => {
    expect(findingMarkdown(example)).toBe(`## missing-unit

**Error.** A duration without a unit.

A plain \`30\` means seconds in some tools and milliseconds in others, so muster requires a unit. The units are \`ms\`, \`s\` and \`m\`; the number must be whole, so write \`1500ms\` for one and a half seconds.

Wrong:

\`\`\`yaml
cluster: alpha
ssh:
  timeout: 30
services:
  alpha:
    topology: clustered
    master: db1
    members: [db1]
hosts:
  db1: { address: 10.0.0.11 }
\`\`\`

Right:

\`\`\`yaml
cluster: alpha
ssh:
  timeout: 30s
services:
  alpha:
    topology: clustered
    master: db1
    members: [db1]
hosts:
  db1: { address: 10.0.0.11 }
\`\`\`
`)
    expect(findingMarkdown({ ...example, language: 'ini' })).toContain('\n```ini\ncluster: alpha\n')
    expect(findingMarkdown(explanationOf('set-not-assignment'))).toContain('\n```sh\n')
  })

  // So nothing in a page goes unread, and the words above its examples fit the severity.
  it.each(codes)('%s is the whole page in docs/findings', (code) => {
    const page = readFileSync(new URL(`../../../docs/findings/${code}.md`, import.meta.url), 'utf8')
    const [, ...blocks] = page.split('\n---\n\n')
    const [, , ...shown] = findingMarkdown(explanationOf(code)).split('\n\n')
    expect(shown.join('\n\n')).toBe(blocks.join('\n---\n\n'))
  })
})
