import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { Interrupted } from '../../src/cli/interrupted.ts'
import { type SecretReading, secretReader } from '../../src/cli/secretReader.ts'
import type { SecretPolicy } from '../../src/secrets/policy.ts'
import type { SecretReference } from '../../src/secrets/reference.ts'
import { commandContext } from '../config/commandContext.ts'
import { asNobody } from '../support/asNobody.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'

const sentinel = `'"\\$#%:@ é`
const env = { PATH: process.env.PATH, HOME: '/home/ops', ADMIN_PASS: 'hunter2' }

/** A folder with a YAML file's references in it, read as `policy` lets them. */
function world(policy: SecretPolicy = 'all', timeout?: number) {
  const folder = temporaryFolder()
  const abort = new AbortController()
  const { context } = commandContext({ env, cwd: '/', signal: abort.signal })
  const read = secretReader(context, { policy, ...(timeout === undefined ? {} : { timeout }) })
  const at = { option: 'monitor-password', place: 'muster.yaml:4:3', directory: folder }
  const exec = (...command: [string, ...string[]]): SecretReference => ({ kind: 'exec', command, at })
  const sh = (script: string): SecretReference => exec('/bin/sh', '-c', script)
  const file = (written: string): SecretReference => ({
    kind: 'file',
    path: join(folder, written),
    written,
    at,
  })
  return { folder, abort, read, exec, sh, file }
}

const told = (reading: SecretReading): string =>
  'secret' in reading ? `read ${reading.secret.reveal()}` : reading.failure.reason

