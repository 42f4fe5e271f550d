import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../../src/config/load.ts'
import { accountStatements } from '../../../src/config/reference/accountStatements.ts'
import { options } from '../../../src/config/settings/options.ts'
import type { Setting } from '../../../src/config/settings/setting.ts'
import { ssh } from '../../../src/config/settings/ssh.ts'
import { hostEntries } from '../../../src/diagnostics/entries/hosts.ts'
import { shapeEntries } from '../../../src/diagnostics/entries/shape.ts'
import { yamlEntries } from '../../../src/diagnostics/entries/yaml.ts'
import { explainJson } from '../../../src/output/explain/explainJson.ts'
import { layoutFor } from '../../../src/output/explain/layout.ts'
import { settingExample } from '../../../src/output/explain/settingFacts.ts'
import { settingMarkdown } from '../../../src/output/explain/settingMarkdown.ts'
import { settingGroups } from '../../../src/output/explain/settings.ts'
import { settingText } from '../../../src/output/explain/settingText.ts'

const plain = layoutFor({ width: 60, colour: false })
const all = settingGroups.flatMap(({ settings }) => settings)
const named = all.map((setting): [string, Setting<unknown>] => [
  `${setting.name} of ${setting.scope}`,
  setting,
])

describe('the page of a setting', () => {
  it('has all that is known of it', () => {
    expect(settingText(options.adminPass, plain)).toBe(`rest-api-admin-pass
Password of the administrator. Without it the one in the
state directory is used; if no host has that user yet, one
is generated, kept there and shown once.

  Place     \`defaults\`, or the \`options\` of a service or a
            host
  Wants     a text, or where to read it: !env NAME, !file
            PATH or !exec [program, argument]
  Default   none
  Also      \`rest-api-admin-password\`
  Secret    yes; no output ever shows it
  Since     0.1.0

    defaults:
      rest-api-admin-pass: !env ADMIN_PASS
`)
    expect(settingText(options.drainTimeout, plain)).toContain('\n  Default   `30s`\n')
    expect(settingText(options.allowedHosts, plain)).toContain('\n  Default   `[]`\n')
    expect(settingText(options.api.manager.port, plain)).toContain(
      '\n  Only for  hosts that run the manager\n',
    )
  })

  it.each(named)('%s fits 60 columns', (_, setting) => {
    const widest = Math.max(
      ...settingText(setting, plain)
        .split('\n')
        .map((line) => line.length),
    )
    // The fingerprint of a key and a statement of SQL have the length that they have.
    const whole = accountStatements(setting).length > 0 ? 130 : 60
    expect(widest).toBeLessThanOrEqual(setting === ssh.hostKey ? 66 : whole)
  })

  it.each(named)('%s: its example is read as it stands', (_, setting) => {
    const { diagnostics } = loadConfig({
      files: [{ name: 'muster.yaml', directory: '/srv/muster', text: settingExample(setting) }],
      home: '/home/ops',
    })
    const aboutValues = new Set(Object.keys({ ...yamlEntries, ...shapeEntries, ...hostEntries }))
    const fine = ['missing-key']
    const codes = diagnostics.map(({ code }) => code)
    expect(codes.filter((code) => aboutValues.has(code) && !fine.includes(code))).toEqual([])
    // An example alone is no configuration, so something must be missing.
    expect(codes).toContain('missing-key')
  })
})

describe('the page of a database account', () => {
  const made = (user: string, text: string) =>
    [...text.matchAll(/CREATE USER IF NOT EXISTS '(.*)' IDENTIFIED BY '<(.*)>';/g)].map(
      ([, name, option]) => [name, option, text.includes(`${user}-password`)],
    )

  it.each(['replication', 'monitor'] as const)('has the SQL that makes it: %s-user', (account) => {
    const setting = account === 'monitor' ? options.monitorUser : options.replicationUser
    const name = account === 'monitor' ? "muster_monitor'@'10.0.0.%" : "muster'@'127.0.0.1"
    const twice = [1, 2].map(() => [name, `${account}-password`, true])
    expect(made(account, settingText(setting, plain))).toEqual(twice)
    expect(made(account, settingMarkdown(setting))).toEqual(twice)
    const [told] = JSON.parse(explainJson({ findings: [], settings: [setting] })).settings
    expect(told.statements.map(({ title }: { title: string }) => title)).toEqual(['MariaDB', 'MySQL'])
  })

  it('is the only one with SQL', () => {
    const others = all.filter((setting) => !/^(replication|monitor)-user$/.test(setting.name))
    expect(others.filter((setting) => settingText(setting, plain).includes('GRANT'))).toEqual([])
  })
})

describe('the section of a setting', () => {
  it('has the same facts as a list', () => {
    expect(settingMarkdown(ssh.port)).toBe(`## port

Port of the SSH server. Absent: from your ssh_config, else 22.

- Place: \`ssh\`, of the file or of a host
- Wants: a port number from 1 to 65535
- Default: none
- Since: 0.1.0

\`\`\`yaml
ssh:
  port: 22
\`\`\`
`)
  })
})
