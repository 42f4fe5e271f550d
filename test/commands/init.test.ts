import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { init } from '../../src/commands/init.ts'
import { validate } from '../../src/commands/validate.ts'
import { schemaId, schemaText } from '../../src/config/reference/schema.ts'
import { commandContext } from '../config/commandContext.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'

async function run(cwd: string, file = 'muster.yaml', force = false) {
  const { context, out, err } = commandContext({ cwd })
  return { code: await init({ context, file, force }), out: out(), err: err() }
}

describe('muster init', () => {
  it('writes a file that only the owner can read and that has no findings', async () => {
    const cwd = temporaryFolder()
    const result = await run(cwd)
    expect(result).toMatchObject({ code: 0, err: '' })
    expect(result.out).toBe(
      'Wrote muster.yaml, and muster.schema.json for editors with the YAML language server.\n' +
        'Next:\n' +
        '  1. Put your hosts into it.\n' +
        '  2. muster validate   check the file\n' +
        '  3. muster trust      accept the SSH keys of the hosts\n' +
        '  4. muster check      look for problems on the hosts\n' +
        '  5. muster plan       show what would change\n' +
        '  6. muster install    install, and verify every login\n',
    )
    expect(statSync(join(cwd, 'muster.yaml')).mode & 0o777).toBe(0o600)
    const { context, out } = commandContext({ cwd })
    expect(
      await validate({ context, files: [], set: [], format: 'text', strict: true, resolveSecrets: false }),
    ).toBe(0)
    expect(out()).toBe('The configuration of alpha is valid: 3 hosts, 9 APIs.\n')
  })

  it('contains only valid options, also in comments', async () => {
    const cwd = temporaryFolder()
    await run(cwd)
    const text = readFileSync(join(cwd, 'muster.yaml'), 'utf8')
    // Every line that is an option behind "# " is put to use.
    const used = text.replaceAll(/^( *)# (ssh|options|identity|(?!yaml-)[a-z]+-[a-z-]+): /gm, '$1$2: ')
    expect(used.split('\n').filter((line, index) => line !== text.split('\n')[index]).length).toBeGreaterThan(
      8,
    )
    const env = { KEYSTORE_PASS: 'one', TRUSTSTORE_PASS: 'two' }
    const { context, out } = commandContext({ cwd, typed: used, env })
    await validate({ context, files: ['-'], set: [], format: 'json', strict: true, resolveSecrets: false })
    const { findings } = JSON.parse(out()) as { findings: { code: string }[] }
    expect([...new Set(findings.map(({ code }) => code))].sort()).toEqual([
      'shared-keystore',
      'store-not-found',
    ])
  })

  it('writes the schema that the first line names, beside the file', async () => {
    const cwd = temporaryFolder()
    mkdirSync(join(cwd, 'sub'))
    const { out } = await run(cwd, 'sub/cluster.yaml')
    expect(out).toMatch(/^Wrote sub\/cluster\.yaml, and sub\/muster\.schema\.json for editors/)
    expect(out).toContain('  2. muster validate sub/cluster.yaml   check')
    const [first = ''] = readFileSync(join(cwd, 'sub/cluster.yaml'), 'utf8').split('\n')
    const [, named = ''] = /^# yaml-language-server: \$schema=(\S+)$/.exec(first) ?? []
    expect(readFileSync(join(cwd, 'sub', named), 'utf8')).toBe(schemaText())
  })

  it('updates an older schema, and keeps a file that is not a schema of muster', async () => {
    const cwd = temporaryFolder()
    const schema = join(cwd, 'muster.schema.json')
    writeFileSync(schema, `{ "$id": "${schemaId}" }`)
    expect((await run(cwd)).code).toBe(0)
    expect(readFileSync(schema, 'utf8')).toBe(schemaText())
    writeFileSync(schema, 'mine')
    const { code, out } = await run(cwd, 'other.yaml')
    expect(code).toBe(0)
    expect(out).toMatch(
      /^Wrote other\.yaml, but not the schema for editors: muster\.schema\.json already exists/,
    )
    expect(readFileSync(schema, 'utf8')).toBe('mine')
  })

  it('overwrites only with --force, and then atomically', async () => {
    const cwd = temporaryFolder()
    writeFileSync(join(cwd, 'muster.yaml'), 'mine', { mode: 0o644 })
    const refused = await run(cwd)
    expect(refused.code).toBe(3)
    expect(refused.err).toBe(
      'muster.yaml already exists and was not changed.\nTo overwrite it: muster init --force muster.yaml\n',
    )
    expect(readFileSync(join(cwd, 'muster.yaml'), 'utf8')).toBe('mine')
    expect((await run(cwd, 'muster.yaml', true)).code).toBe(0)
    expect(readFileSync(join(cwd, 'muster.yaml'), 'utf8')).toContain('cluster: alpha')
    expect(statSync(join(cwd, 'muster.yaml')).mode & 0o777).toBe(0o600)
    expect(readdirSync(cwd)).toEqual(['muster.schema.json', 'muster.yaml'])
  })

  it('reports why it cannot write, and leaves nothing', async () => {
    const cwd = temporaryFolder()
    expect((await run(cwd, 'no/muster.yaml')).err).toContain('its folder does not exist')
    expect((await run(cwd, '.', true)).err).toContain('is a directory')
    expect(readdirSync(cwd)).toEqual([])
  })
})
