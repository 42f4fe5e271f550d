import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { StartError } from '../../../src/api/startError.ts'
import { dialServer, readPassword } from '../../../src/components/databases/dialServer.ts'
import { makeAuthority } from '../../support/clientCertificate.ts'
import { temporaryFolder } from '../../support/temporaryFolder.ts'

const option = 'replication-password'

function secrets(content: string): string {
  const file = join(temporaryFolder(), 'secrets.json')
  writeFileSync(file, content, { mode: 0o600 })
  return file
}

describe('readPassword', () => {
  it('reads the password of an option, whatever is in it', () => {
    const password = `it's "a\\b" é`
    const file = secrets(JSON.stringify({ 'monitor-password': 'other', [option]: password }))
    expect(readPassword({ file, option }).reveal()).toBe(password)
  })

  it.each([
    ['{"hidden', /^the secrets \/.* are not JSON; install again to write them anew$/],
    [
      '{"monitor-password":"hidden"}',
      /^the secrets \/.* hold no replication-password; set it and install again$/,
    ],
    ['{"replication-password":4711}', /hold no replication-password/],
    ['"hidden"', /hold no replication-password/],
    ['null', /hold no replication-password/],
  ])('says what is wrong with %s without quoting it', (content, message) => {
    const file = secrets(content)
    const read = () => readPassword({ file, option })
    expect(read).toThrow(StartError)
    expect(read).toThrow(message)
    expect(read).not.toThrow(/hidden|4711/)
  })

  it('takes no member that every object has for a password', () => {
    const file = secrets('{}')
    expect(() => readPassword({ file, option: 'toString' })).toThrow('hold no toString')
  })

  it('says that there is no such file', () => {
    expect(() => readPassword({ file: '/nowhere/secrets.json', option })).toThrow(
      'cannot read the secrets /nowhere/secrets.json: no such file or folder',
    )
  })
})

describe('a login at a database that has to prove itself', () => {
  const dialWith = (file: string, written = async () => {}) =>
    dialServer({
      server: { host: '127.0.0.1', port: 1 },
      user: 'muster',
      secret: { file: secrets(`{"${option}":"hidden"}`), option },
      purpose: 'replication',
      proof: { file, names: ['db1'] },
      written,
    })(AbortSignal.timeout(10_000))

  it.each([
    [
      'is not there',
      undefined,
      /^No database can prove itself: cannot read \/nowhere\/ca\.pem: no such file/,
    ],
    ['holds no certificate', 'hidden', /holds no certificates in PEM, or a broken one\. Correct data/],
    [
      'holds a broken one',
      '-----BEGIN CERTIFICATE-----\nhidden\n-----END CERTIFICATE-----\n',
      /holds no certificates in PEM, or a broken one/,
    ],
  ])('is refused, and never made, where the file of the authorities %s', async (_what, content, message) => {
    const file = content === undefined ? '/nowhere/ca.pem' : secrets(content)
    const error = await dialWith(file).catch((it: unknown) => it)
    expect(error).toMatchObject({ code: 'unproven', message: expect.stringMatching(message) })
    expect(String(error)).not.toContain('hidden')
  })

  it('reads the file of the authorities once more, which somebody may be writing over', async () => {
    const file = secrets('')
    const login = dialWith(file, async () => writeFileSync(file, makeAuthority().certificate))
    await expect(login).rejects.toMatchObject({ code: 'unreachable' })
  })

  it('is refused, and keeps nobody waiting, where a user of the database put a pipe or a flood in the place of that file', async () => {
    const pipe = join(temporaryFolder(), 'ca.pem')
    execFileSync('mkfifo', [pipe])
    for (const [file, reason] of [
      [pipe, 'it is not a regular file'],
      ['/dev/zero', 'it is not a regular file'],
      [secrets('x'.repeat(1024 * 1024 + 1)), 'it is larger than 1 MiB'],
    ] as const) {
      await expect(dialWith(file)).rejects.toMatchObject({
        code: 'unproven',
        message: expect.stringContaining(`cannot read ${file}: ${reason}`),
      })
    }
  })
})
