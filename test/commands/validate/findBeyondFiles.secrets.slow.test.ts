import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { exitCodes } from '../../../src/cli/exitCodes.ts'
import { findingFormats } from '../../../src/cli/formatOption.ts'
import { muster } from '../../../src/commands/muster.ts'
import { commandContext } from '../../config/commandContext.ts'
import { temporaryFolder } from '../../support/temporaryFolder.ts'
import { places, validated } from './validated.ts'

const golden = (name: string): string =>
  fileURLToPath(new URL(`../../fixtures/validate/${name}.out`, import.meta.url))

const env = { PATH: process.env.PATH, HOME: '/nonexistent' }

/** A file of three hosts, each with its own password. */
const withPasswords = (...values: readonly [string, string, string]): string => `cluster: alpha
defaults:
  rest-api-admin-user: admin
services:
  alpha: { topology: clustered, master: db1, members: [db1, db2, db3] }
hosts:
  db1: { address: 10.0.0.11, options: { rest-api-admin-pass: ${values[0]} } }
  db2: { address: 10.0.0.12, options: { rest-api-admin-pass: ${values[1]} } }
  db3: { address: 10.0.0.13, options: { rest-api-admin-pass: ${values[2]} } }
`

function folderWith(text: string): string {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'muster.yaml'), text)
  return folder
}

const reasons = (findings: readonly { readonly message: string }[]): readonly string[] =>
  findings.map(({ message }) => message.replace('rest-api-admin-pass was not read: ', ''))

describe('muster validate of an untrusted pull request', () => {
  it('runs no program, reads nothing outside the folder, and reports both', async () => {
    const text = withPasswords('!exec [touch, pwned]', '!file /etc/passwd', '!file ../../secret')
    const folder = folderWith(text)
    const { code, out, findings } = await validated(folder, { env })
    expect(code).toBe(0)
    expect(existsSync(join(folder, 'pwned'))).toBe(false)
    expect(places(findings)).toEqual([7, 8, 9].map((line) => `${line}:68 secret-not-resolved`))
    await expect(out).toMatchFileSnapshot(golden('secrets'))
  })

  it('follows no link of a file or a folder to a place outside', async () => {
    const folder = folderWith(withPasswords('!file link', '!file way/pw', '!file ~/.pw'))
    const outside = temporaryFolder()
    writeFileSync(join(outside, 'pw'), 'admin')
    writeFileSync(join(outside, '.pw'), 'admin')
    symlinkSync(join(outside, 'pw'), join(folder, 'link'))
    symlinkSync(outside, join(folder, 'way'))
    const { code, findings } = await validated(folder, { env: { ...env, HOME: outside } })
    expect(code).toBe(0)
    expect(reasons(findings)).toEqual([
      'the file link is a link to a place outside the folder of the YAML file.',
      'the file way/pw is a link to a place outside the folder of the YAML file.',
      '~/.pw is outside the folder of the YAML file.',
    ])
    const trusted = await validated(folder, { env: { ...env, HOME: outside }, argv: ['--resolve-secrets'] })
    expect(trusted.code).toBe(1)
    expect(trusted.findings.map(({ code }) => code)).toEqual(Array(3).fill('default-password'))
  })
})

describe('a secret outside the YAML file', () => {
  it('is checked if it can be read, and never printed', async () => {
    const folder = folderWith(withPasswords('!env ADMIN_PASS', '!file deep/pw', '!file good'))
    mkdirSync(join(folder, 'deep'))
    writeFileSync(join(folder, 'deep', 'pw'), 'tungsten\n')
    writeFileSync(join(folder, 'good'), 'x8Jw-Rt2q_Lm0\n')
    const { code, findings, out } = await validated(folder, { env: { ...env, ADMIN_PASS: 'Admin' } })
    expect(code).toBe(1)
    expect(findings.map(({ line, code, message }) => `${line} ${code} ${message}`)).toEqual([
      '7 default-password rest-api-admin-pass is the user name itself.',
      '8 default-password rest-api-admin-pass is a well-known default password.',
    ])
    expect(out).not.toMatch(/tungsten|x8Jw/)
  })

  it('is a note if it is missing, since a CI job has no secrets, and an error with --resolve-secrets', async () => {
    const folder = folderWith(withPasswords('!env ADMIN_PASS', '!file none', '!file empty'))
    writeFileSync(join(folder, 'empty'), '')
    const { code, findings } = await validated(folder, { env })
    expect(code).toBe(0)
    expect(new Set(findings.map((one) => one.severity))).toEqual(new Set(['note']))
    expect(reasons(findings)).toEqual([
      'the environment variable ADMIN_PASS is not set.',
      'the file none does not exist.',
      'the file empty is empty.',
    ])
    expect(findings[0]?.fix).toContain('export ADMIN_PASS')
    const asked = await validated(folder, { env, argv: ['--resolve-secrets'] })
    expect(asked.code).toBe(1)
    expect(asked.findings.map((one) => `${one.severity} ${one.code}`)).toEqual(
      Array(3).fill('error secret-unreadable'),
    )
  })

  it('is reported as unread once for all hosts', async () => {
    const text = withPasswords('x', 'x', 'x')
      .replaceAll(/, options: .*$/gm, ' }')
      .replace('admin\n', 'admin\n  rest-api-admin-pass: !env ADMIN_PASS\n  monitor-password: !exec [pass]\n')
      .replace('  monitor', '  monitor-user: m\n  monitor')
    const { findings } = await validated(folderWith(text), { env })
    const notes = findings.filter(({ severity }) => severity === 'note')
    expect(notes.map(({ message }) => message)).toEqual([
      'rest-api-admin-pass was not read: the environment variable ADMIN_PASS is not set.',
      'monitor-password was not read: it comes from a program, and programs are not run here.',
    ])
  })

  it('is read from any place that the command line names', async () => {
    const folder = folderWith(withPasswords('!env A', '!env A', '!env A'))
    const outside = temporaryFolder()
    writeFileSync(join(outside, 'pw'), 'admin')
    const argv = ['--set', `rest-api-admin-pass=@${join(outside, 'pw')}`]
    const { findings } = await validated(folder, { env, argv })
    expect(findings.map(({ file, code }) => `${file} ${code}`)).toEqual(['--set default-password'])
  })
})

