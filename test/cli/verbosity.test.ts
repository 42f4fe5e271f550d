import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { muster } from '../../src/commands/muster.ts'
import { commandContext } from '../config/commandContext.ts'

describe('--quiet and --verbose of muster', () => {
  let folder = ''
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'muster-verbosity-'))
    // A short password is a warning.
    const file = `cluster: alpha
defaults: { install-directory: ${folder}/never-installed, rest-api-admin-user: admin, rest-api-admin-pass: short }
services: { alpha: { topology: clustered, master: db1, members: [db1] } }
hosts: { db1: { connection: local } }
`
    writeFileSync(join(folder, 'muster.yaml'), file)
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  const run = async (...argv: string[]) => {
    const { context, out, err } = commandContext({ cwd: folder, env: { ...process.env, HOME: folder } })
    return { code: await muster({ argv, context }), out: out(), err: err() }
  }
  const result = { code: 0, out: 'muster 0.1.0\n\nHOST  VERSION        RELEASE\ndb1   not installed\n' }

  it('print findings that are no errors only without --quiet', async () => {
    const { err, ...normal } = await run('version')
    expect(normal).toEqual(result)
    expect(err).toContain('warning')
    for (const argv of [
      ['-q', 'version'],
      ['version', '-q'],
      ['version', '--quiet'],
    ]) {
      expect(await run(...argv)).toEqual({ ...result, err: '' })
    }
  })

  it('print errors with --quiet', async () => {
    const { code, err } = await run('version', '-q', 'nothing.yaml')
    expect(code).toBe(3)
    expect(err).toContain('There is no file nothing.yaml.')
  })

  it('print notes only without --quiet', async () => {
    const service = '[alpha]\ntopology=clustered\nmaster=db1\nmembers=db1\n'
    const ini = `${service}rest-api-admin-user=admin\nrest-api-admin-pass=secret-0815-and-more\n`
    writeFileSync(join(folder, 'tungsten.ini'), ini)
    const argv = ['import', 'tungsten.ini']
    const { context, err } = commandContext({ cwd: folder, env: { HOME: folder } })
    await muster({ argv, context })
    expect(err()).toContain('note: The output contains secrets')
    const quiet = commandContext({ cwd: folder, env: { HOME: folder } })
    expect(await muster({ argv: [...argv, '-q'], context: quiet.context })).toBe(0)
    expect(quiet.err()).not.toContain('note:')
  })

  it('print connections and round trips with --verbose, and nothing of their content', async () => {
    const { err, ...verbose } = await run('version', '-v')
    expect(verbose).toEqual(result)
    expect(err).toMatch(/^db1: connected \(\d\.\d\d s\)$/m)
    expect(err).toMatch(/^db1: script of \d+ bytes: exit code 0 \(\d\.\d\d s\)$/m)
    expect(err).not.toContain('/bin/sh')
  })

  it('contradict each other', async () => {
    expect(await run('version', '-q', '-v')).toEqual({
      code: 3,
      out: '',
      err: 'error: --quiet and --verbose contradict each other.\n  fix: Use one of them.\n',
    })
  })
})
