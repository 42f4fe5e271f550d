import { execFile } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sha256 } from '../../src/base/sha256.ts'
import { mustHold } from '../../src/deployment/mustHold.ts'

const run = promisify(execFile)
const content = Buffer.from('what was sent')

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-hold-'))
  await writeFile(join(folder, "a file's name"), content)
})

afterEach(() => rm(folder, { recursive: true, force: true }))

/** Runs it in the folder with the programs of these paths alone. */
async function judge(digest: string, path = process.env.PATH): Promise<string> {
  const script = `set -e\n${mustHold("a file's name", digest, 'the program')}\necho held`
  return run('/bin/sh', ['-c', script], { cwd: folder, env: { PATH: path } }).then(
    ({ stdout }) => stdout,
    ({ code, stderr }: { code: number; stderr: string }) => `${code} ${stderr}`,
  )
}

/** A folder with nothing but what coreutils have for it, or with an OpenSSL that does not work, too. */
async function only(openssl?: string): Promise<string> {
  const programs = join(folder, 'bin')
  await run('mkdir', [programs])
  const { stdout } = await run('sh', ['-c', 'command -v sha256sum'])
  await symlink(stdout.trim(), join(programs, 'sha256sum'))
  if (openssl !== undefined) await writeFile(join(programs, 'openssl'), openssl, { mode: 0o755 })
  return programs
}

describe('a file that was sent', () => {
  it('holds what was sent, and is refused otherwise', async () => {
    expect(await judge(sha256(content))).toBe('held\n')
    expect(await judge(sha256(Buffer.from('another')))).toBe('1 the program arrived damaged\n')
  })

  it.each([
    ['where there is no OpenSSL', undefined],
    ['where OpenSSL does not work', '#!/bin/sh\necho no such library >&2\nexit 1\n'],
  ])('is judged %s', async (_, openssl) => {
    const programs = await only(openssl)
    expect(await judge(sha256(content), programs)).toBe('held\n')
    expect(await judge(sha256(Buffer.from('another')), programs)).toBe('1 the program arrived damaged\n')
  })
})
