import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { CommandContext } from '../../src/cli/context.ts'
import { muster } from '../../src/commands/muster.ts'
import { commandContext } from '../config/commandContext.ts'
import { good } from '../config/loadText.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'

type Ran = { readonly code: number; readonly out: string; readonly err: string }

/** Runs `muster config …` in a folder with these files. */
async function config(
  files: Readonly<Record<string, string | Buffer>>,
  argv: readonly string[],
  given: Partial<CommandContext> & { readonly typed?: string } = {},
): Promise<Ran> {
  const cwd = temporaryFolder()
  for (const [name, content] of Object.entries(files)) writeFileSync(join(cwd, name), content)
  const { context, out, err } = commandContext({ cwd, ...given })
  const code = await muster({ argv: ['config', ...argv], context })
  return { code, out: out(), err: err() }
}

const three = good
  .replace('members: [db1]', 'members: [db1, db2, web1]')
  .concat('  db2: { address: 10.0.0.12 }\n  web1: { address: 10.0.0.13 }\n')
const hostsIn = ({ out }: Ran): readonly string[] => Object.keys((parse(out) ?? {}) as object)

describe('muster config', () => {
  it('prints every host of the named files, of MUSTER_FILE or of the default file', async () => {
    expect(hostsIn(await config({ 'muster.yaml': three }, []))).toEqual(['db1', 'db2', 'web1'])
    const env = { MUSTER_FILE: 'a.yaml' }
    expect(hostsIn(await config({ 'a.yaml': good }, [], { env }))).toEqual(['db1'])
    const over = await config({ 'a.yaml': good, 'b.yaml': 'defaults: { log-level: warn }' }, [
      'a.yaml',
      'b.yaml',
      '--origin',
    ])
    expect(over.out).toMatch(/log-level: warn +# b.yaml:1:13 \(defaults\)/)
    expect(over).toMatchObject({ code: 0, err: '' })
  })

  it('applies --set and shows it as the source', async () => {
    const { out } = await config({ 'muster.yaml': good }, ['--origin', '--set', 'log-level=trace'])
    expect(out).toMatch(/log-level: trace +# --set\n/)
  })

  it('prints the hosts of --host, in the order of the file', async () => {
    const files = { 'muster.yaml': three }
    expect(hostsIn(await config(files, ['--host', 'web1', '--host', 'db?']))).toEqual(['db1', 'db2', 'web1'])
    expect(hostsIn(await config(files, ['muster.yaml', '--host', '*2']))).toEqual(['db2'])
  })

  it.each([
    ['db3', 'There is no host db3.', 'Did you mean db1? The files have db1, db2 and web1.'],
    ['x?', 'No host matches x?.', 'The files have db1, db2 and web1.'],
  ])('exits with 3 for --host %s and lists the hosts', async (pattern, message, fix) => {
    const { code, out, err } = await config({ 'muster.yaml': three }, ['--host', 'db1', '--host', pattern])
    expect({ code, out, err }).toEqual({ code: 3, out: '', err: `error: ${message}\n  fix: ${fix}\n` })
  })

  it('prints JSON with origins', async () => {
    const { code, out } = await config({ 'muster.yaml': good }, ['--format', 'json'])
    expect(code).toBe(0)
    expect(JSON.parse(out).hosts.db1.options['rest-api-admin-user']).toEqual({
      value: 'admin',
      origin: { layer: 'defaults', file: 'muster.yaml', line: 3, column: 3 },
    })
  })

  it('prints only the findings of files with errors', async () => {
    const broken = await config({ 'muster.yaml': good.replace('10.0.0.11', '10.0.0.0') }, [])
    expect(broken).toMatchObject({ code: 1, out: '' })
    expect(broken.err).toContain('muster.yaml:11:19 error network-address')
    expect(await config({}, [])).toMatchObject({ code: 3, out: '' })
    expect(await config({ 'muster.yaml': 'a: "' }, [])).toMatchObject({ code: 1, out: '' })
  })

  it('prints warnings to standard error, unless a comment silences them', async () => {
    const unused = (comment: string): string => `${good}  db2: { address: 10.0.0.12 }${comment}\n`
    const warned = await config({ 'muster.yaml': unused('') }, [])
    expect(warned.code).toBe(0)
    expect(warned.err).toContain('warning unused-host')
    expect(hostsIn(warned)).toEqual(['db1', 'db2'])
    expect((await config({ 'muster.yaml': unused(' # muster-ignore: unused-host a spare') }, [])).err).toBe(
      '',
    )
  })

  it('runs no program and reads no file for a secret', async () => {
    const text = good.replace(
      'defaults:',
      'defaults:\n  rest-api-admin-pass: !exec [touch, ran]\n  java-keystore-password: !file nowhere',
    )
    const { code, out, err } = await config({ 'muster.yaml': text }, ['--origin'])
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toContain("rest-api-admin-pass: '[redacted]'")
    expect(out).not.toMatch(/touch|nowhere/)
  })
})

describe('muster config diff', () => {
  const changed = good.replace('defaults:', 'defaults:\n  log-level: warn')
  const files = {
    'a.yaml': good,
    'b.yaml': changed,
    'over.yaml': 'defaults: { log-level: warn }\n',
    'bad.yaml': 'x: 1',
  }

  it('exits with 0 without differences, and with 2 otherwise', async () => {
    expect(await config(files, ['diff', 'a.yaml', 'a.yaml'])).toEqual({
      code: 0,
      out: 'Nothing differs: 1 host compared.\n',
      err: '',
    })
    expect(await config(files, ['diff', 'a.yaml', 'b.yaml'])).toEqual({
      code: 2,
      out: 'db1:\n  log-level: info → warn\n    default → b.yaml:3:3 (defaults)\n',
      err: '',
    })
  })

  it('accepts files that are merged, and standard input', async () => {
    expect((await config(files, ['diff', 'b.yaml', 'a.yaml,over.yaml'])).code).toBe(0)
    expect((await config(files, ['diff', '-', 'b.yaml'], { typed: changed })).code).toBe(0)
    const twice = await config(files, ['diff', '-', 'a.yaml,-'], { typed: good })
    expect(twice).toMatchObject({ code: 3, out: '' })
    expect(twice.err).toContain('read only once')
    expect((await config(files, ['diff', ',', 'a.yaml'])).code).toBe(3)
  })

  it('has its own --host and --format', async () => {
    const json = await config(files, ['diff', 'a.yaml', 'b.yaml', '--format', 'json', '--host', 'db*'])
    expect(json.code).toBe(2)
    expect(JSON.parse(json.out)).toMatchObject({
      same: false,
      hosts: { db1: { options: { 'log-level': {} } } },
    })
    const none = await config(files, ['diff', 'a.yaml', 'b.yaml', '--host', 'db2'])
    expect(none).toMatchObject({
      code: 3,
      out: '',
      err: 'error: There is no host db2.\n  fix: Did you mean db1? The files have db1.\n',
    })
  })

  it('compares nothing if a file has errors or is missing', async () => {
    const bad = await config(files, ['diff', 'a.yaml', 'bad.yaml'])
    expect(bad).toMatchObject({ code: 1, out: '' })
    expect(bad.err).toContain('bad.yaml:1:1 error unknown-key')
    expect(await config(files, ['diff', 'bad.yaml', 'none.yaml'])).toMatchObject({ code: 3, out: '' })
    expect(await config(files, ['diff', 'a.yaml'])).toMatchObject({ code: 3, out: '' })
  })

  it('prints no warnings', async () => {
    const spare = `${good}  db2: { address: 10.0.0.12 }\n`
    expect(await config({ 'a.yaml': spare }, ['diff', 'a.yaml', 'a.yaml'])).toMatchObject({
      code: 0,
      err: '',
    })
  })

  it('lists its exit codes in the help', async () => {
    const { out } = await config({}, ['diff', '--help'])
    expect(out).toContain('2 there are differences')
    expect(out).toContain('base.yaml,staging.yaml')
  })
})
