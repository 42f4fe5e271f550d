import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../../src/config/load.ts'
import { accountStatements } from '../../../src/config/reference/accountStatements.ts'
import { allOptions, options } from '../../../src/config/settings/options.ts'
import type { Setting } from '../../../src/config/settings/setting.ts'
import { ssh } from '../../../src/config/settings/ssh.ts'
import { codesOf, findingGroups, severities } from '../../../src/diagnostics/codes.ts'
import { explanationOf } from '../../../src/diagnostics/explanation.ts'
import { failureCodes } from '../../../src/diagnostics/failures.ts'
import { explainJson } from '../../../src/output/explain/explainJson.ts'
import { settingMarkdown } from '../../../src/output/explain/explainMarkdown.ts'
import { findingText, listText, settingText } from '../../../src/output/explain/explainText.ts'
import { layoutFor } from '../../../src/output/explain/layout.ts'
import { settingExample } from '../../../src/output/explain/settingFacts.ts'
import { settingGroups } from '../../../src/output/explain/settings.ts'

const codes = findingGroups.flatMap(({ codes: of }) => of)
const plain = layoutFor({ width: 60, colour: false })
const example = explanationOf('missing-unit')

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const unpainted = (text: string): string => text.replaceAll(/\u001b\[\d+m/g, '')

describe('the explain page of a finding', () => {
  it('has severity, title, text, both examples with marks and commands', () => {
    expect(findingText(explanationOf('unknown-option'), plain)).toBe(`unknown-option error
An option that does not exist

Names in \`defaults:\`, in \`options:\` or after \`--set\` must be
options of this version. A misspelt name is an error, not a
warning, because it would be ignored silently: with
\`rest-api-admin-usr\` no API would get its administrator.

If the name is spelled correctly, the file is for a newer
muster, the name belongs to \`ssh:\`, or only the product
family has such an option. The value is shown as [redacted],
because it may be a password.

The name is shown, too, unless it may be part of a password:
without quotes, a comma ends the value of an option in
braces, and what follows looks like the next name. With
\`{ rest-api-admin-pass: k9, x: 7f }\` the password is \`k9\`,
and \`x\` is reported by its line and column. Put the password
in single quotes, or use a reference such as
\`!env ADMIN_PASS\`.

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

  it.each(codes)('for %s fits into 60 columns, except commands, which are not wrapped', (code) => {
    const [page = ''] = findingText(explanationOf(code), plain).split('\nCommands\n')
    expect(Math.max(...page.split('\n').map((line) => [...line].length))).toBeLessThanOrEqual(60)
  })

  it.each(codes)('for %s has the same text in colour, except backquotes', (code) => {
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

  it('marks a duplicate line', () => {
    const page = findingText({ ...example, bad: '[alpha]\na=1\n[alpha]', good: '[alpha]\na=1' }, plain)
    expect(page).toContain('\nWrong\n\n    [alpha]\n    a=1\n  > [alpha]\n')
  })

  it('shows a tab as a visible character', () => {
    const page = findingText(explanationOf('tab-indent'), plain)
    expect(page).not.toContain('\t')
    expect(page).toContain('  > →address: 10.0.0.11\n')
  })

  it('has other titles for the examples of a note', () => {
    const page = findingText({ ...example, severity: 'note' }, plain)
    expect(page).toContain('\nWith this note\n')
    expect(page).toContain('\nWithout it\n')
    expect(page).not.toMatch(/^(Wrong|Right)$/m)
  })
})

const all = settingGroups.flatMap(({ settings }) => settings)
const named = all.map((setting): [string, Setting<unknown>] => [
  `${setting.name} of ${setting.scope}`,
  setting,
])

describe('the explain page of a setting', () => {
  it('has all facts of the setting', () => {
    expect(settingText(options.adminPass, plain)).toBe(`rest-api-admin-pass
Password of the administrator. If not set, muster uses the
password in the state directory. If no host has the user
yet, muster generates a password, keeps it there and shows
it once.

  Place     \`defaults\`, or the \`options\` of a service or a
            host
  Value     text, or its source: !env NAME, !file PATH or
            !exec [program, argument]
  Default   none
  Also      \`rest-api-admin-password\`
  Secret    yes; no output ever shows it
  Since     0.1.0

    defaults:
      rest-api-admin-pass: !env ADMIN_PASS
`)
    expect(settingText(options.proxy.drainTimeout, plain)).toContain('\n  Default   `30s`\n')
    expect(settingText(options.allowedHosts, plain)).toContain('\n  Default   `[]`\n')
    expect(settingText(options.api.manager.port, plain)).toContain(
      '\n  Only for  hosts that run the manager\n',
    )
  })

  it.each(named)('for %s fits into 60 columns', (_, setting) => {
    const widest = Math.max(
      ...settingText(setting, plain)
        .split('\n')
        .map((line) => line.length),
    )
    // The fingerprint of a key and a statement of SQL have the length that they have.
    const whole = accountStatements(setting).length > 0 ? 130 : 60
    expect(widest).toBeLessThanOrEqual(setting === ssh.hostKey ? 66 : whole)
  })

  it.each(named)('for %s has an example that validates', (_, setting) => {
    const { diagnostics } = loadConfig({
      files: [{ name: 'muster.yaml', directory: '/srv/muster', text: settingExample(setting) }],
      home: '/home/ops',
    })
    const aboutValues = new Set<string>([
      ...codesOf('YAML'),
      ...codesOf('Names and values'),
      ...codesOf('Hosts'),
    ])
    const fine = ['missing-key']
    const codes = diagnostics.map(({ code }) => code)
    expect(codes.filter((code) => aboutValues.has(code) && !fine.includes(code))).toEqual([])
    // An example alone is no configuration, so something must be missing.
    expect(codes).toContain('missing-key')
  })
})

describe('the explain page of a database account', () => {
  const made = (user: string, text: string) =>
    [...text.matchAll(/CREATE USER IF NOT EXISTS '(.*)' IDENTIFIED BY '<(.*)>';/g)].map(
      ([, name, option]) => [name, option, text.includes(`${user}-password`)],
    )

  it.each(['replication', 'monitor'] as const)('has the SQL that creates it: %s-user', (account) => {
    const setting = account === 'monitor' ? options.monitor.user : options.database.user
    const name = account === 'monitor' ? "muster_monitor'@'10.0.0.%" : "muster'@'127.0.0.1"
    const twice = [1, 2].map(() => [name, `${account}-password`, true])
    expect(made(account, settingText(setting, plain))).toEqual(twice)
    expect(made(account, settingMarkdown(setting))).toEqual(twice)
    const [told] = JSON.parse(explainJson({ findings: [], failures: [], settings: [setting] })).settings
    expect(told.statements.map(({ title }: { title: string }) => title)).toEqual(['MariaDB', 'MySQL'])
  })

  it('is the only one with SQL', () => {
    const others = all.filter((setting) => !/^(replication|monitor)-user$/.test(setting.name))
    expect(others.filter((setting) => settingText(setting, plain).includes('GRANT'))).toEqual([])
  })
})

const at = (width: number, colour = false): readonly string[] =>
  listText(layoutFor({ width, colour })).split('\n')

/** The part of a list from one group to the next. */
const groupOf = (lines: readonly string[], title: string): string => {
  const start = lines.indexOf(title)
  return lines.slice(start, lines.indexOf('', start)).join('\n')
}

describe('the explain list of findings, failures and settings', () => {
  it('has every code and every option once in its part, at the start of a line', () => {
    const namesIn = (lines: readonly string[]) => lines.flatMap((line) => /^ {2}(\S+)/.exec(line)?.[1] ?? [])
    const [failures, settings] = ['Failures', 'Settings'].map((title) => at(100).indexOf(title))
    expect(namesIn(at(100).slice(0, failures)).toSorted()).toEqual(Object.keys(severities).toSorted())
    expect(namesIn(at(100).slice(failures, settings))).toEqual(failureCodes)
    const names = namesIn(at(100).slice(settings))
    for (const { name } of allOptions) expect(names).toContain(name)
  })

  it('has columns if there is room', () => {
    expect(groupOf(at(100), 'Ports')).toBe(`Ports
  port-clash          error    A port used twice on a host
  local-port-clash    error    Two local hosts on the same ports
  privileged-port     error    A port below 1024 without the right to open it
  open-without-admin  error    An API open to the network without an administrator`)
    expect(groupOf(at(100), 'Options: Users')).toBe(`Options: Users
  rest-api-admin-user  Administrator of every API, created by install.
  rest-api-admin-pass  Password of the administrator. If not set, muster uses the password in the
                       state directory. If no host has the user yet, muster generates a password,
                       keeps it there and shows it once.
  rest-api-users       Additional users of every API, by name, with their access levels. Each is a
                       password, or a group of \`access\` and \`password\`. \`read\` may read everything,
                       \`operate\` may also change states, \`full\` may do everything, and is the
                       default. For a user without a password, muster uses the one in the state
                       directory. If no host has the user yet, muster generates a password, keeps it
                       there and shows it once. A service or a host that sets this option has only
                       these users.`)
  })

  it('has the text below the name on a narrow terminal', () => {
    expect(groupOf(at(50), 'Ports')).toBe(`Ports
  port-clash  error
      A port used twice on a host
  local-port-clash  error
      Two local hosts on the same ports
  privileged-port  error
      A port below 1024 without the right to open
      it
  open-without-admin  error
      An API open to the network without an
      administrator`)
  })

  it.each([48, 60, 80, 120])('fits into %i columns', (width) => {
    expect(Math.max(...at(width).map((line) => [...line].length))).toBeLessThanOrEqual(width)
  })

  it('has the same text in colour', () => {
    const painted = at(100, true).join('\n')
    expect(painted).toContain('\u001b[33mwarning\u001b[39m')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
    const unpainted = painted.replaceAll(/\u001b\[\d+m/g, '')
    expect(unpainted.replaceAll('`', '')).toBe(at(100).join('\n').replaceAll('`', ''))
  })
})
