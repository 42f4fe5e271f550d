import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { muster } from '../../src/commands/muster.ts'
import { commandContext } from '../config/commandContext.ts'

describe('muster version', () => {
  let folder = ''
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'muster-version-'))
    const file = `cluster: alpha
defaults: { install-directory: ${folder}/never-installed }
services: { alpha: { topology: clustered, master: db1, members: [db1] } }
hosts: { db1: { connection: local } }
`
    writeFileSync(join(folder, 'local.yaml'), file)
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  const run = async (...argv: string[]) => {
    const { context, out, err } = commandContext({ cwd: folder, env: { ...process.env, HOME: folder } })
    return { code: await muster({ argv: ['version', ...argv], context }), out: out(), err: err() }
  }

  it('shows the program alone where there is no file, and with --client', async () => {
    const alone = { code: 0, out: 'muster 0.1.0\n', err: '' }
    expect(await run()).toEqual(alone)
    expect(await run('--client', 'local.yaml')).toEqual(alone)
    expect(JSON.parse((await run('--json')).out)).toEqual({ muster: '0.1.0', hosts: [] })
  })

  it('asks the hosts of the file', async () => {
    const { code, out, err } = await run('local.yaml')
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toBe('muster 0.1.0\n\nHOST  VERSION        RELEASE\ndb1   not installed\n')
    expect(JSON.parse((await run('local.yaml', '--json')).out)).toEqual({
      muster: '0.1.0',
      hosts: [{ host: 'db1', state: 'not-installed' }],
    })
  })

  it('reports a file that is named and does not exist', async () => {
    const { code, out, err } = await run('other.yaml')
    expect({ code, out }).toEqual({ code: 3, out: '' })
    expect(err).toContain('There is no file other.yaml.')
  })

  it.each(['--host', '--limit'])('takes %s, and lists the hosts where none matches', async (option) => {
    expect(await run('local.yaml', option, 'db[1-3]')).toMatchObject({ code: 0, err: '' })
    const { code, err } = await run('local.yaml', option, 'web*')
    expect(code).toBe(3)
    expect(err).toContain("error: no host in alpha matches 'web*'\n  fix: The file has db1;")
  })
})
