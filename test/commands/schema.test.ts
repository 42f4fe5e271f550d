import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { editorInstructions, schema } from '../../src/commands/schema.ts'
import { schemaText } from '../../src/config/reference/schema.ts'
import { commandContext } from '../config/commandContext.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'

async function run(cwd: string, out?: string) {
  const { context, out: printed, err } = commandContext({ cwd })
  return { code: await schema({ context, out }), out: printed(), err: err() }
}

describe('muster schema', () => {
  it('prints the schema and nothing else', async () => {
    const printed = { code: 0, out: schemaText(), err: '' }
    expect(await run('/nowhere')).toEqual(printed)
    expect(await run('/nowhere', '-')).toEqual(printed)
  })

  it('writes a file that everybody can read, and explains how an editor finds it', async () => {
    const cwd = temporaryFolder()
    const result = await run(cwd, 'muster.schema.json')
    expect(result).toMatchObject({ code: 0, err: '' })
    expect(result.out).toMatch(/^Wrote muster\.schema\.json\.\n/)
    expect(result.out).toContain('\n  # yaml-language-server: $schema=./muster.schema.json\n')
    const file = join(cwd, 'muster.schema.json')
    expect(readFileSync(file, 'utf8')).toBe(schemaText())
    expect(statSync(file).mode & 0o777).toBe(0o666 & ~process.umask())
  })

  it.each([
    ['sub/x.json', './sub/x.json'],
    ['./x.json', './x.json'],
    ['../x.json', '../x.json'],
    ['/etc/x.json', '/etc/x.json'],
  ])('refers an editor to %s as %s', (out, told) => {
    expect(editorInstructions(out)).toContain(`$schema=${told}\n`)
  })

  it('replaces the schema of an earlier version atomically', async () => {
    const cwd = temporaryFolder()
    const file = join(cwd, 'muster.schema.json')
    writeFileSync(file, schemaText().replace('"description"', '"$comment"'))
    expect((await run(cwd, 'muster.schema.json')).code).toBe(0)
    expect(readFileSync(file, 'utf8')).toBe(schemaText())
    expect(readdirSync(cwd)).toEqual(['muster.schema.json'])
  })

  it('never replaces another file', async () => {
    const cwd = temporaryFolder()
    writeFileSync(join(cwd, 'muster.yaml'), 'cluster: mine\n')
    await expect(run(cwd, 'muster.yaml')).rejects.toMatchObject({
      name: 'UsageError',
      message: 'muster.yaml already exists and is not a schema of muster; it was not changed.',
      fix: 'Name another file, such as muster.schema.json.',
    })
    expect(readFileSync(join(cwd, 'muster.yaml'), 'utf8')).toBe('cluster: mine\n')
    expect(readdirSync(cwd)).toEqual(['muster.yaml'])
  })

  it('reports why it cannot write', async () => {
    const cwd = temporaryFolder()
    await expect(run(cwd, 'no/muster.schema.json')).rejects.toMatchObject({
      message: 'no/muster.schema.json cannot be written: its folder does not exist.',
    })
    await expect(run(cwd, '.')).rejects.toMatchObject({ message: expect.stringContaining('it is a folder') })
    expect(readdirSync(cwd)).toEqual([])
  })
})