describe('muster validate --resolve-secrets', () => {
  it('runs programs, and reports a failed one with its last line', async () => {
    const folder = folderWith(
      withPasswords('!exec [./get, good]', '!exec [./get, bad]', '!exec [muster-no-such-program]'),
    )
    const script = '#!/bin/sh\nif [ "$1" = good ]; then echo x8Jw-Rt2q_Lm0; exit; fi\n'
    const rest = 'echo half; echo half >&2; echo "the vault is sealed" >&2; exit 2\n'
    writeFileSync(join(folder, 'get'), script + rest, { mode: 0o755 })
    const { code, out } = await validated(folder, { env, argv: ['--resolve-secrets'] })
    expect(code).toBe(1)
    await expect(out).toMatchFileSnapshot(golden('secrets-resolved'))
  })

  it('ends with 130 if it is stopped while a program runs', async () => {
    const abort = new AbortController()
    const folder = folderWith(withPasswords('!exec [./wait]', '!env A', '!env A'))
    const started = join(folder, 'started')
    execFileSync('mkfifo', [started])
    writeFileSync(join(folder, 'wait'), '#!/bin/sh\necho > started\nexec sleep 60\n', { mode: 0o755 })
    const { context, out } = commandContext({ cwd: folder, env, signal: abort.signal })
    const running = muster({ argv: ['validate', '--resolve-secrets'], context })
    await readFile(started)
    abort.abort()
    expect(await running).toBe(exitCodes.interrupted)
    expect(out()).toBe('')
  })
})

describe('a password checked by muster validate', () => {
  const sentinel = `Zq7'"\\$#%:@ éXw9`
  const piece = /Zq7|Xw9|#%:@|\$#%/

  const text = withPasswords('!env ADMIN_PASS', '!file pw', '!exec [./get]').replace(
    'admin\n',
    `admin\n  java-keystore-password: !exec [./fail]\n  monitor-user: m\n  monitor-password: !env ADMIN_PASS\n`,
  )

  it.each(findingFormats)('from another source is never printed as %s', async (format) => {
    const folder = folderWith(text)
    writeFileSync(join(folder, 'pw'), `${sentinel}\n`)
    const get = `#!/bin/sh\ncat pw\ncat pw >&2\n`
    writeFileSync(join(folder, 'get'), get, { mode: 0o755 })
    writeFileSync(join(folder, 'fail'), `${get}sed 's/^/got: /' pw >&2\nexit 1\n`, { mode: 0o755 })
    const own = { ...env, ADMIN_PASS: sentinel }
    for (const more of [[], ['--resolve-secrets'], ['--resolve-secrets', '--strict']]) {
      const { context, out, err } = commandContext({ cwd: folder, env: own })
      await muster({ argv: ['validate', '--format', format, ...more], context })
      expect(out().length).toBeGreaterThan(50)
      expect(out() + err()).not.toMatch(piece)
      if (more.length > 0) expect(out().replaceAll(/\s+/g, ' ')).toContain('ended with code 1 and said: ')
    }
  })

  it.each(findingFormats)('that is weak is never printed as %s', async (format) => {
    const folder = folderWith(text)
    const own = { ...env, ADMIN_PASS: 'Zq7Zq7' }
    const { context, out, err } = commandContext({ cwd: folder, env: own })
    expect(await muster({ argv: ['validate', '--format', format], context })).toBe(exitCodes.ok)
    expect(out()).toContain('fewer than 12 characters')
    expect(out() + err()).not.toMatch(piece)
  })
})
