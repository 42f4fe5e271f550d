import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { CommandContext } from '../../src/cli/context.ts'
import { muster } from '../../src/commands/muster.ts'
import { commandContext } from '../config/commandContext.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'

const sentinel = `Zq7'"\\$#%:@ éXw9`
const yaml = `cluster: alpha
defaults:
  rest-api-admin-user: admin
  rest-api-admin-pass: '${sentinel.replaceAll("'", "''")}'
services:
  alpha:
    topology: clustered
    master: db1
    members: [db1, db2, db3]
hosts:
  db1: { address: 10.0.0.11, options: { manager-rest-api-port: 18090 } }
  db2: { address: 10.0.0.12, options: { log-level: debug } }
  db3: {}
`

async function run(
  argv: readonly string[],
  given: Partial<CommandContext> & { typed?: string; text?: string } = {},
) {
  const { text = yaml, ...rest } = given
  const cwd = rest.cwd ?? temporaryFolder()
  if (rest.cwd === undefined) writeFileSync(join(cwd, 'muster.yaml'), text)
  const { context, out, err } = commandContext({ ...rest, cwd })
  const code = await muster({ argv: ['export', ...argv], context })
  return { code, out: out(), err: err(), cwd }
}

describe('muster export --ini', () => {
  it('writes an INI file, and reports options without a counterpart', async () => {
    const { code, out, err } = await run(['--ini'])
    expect(code).toBe(0)
    expect(out).toContain(`\n[defaults]\nrest-api-admin-user=admin\nrest-api-admin-pass=${sentinel}\n`)
    expect(out).toContain('\n[alpha]\ntopology=clustered\nmaster=db1\nmembers=db1,db2,db3\n')
    expect(out).toContain('\n[defaults@db1]\nmanager-rest-api-port=18090\n')
    expect(out).toContain('\n[defaults@db2]\n# muster: hosts.db2.options.log-level = debug\n')
    expect(out).toContain('\n# muster: hosts.db1.address = 10.0.0.11\n')
    expect(err).toContain('muster.yaml:11:10 note no-ini-counterpart\n')
    expect(err).toContain('The address of a host cannot be written as an INI option (2 places).')
    expect(err).toContain('note: The output contains secrets in plain text.')
    expect(err).not.toMatch(/Zq7|#%:@/)
  })

  it('can be piped into import', async () => {
    const { out } = await run(['--ini'])
    const { context, out: printed } = commandContext({ typed: out })
    expect(await muster({ argv: ['import', '-'], context })).toBe(0)
    const again = await run(['--ini'], { text: printed() })
    expect(again.code).toBe(0)
    expect(again.out).toBe(out)
  })

  it('writes the file of one host with its own options', async () => {
    const { code, out, err } = await run(['--ini', '--host', 'db1'])
    expect(code).toBe(0)
    expect(out).toContain(`rest-api-admin-pass=${sentinel}\nmanager-rest-api-port=18090\n`)
    expect(out).not.toMatch(/^\[.*@/m)
    expect(out).not.toContain('log-level')
    expect(err).toContain('note: A file for db1 does not contain the host options of db2.\n')
    const wrong = await run(['--ini', '--host', 'db11'])
    expect(wrong).toMatchObject({ code: 3, out: '' })
    expect(wrong.err).toBe('error: There is no host db11 in the configuration.\n  fix: Did you mean db1?\n')
    expect((await run(['--ini', '--host', 'x'])).err).toContain('Name one of db1, db2 and db3.')
  })

  it('applies --set to every host', async () => {
    const { out } = await run(['--ini', '--set', 'manager-rest-api-port=28090', '--set', 'log-level=warn'])
    expect(out).toContain('manager-rest-api-port=28090\n# muster: defaults.log-level = warn\n')
    expect(out).not.toContain('18090')
    expect(out).not.toContain('debug')
    const typed = await run(['--ini', '--set', 'rest-api-admin-pass=-'], { typed: 'x8Jw-Rt2q_Lm0\n' })
    expect(typed.out).toContain('\nrest-api-admin-pass=x8Jw-Rt2q_Lm0\n')
  })

  it('writes a file that only the owner can read, and overwrites none', async () => {
    const { code, out, cwd } = await run(['--ini', '--out', 'tungsten.ini'])
    expect({ code, out }).toEqual({ code: 0, out: 'Wrote tungsten.ini, readable only by you.\n' })
    expect(statSync(join(cwd, 'tungsten.ini')).mode & 0o777).toBe(0o600)
    expect(readFileSync(join(cwd, 'tungsten.ini'), 'utf8')).toContain(sentinel)
    const again = await run(['--ini', '--out', 'tungsten.ini'], { cwd })
    expect(again).toMatchObject({ code: 3, out: '' })
    expect(again.err).toContain('tungsten.ini already exists')
    expect((await run(['--ini', '--out', 'tungsten.ini', '--force'], { cwd })).code).toBe(0)
  })

  it('rewrites relative paths so that they name the same file', async () => {
    const text = yaml.replace(/rest-api-admin-pass: .*/, 'rest-api-admin-pass: !file secrets/pw')
    const beside = await run(['--ini', '--out', 'a.ini'], { text })
    expect(readFileSync(join(beside.cwd, 'a.ini'), 'utf8')).toContain('= !file secrets/pw\n')
    mkdirSync(join(beside.cwd, 'deep'))
    await run(['--ini', '--out', 'deep/a.ini'], { cwd: beside.cwd })
    expect(readFileSync(join(beside.cwd, 'deep/a.ini'), 'utf8')).toContain(
      `= !file ${beside.cwd}/secrets/pw\n`,
    )
  })

  it('shows no secret on a terminal', async () => {
    const printed = { text: '' }
    const stdout = { write: (text: string) => (printed.text += text), isTTY: true, columns: 80 }
    const { code, err } = await run(['--ini'], { stdout })
    expect(code).toBe(0)
    expect(printed.text).toContain('\nrest-api-admin-pass=[redacted]\n')
    expect(printed.text + err).not.toMatch(/Zq7|#%:@/)
  })

  it('writes nothing for a configuration with errors', async () => {
    const { code, out, err } = await run(['--ini'], { text: yaml.replace('[db1, db2, db3]', '[db2, db3]') })
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toContain('error master-not-member')
    expect((await run(['--ini', 'none.yaml'])).code).toBe(3)
  })

  it('requires the format', async () => {
    const { code, out, err } = await run([])
    expect({ code, out }).toEqual({ code: 3, out: '' })
    expect(err).toBe(
      'error: The export format is missing.\n  fix: Use muster export --ini: INI is the only format so far.\n',
    )
  })
})