describe('a program that prints a secret', () => {
  it('gets its arguments unchanged, without a shell', async () => {
    const { read, exec } = world()
    expect(told(await read(exec('printf', '%s', '$(id) "; `x` $HOME *')))).toBe('read $(id) "; `x` $HOME *')
  })

  it('starts in the folder of the YAML file, also if the program is there itself', async () => {
    const { folder, read, exec } = world()
    writeFileSync(join(folder, 'get'), '#!/bin/sh\npwd\n', { mode: 0o755 })
    expect(told(await read(exec('./get')))).toBe(`read ${folder}`)
  })

  it('gets user and home in its environment, and no password', async () => {
    const { read, exec } = world()
    const seen = told(await read(exec('env')))
    expect(seen).toContain('HOME=/home/ops')
    expect(seen).not.toMatch(/ADMIN_PASS|hunter2/)
  })

  it('runs once for all its references', async () => {
    const { folder, read, sh } = world()
    const asked = Array.from({ length: 5 }, () => read(sh('echo run >> runs; echo secret')))
    expect((await Promise.all(asked)).map(told)).toEqual(Array(5).fill('read secret'))
    expect(readFileSync(join(folder, 'runs'), 'utf8')).toBe('run\n')
  })

  it('may write to standard error if it succeeds', async () => {
    const { read, sh } = world()
    expect(told(await read(sh('echo unlocked >&2; echo secret')))).toBe('read secret')
  })

  it('that fails is reported with its standard error, never with its output', async () => {
    const { read, sh } = world()
    const script = `printf '%s\\n' "$0"; printf 'got %s\\n' "$0" >&2; echo sealed >&2; exit 3`
    const reading = await read({ ...sh(''), command: ['/bin/sh', '-c', script, sentinel] } as SecretReference)
    expect(told(reading)).toBe('the program /bin/sh ended with code 3 and said: got [redacted] / sealed')
    expect(inspect(reading, { depth: 9, showHidden: true })).not.toMatch(/#%:@/)
  })

  it('that hangs is ended after its timeout, and reported with its last line', async () => {
    const { read, sh } = world('all', 1000)
    const script = `echo '#%:@'; echo 'waiting for #%:@' >&2; exec sleep 60`
    expect(told(await read(sh(script)))).toBe(
      'the program /bin/sh timed out after 1 s and said: waiting for [redacted]',
    )
  })

  it('that cannot be run is reported with the reason', async () => {
    const { folder, read, exec } = world()
    expect(told(await read(exec('muster-no-such-program')))).toBe(
      'the program muster-no-such-program cannot be run: there is no such program',
    )
    writeFileSync(join(folder, 'get'), '#!/bin/sh\n')
    expect(told(await read(exec('./get')))).toBe('the program ./get cannot be run: permission denied')
    expect(told(await read(exec('sh', '-c', 'kill -9 $$')))).toBe('the program sh was killed by SIGKILL')
    expect(told(await read(exec('head', '-c', '2000000', '/dev/zero')))).toMatch(
      /^the program head wrote more than 1048576 bytes/,
    )
  })

  it('ends with the command after Ctrl-C', async () => {
    const { abort, read, sh } = world()
    const reading = read(sh('exec sleep 60')).catch((error: unknown) => error)
    abort.abort()
    expect(await reading).toBeInstanceOf(Interrupted)
  })

  it('is not run for an untrusted file', async () => {
    const { folder, read, exec } = world('safe')
    expect(told(await read(exec('touch', 'pwned')))).toBe(
      'it comes from a program, and programs are not run here',
    )
    expect(existsSync(join(folder, 'pwned'))).toBe(false)
  })
})

describe('a file that contains a secret', () => {
  it('is read below the folder of the YAML file, through links that stay there', async () => {
    const { folder, read, file } = world('safe')
    mkdirSync(join(folder, 'deep'))
    writeFileSync(join(folder, 'deep', 'pw'), `${sentinel}\n`)
    symlinkSync('deep/pw', join(folder, 'link'))
    expect(told(await read(file('deep/pw')))).toBe(`read ${sentinel}`)
    expect(told(await read(file('link')))).toBe(`read ${sentinel}`)
  })

  it('is not read through a link to a place outside the folder', async () => {
    const { folder, read, file } = world('safe')
    const outside = temporaryFolder()
    writeFileSync(join(outside, 'pw'), sentinel)
    symlinkSync(join(outside, 'pw'), join(folder, 'link'))
    symlinkSync(outside, join(folder, 'way'))
    const out = 'is a link to a place outside the folder of the YAML file'
    expect(told(await read(file('link')))).toBe(`the file link ${out}`)
    expect(told(await read(file('way/pw')))).toBe(`the file way/pw ${out}`)
    expect(told(await read(file('../pw')))).toBe('../pw is outside the folder of the YAML file')
  })

  it('is read anywhere if the YAML file is trusted', async () => {
    const { folder, read, file } = world('all')
    const outside = temporaryFolder()
    writeFileSync(join(outside, 'pw'), sentinel)
    symlinkSync(join(outside, 'pw'), join(folder, 'link'))
    expect(told(await read(file('link')))).toBe(`read ${sentinel}`)
  })

  it('must be a regular file of at most 64 KiB; a pipe or device is not opened', async () => {
    const { folder, read, file } = world('safe')
    execFileSync('mkfifo', [join(folder, 'pipe')])
    mkdirSync(join(folder, 'folder'))
    writeFileSync(join(folder, 'large'), 'x'.repeat(64 * 1024 + 1))
    writeFileSync(join(folder, 'fits'), 'x'.repeat(64 * 1024))
    expect(told(await read(file('pipe')))).toBe('the file pipe is not a regular file')
    expect(told(await read(file('folder')))).toBe('the file folder is a folder')
    expect(told(await read(file('large')))).toBe('the file large is larger than 64 KiB')
    expect(told(await read(file('fits')))).toHaveLength('read '.length + 64 * 1024)
  })

  it.each(['safe', 'all'] as const)(
    'that cannot be read is reported with the reason (policy %s)',
    async (policy) => {
      const { folder, read, file } = world(policy)
      expect(told(await read(file('none')))).toBe('the file none does not exist')
      symlinkSync('loop', join(folder, 'loop'))
      expect(told(await read(file('loop')))).toBe(
        'the file loop cannot be read: it has too many levels of symbolic links',
      )
      writeFileSync(join(folder, 'closed'), 'x')
      chmodSync(folder, 0o755)
      chmodSync(join(folder, 'closed'), 0)
      expect(told(await asNobody(() => read(file('closed'))))).toBe(
        'the file closed cannot be read: permission denied',
      )
    },
  )
})

it('a secret that was read is redacted in later failures', async () => {
  const { folder, read, file, sh } = world()
  writeFileSync(join(folder, 'pw'), `${sentinel}\n`)
  await read(file('pw'))
  expect(told(await read(sh('cat pw >&2; exit 1')))).toBe(
    'the program /bin/sh ended with code 1 and said: [redacted]',
  )
})
