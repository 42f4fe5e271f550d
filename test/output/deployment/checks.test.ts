import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { CheckResult, HostChecks } from '../../../src/deployment/preflight/checkHosts.ts'
import { type ChecksOptions, checksJson, checksText } from '../../../src/output/deployment/checks.ts'

const disk: CheckResult = {
  check: 'disk',
  result: 'failure',
  reason: '/opt/muster has 12 MiB free, and 300 MiB are needed',
  fix: 'Make room there, or choose another install-directory.',
}
const services: CheckResult = {
  check: 'services',
  result: 'warning',
  reason: 'it has no systemd, so the components would run as processes that nothing starts after a reboot',
  fix: 'Run `muster start` after a reboot, and say with `service-manager: process` that it is meant so.',
}
const refused: CheckResult = {
  check: 'login',
  result: 'failure',
  reason: 'db3 refused the connection to 10.0.0.13 port 22',
  fix: 'Is sshd running there, and on this port?\nSet port under ssh otherwise.',
}
const fine: CheckResult = { check: 'system', result: 'ok', reason: 'Debian GNU/Linux 12 (bookworm)' }

const host = (name: string, ...results: readonly CheckResult[]): HostChecks => ({
  host: name,
  address: '10.0.0.1',
  state: 'checked',
  results,
})
const three: readonly HostChecks[] = [
  host('db1', fine, services, disk),
  host('db2', fine, services),
  { ...host('db3', refused), state: 'unreachable' },
]
const text = (options: Partial<ChecksOptions>): string =>
  checksText({ cluster: 'alpha', hosts: three, colour: false, width: 80, ...options })

describe('the check results of three hosts', () => {
  it('fit into 80 columns, with failures first and equal findings of several hosts once', () => {
    expect(text({})).toBe(`HOST         RESULT   CHECK     PROBLEM AND FIX
db1          failure  disk      /opt/muster has 12 MiB free, and 300 MiB are
                                needed
                                fix: Make room there, or choose another
                                install-directory.
db1 and db2  warning  services  it has no systemd, so the components would run
                                as processes that nothing starts after a reboot
                                fix: Run \`muster start\` after a reboot, and say
                                with \`service-manager: process\` that it is meant
                                so.
db3          failure  login     db3 refused the connection to 10.0.0.13 port 22
                                fix: Is sshd running there, and on this port?
                                Set port under ssh otherwise.

alpha: 6 checks on 3 hosts: 2 ok, 2 warnings and 2 failures. 1 host unreachable.
`)
  })

  it('have one line for hosts that differ only by name and address', () => {
    const silent = (name: string, address: string): HostChecks => ({
      ...host(name, { ...refused, reason: `${name} refused the connection to ${address} port 22` }),
      address,
      state: 'unreachable',
    })
    const hosts = [silent('db1', '10.0.0.1'), silent('db10', '10.0.0.10'), silent('db2', '10.0.0.11')]
    expect(text({ hosts, width: 110 })).toMatch(
      /^HOST .*\nall 3 hosts {2}failure {2}login {2}db1 refused the connection to 10\.0\.0\.1 port 22; the same on the others, each with\n {29}its own name and address\n {29}fix: /,
    )
  })

  it('need fewer lines on a wide terminal', () => {
    expect(text({ width: 110 }).split('\n').slice(0, 5)).toEqual([
      'HOST         RESULT   CHECK     PROBLEM AND FIX',
      'db1          failure  disk      /opt/muster has 12 MiB free, and 300 MiB are needed',
      '                                fix: Make room there, or choose another install-directory.',
      'db1 and db2  warning  services  it has no systemd, so the components would run as processes that nothing',
      '                                starts after a reboot',
    ])
  })

  it('have the same text in colour', () => {
    const colourful = text({ colour: true })
    expect(colourful).toContain('\u001b[31mfailure\u001b[39m  disk')
    expect(colourful).toContain('\u001b[33mwarning\u001b[39m  services')
    const plain = stripVTControlCharacters(colourful)
      .split('\n')
      .map((line) => line.trimEnd())
    expect(plain.join('\n')).toBe(text({}))
  })

  it('have one line if all is ok', () => {
    expect(text({ hosts: [host('db1', fine)] })).toBe('alpha: 1 check on 1 host: 1 ok.\n')
  })

  it('escape control characters of a host', () => {
    const evil = { ...disk, reason: 'a\u001b[2Jb' }
    expect(text({ hosts: [host('db1', evil)] })).toContain('a\\x1b[2Jb')
  })

  it('are complete as JSON', () => {
    const told: unknown = JSON.parse(checksJson({ cluster: 'alpha', hosts: three }))
    expect(told).toEqual({
      cluster: 'alpha',
      hosts: three.map(({ results, ...rest }) => ({ ...rest, checks: results })),
    })
  })
})

describe('the check results of fifty hosts', () => {
  const names = Array.from({ length: 50 }, (_, index) => `database-${index + 1}`)

  it('have few lines if many hosts have the same', () => {
    const hosts = names.map((name, index) => host(name, fine, services, ...(index % 10 === 3 ? [disk] : [])))
    const lines = text({ hosts }).split('\n')
    expect(lines.slice(0, 11)).toEqual([
      'HOST                  RESULT   CHECK     PROBLEM AND FIX',
      'all 50 hosts          warning  services  it has no systemd, so the components',
      '                                         would run as processes that nothing',
      '                                         starts after a reboot',
      '                                         fix: Run `muster start` after a reboot,',
      '                                         and say with `service-manager: process`',
      '                                         that it is meant so.',
      'database-4,           failure  disk      /opt/muster has 12 MiB free, and 300',
      'database-14,                             MiB are needed',
      'database-24 and 2                        fix: Make room there, or choose another',
      'more                                     install-directory.',
    ])
    expect(lines.at(-2)).toBe('alpha: 105 checks on 50 hosts: 50 ok, 50 warnings and 5 failures.')
  })

  it('never exceed the terminal by more than a word', () => {
    const hosts = names.map((name, at) => host(name, { ...disk, reason: `${at} ${disk.reason}` }))
    for (const line of text({ hosts }).split('\n')) expect(line.length).toBeLessThanOrEqual(80)
  })
})
