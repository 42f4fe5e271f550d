import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { allOptions } from '../../../src/config/settings/options.ts'
import { ssh } from '../../../src/config/settings/ssh.ts'
import { findingGroups, severities } from '../../../src/diagnostics/codes.ts'
import { explanationOf } from '../../../src/diagnostics/explanation.ts'
import {
  findingMarkdown,
  listMarkdown,
  settingMarkdown,
} from '../../../src/output/explain/explainMarkdown.ts'

const codes = findingGroups.flatMap(({ codes: of }) => of)
const example = explanationOf('missing-unit')

describe('the Markdown section of a finding', () => {
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
  it.each(codes)('for %s is the page in docs/findings', (code) => {
    const page = readFileSync(new URL(`../../../docs/findings/${code}.md`, import.meta.url), 'utf8')
    const [, ...blocks] = page.split('\n---\n\n')
    const [, , ...shown] = findingMarkdown(explanationOf(code)).split('\n\n')
    expect(shown.join('\n\n')).toBe(blocks.join('\n---\n\n'))
  })
})

describe('the Markdown section of a setting', () => {
  it('lists the facts of the setting', () => {
    expect(settingMarkdown(ssh.port)).toBe(`## port

Port of the SSH server. If not set: from your ssh_config, else 22.

- Place: \`ssh\`, of the file or of a host
- Value: a port number from 1 to 65535
- Default: none
- Since: 0.1.0

\`\`\`yaml
ssh:
  port: 22
\`\`\`
`)
  })
})

describe('the Markdown list of findings and settings', () => {
  it('has a line for every code and every setting', () => {
    const text = listMarkdown()
    expect(text).toContain('\n- `port-clash` (error): A port used twice on a host\n')
    expect(text).toContain('\n- `log-level`: Log level of the services.\n')
    expect(text.match(/^- `/gm)?.length).toBeGreaterThan(Object.keys(severities).length + allOptions.length)
  })
})
