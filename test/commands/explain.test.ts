import { describe, expect, it } from 'vitest'
import { muster } from '../../src/commands/muster.ts'
import { allOptions } from '../../src/config/settings/options.ts'
import { severities } from '../../src/diagnostics/codes.ts'
import { failureCodes } from '../../src/diagnostics/failures.ts'
import { commandContext } from '../config/commandContext.ts'

type Terminal = { readonly columns?: number; readonly isTTY?: boolean; readonly env?: Record<string, string> }

async function run(argv: readonly string[], terminal: Terminal = {}) {
  const { columns, isTTY, env = {} } = terminal
  const printed = { out: '' }
  const { context, err } = commandContext({
    env,
    stdout: {
      write: (text) => {
        printed.out += text
      },
      columns,
      isTTY,
    },
  })
  const code = await muster({ argv: ['explain', ...argv], context })
  return { code, out: printed.out, err: err() }
}

const widest = (text: string): number => Math.max(...text.split('\n').map((line) => line.length))

describe('muster explain', () => {
  it('explains a finding by its code', async () => {
    const { code, out, err } = await run(['port-clash'])
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toMatch(/^port-clash error\nA port used twice on a host\n\n/)
  })

  it('explains a failure of a run by its code', async () => {
    const { code, out, err } = await run(['login-refused'])
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toMatch(/^login-refused failure\nThe host refused the login\.\n\nIt does not accept/)
    expect((await run(['login-refused', '--format', 'markdown'])).out).toMatch(
      /^## login-refused\n\n\*\*Failure\.\*\* The host refused/,
    )
    const { failures } = JSON.parse((await run(['login-refused', '--format', 'json'])).out)
    expect(failures).toMatchObject([{ code: 'login-refused', title: 'The host refused the login.' }])
  })

  it('explains both the finding and the failure of one code', async () => {
    const { out } = await run(['bad-name'])
    expect(out).toMatch(/^bad-name error$/m)
    expect(out).toMatch(/^bad-name failure$/m)
  })

  it('explains a call of the APIs by its path: who serves it, with which login', async () => {
    const { code, out, err } = await run(['metrics'], { columns: 100 })
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toMatch(/^\/metrics call\nReturns the metrics of this process/)
    expect(out.replaceAll('\n', ' ')).toContain(
      'of the manager, connector and replicator, on port 8090, 8096 and 8097',
    )
    expect(out).toContain('any access level: `read` suffices')
    expect(out).toContain(
      "curl --user USER --cacert .muster/CLUSTER/authority.crt 'https://HOST:8090/metrics'",
    )
    expect((await run(['/metrics'], { columns: 100 })).out).toBe(out)
    expect((await run(['health/ready'])).out).toContain('It needs no login; with one it tells more.')
    expect((await run(['connector/onhold'])).out).toContain('access level `operate`')
    const { calls } = JSON.parse((await run(['metrics', '--format', 'json'])).out)
    expect(calls).toMatchObject([
      { path: '/metrics', method: 'GET', components: ['manager', 'connector', 'replicator'] },
    ])
    expect((await run(['metrics', '--format', 'markdown'])).out).toMatch(/^## \/metrics\n\n\*\*Call\.\*\*/)
  })

  it('explains a setting by its name or another spelling', async () => {
    const { code, out } = await run(['rest-api-admin-pass'])
    expect(code).toBe(0)
    expect(out).toMatch(/^rest-api-admin-pass\n/)
    expect((await run(['rest-api-admin-password'])).out).toBe(out)
  })

  it('explains both settings if a name exists at two places', async () => {
    const { out } = await run(['user'])
    expect(out).toContain('User to log in as.')
    expect(out).toContain('System user that runs the services')
    expect(out.match(/^user$/gm)).toHaveLength(2)
  })

  it.each([
    ['hooks', 'before-run'],
    ['hosts', 'address'],
    ['hosts', 'ssh'],
    ['services', 'members'],
    ['ssh', 'identity'],
    ['defaults', 'log-level'],
    ['options', 'log-level'],
  ])('explains the section %s of the file by what stands in it, such as %s', async (section, name) => {
    const { code, out, err } = await run([section], { columns: 100 })
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toMatch(new RegExp(`^${section}\\n[A-Z]`))
    expect(out).toMatch(new RegExp(`^  ${name} +[A-Z]`, 'm'))
    const { settings } = JSON.parse((await run([section, '--format', 'json'])).out)
    expect(settings.length).toBeGreaterThan(0)
    expect((await run([section, '--format', 'markdown'])).out).toContain(`\n- \`${name}\`: `)
  })

  it.each([
    ['prot-clash', 'port-clash'],
    ['log_level', 'log-level'],
    ['MASTER', 'master'],
  ])('suggests a similar name for %s', async (name, meant) => {
    expect(await run([name])).toEqual({
      code: 3,
      out: '',
      err: `error: no finding, failure, setting, section or call is named "${name}"\n  fix: Did you mean ${meant}?\n`,
    })
  })

  it('names the command that lists all names if none is similar', async () => {
    const { code, err } = await run(['\u001b[31mxyzzy'])
    expect(code).toBe(3)
    expect(err).toBe(
      'error: no finding, failure, setting, section or call is named "\\u001b[31mxyzzy"\n  fix: List all of them with: muster explain\n',
    )
  })

  it('does not accept property names of JavaScript objects as findings', async () => {
    for (const name of ['constructor', '__proto__', 'toString']) expect((await run([name])).code).toBe(3)
  })

  it('lists everything without a name', async () => {
    const { code, out } = await run([])
    expect(code).toBe(0)
    for (const name of [
      ...Object.keys(severities),
      ...failureCodes,
      ...allOptions.map((option) => option.name),
    ]) {
      expect(out).toContain(`  ${name} `)
    }
  })

  it('is as wide as the terminal, within limits', async () => {
    expect(widest((await run(['weak-password'], { columns: 60 })).out)).toBeLessThanOrEqual(60)
    expect(widest((await run(['weak-password'], { columns: 10 })).out)).toBeGreaterThan(30)
    expect(widest((await run(['weak-password'], { columns: 400 })).out)).toBeLessThanOrEqual(110)
  })

  it('has colour on a terminal only, and none with NO_COLOR', async () => {
    const painted = '\u001b[1mport-clash\u001b[22m'
    expect((await run(['port-clash'], { isTTY: true })).out).toContain(painted)
    expect((await run(['port-clash'], { isTTY: true, env: { NO_COLOR: '1' } })).out).not.toContain('\u001b')
    expect((await run(['port-clash'])).out).not.toContain('\u001b')
  })
})

describe('muster explain --format', () => {
  it('json prints the texts as data', async () => {
    const { out } = await run(['user', '--format', 'json'], { isTTY: true })
    const { findings, settings } = JSON.parse(out)
    expect(findings).toEqual([])
    expect(settings).toMatchObject([
      { name: 'user', scope: 'ssh', wants: 'a user name to log in with', secret: false },
      { name: 'user', scope: 'options', example: 'defaults:\n  user: muster' },
    ])
    const [finding] = JSON.parse((await run(['missing-unit', '--format', 'json'])).out).findings
    expect(finding).toMatchObject({ code: 'missing-unit', severity: 'error' })
    expect(finding.about).toMatch(/^A plain `30` means seconds in some tools .*one and a half seconds\.$/)
    expect(finding.bad).toContain('timeout: 30\n')
  })

  it('json prints everything without a name, and no secret', async () => {
    const { findings, settings } = JSON.parse((await run(['--format', 'json'])).out)
    expect(findings).toHaveLength(Object.keys(severities).length)
    expect(settings.length).toBeGreaterThan(allOptions.length)
    const timeout = settings.find(({ name }: { name: string }) => name === 'connector-drain-timeout')
    expect(timeout.default).toBe('30s')
  })

  it('markdown prints a section for each', async () => {
    expect((await run(['port-clash', '--format', 'markdown'])).out).toMatch(
      /^## port-clash\n\n\*\*Error\.\*\*/,
    )
    expect((await run(['user', '--format', 'markdown'])).out.match(/^## user$/gm)).toHaveLength(2)
    expect((await run(['--format', 'markdown'])).out).toMatch(/^# Findings\n/)
  })

  it('refuses an unknown format', async () => {
    const { code, err } = await run(['port-clash', '--format', 'html'])
    expect(code).toBe(3)
    expect(err).toContain('Allowed choices are text, markdown, json.')
  })
})
