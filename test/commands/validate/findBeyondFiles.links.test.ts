import { execFileSync } from 'node:child_process'
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { exitCodes } from '../../../src/cli/exitCodes.ts'
import { temporaryFolder } from '../../support/temporaryFolder.ts'
import { validated } from './validated.ts'

const marker = 'AKIAIOSFODNN7EXAMPLE'

/** A checkout beside a file that is none of a pull request's business. */
function checkout(): { readonly folder: string; readonly outside: string } {
  const top = realpathSync(temporaryFolder())
  const folder = join(top, 'checkout')
  mkdirSync(folder)
  const outside = join(top, 'credentials')
  writeFileSync(outside, `[default]\naws_access_key_id = ${marker}\n`)
  return { folder, outside }
}

const withKeystore = (path: string): string => `cluster: alpha
defaults:
  rest-api-admin-user: admin
  java-tls-keystore-path: ${path}
  java-keystore-password: !env STORE_PASS
  java-truststore-path: ${path}
  java-truststore-password: !env STORE_PASS
services:
  alpha: { topology: clustered, master: db1, members: [db1] }
hosts:
  db1: { address: 10.0.0.11 }
`

describe('an untrusted file with links to other places', () => {
  it.each([
    [
      'the file itself',
      (folder: string, outside: string) => symlinkSync(outside, join(folder, 'muster.yaml')),
    ],
    [
      'a chain of links',
      (folder: string, outside: string) => {
        symlinkSync('second', join(folder, 'muster.yaml'))
        symlinkSync(outside, join(folder, 'second'))
      },
    ],
    [
      'the environment of the process',
      (folder: string) => symlinkSync('/proc/self/environ', join(folder, 'muster.yaml')),
    ],
  ])('is not read, and nothing of its target is shown: %s', async (_, plant) => {
    const { folder, outside } = checkout()
    plant(folder, outside)
    const { code, out, findings } = await validated(folder, { env: { STORE_PASS: 'the password' } })
    expect(code).toBe(exitCodes.usage)
    expect(findings.map(({ message }) => message)).toEqual([
      `muster.yaml cannot be read: it is a link to a place outside ${folder}.`,
    ])
    expect(out).not.toContain(marker)
    expect(out).not.toContain('aws_access_key_id')
  })

  it('is not read through a linked folder, nor if it is named from another folder', async () => {
    const { folder, outside } = checkout()
    symlinkSync('..', join(folder, 'clusters'))
    const inFolder = await validated(folder, { argv: ['clusters/credentials'] })
    expect(inFolder.findings.map(({ message }) => message)).toEqual([
      `clusters/credentials cannot be read: it is a link to a place outside ${folder}.`,
    ])
    symlinkSync(outside, join(folder, 'muster.yaml'))
    for (const cwd of ['/', temporaryFolder()]) {
      const { out, findings } = await validated(cwd, { argv: [join(folder, 'muster.yaml')] })
      expect(findings[0]?.message).toContain(`it is a link to a place outside ${folder}`)
      expect(out).not.toContain(marker)
    }
  })

  it('is not waited for if it is a pipe', async () => {
    const { folder } = checkout()
    execFileSync('mkfifo', [join(folder, 'muster.yaml')])
    expect((await validated(folder)).out).toContain('it is not a regular file')
  })

  it('is read within its folder, and anywhere with --resolve-secrets', async () => {
    const { folder, outside } = checkout()
    writeFileSync(join(folder, 'all.yaml'), 'cluster: alpha\n')
    mkdirSync(join(folder, 'sub'))
    symlinkSync('all.yaml', join(folder, 'same.yaml'))
    expect((await validated(folder, { argv: ['same.yaml'] })).out).not.toContain('cannot be read')
    symlinkSync(outside, join(folder, 'muster.yaml'))
    const trusted = await validated(folder, { argv: ['--resolve-secrets'] })
    expect(trusted.out).not.toContain('cannot be read')
    const named = await validated(join(folder, 'sub'), { argv: ['../all.yaml'] })
    expect(named.out).not.toContain('cannot be read')
  })
})

describe('the keystore of an untrusted file outside its folder', () => {
  it.each([
    ['is there', (outside: string) => outside],
    ['is not there', () => '/nonexistent/store.p12'],
  ])('is neither looked for nor read if it %s', async (_, path) => {
    const { folder, outside } = checkout()
    writeFileSync(join(folder, 'muster.yaml'), withKeystore(path(outside)))
    const { code, findings } = await validated(folder, { env: { STORE_PASS: 'the password' } })
    expect(findings.map(({ code: found, severity, message }) => [found, severity, message])).toEqual([
      [
        'secret-not-resolved',
        'note',
        'java-tls-keystore-path was not read: the keystore is outside the folder of the YAML file.',
      ],
      [
        'secret-not-resolved',
        'note',
        'java-truststore-path was not read: the truststore is outside the folder of the YAML file.',
      ],
    ])
    expect(code).toBe(exitCodes.ok)
  })

  it('is not read through a link, except with --resolve-secrets', async () => {
    const { folder, outside } = checkout()
    symlinkSync(outside, join(folder, 'store.p12'))
    writeFileSync(join(folder, 'muster.yaml'), withKeystore('store.p12'))
    const env = { STORE_PASS: 'the password' }
    const { findings } = await validated(folder, { env })
    expect(findings.map(({ message }) => message)).toEqual([
      'java-tls-keystore-path was not read: the keystore is a link to a place outside the folder of the YAML file.',
      'java-truststore-path was not read: the truststore is a link to a place outside the folder of the YAML file.',
    ])
    const trusted = await validated(folder, { env, argv: ['--resolve-secrets'] })
    expect(trusted.findings.map(({ code }) => code)).toContain('keystore-not-a-store')
  })
})
