import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sha256 } from '../../src/base/sha256.ts'
import { verifyChecksum } from '../../src/deployment/verifyChecksum.ts'

const run = promisify(execFile)
const content = Buffer.from('what was sent')

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-hold-'))
  await writeFile(join(folder, "a file's name"), content)
})

afterEach(() => rm(folder, { recursive: true, force: true }))

/** Runs it in the folder with nothing but what coreutils have for it. */
async function judge(digest: string): Promise<string> {
  const script = `set -e\n${verifyChecksum("a file's name", digest, 'the program')}\necho held`
  return run('/bin/sh', ['-c', script], { cwd: folder, env: { PATH: join(folder, 'bin') } }).then(
    ({ stdout }) => stdout,
    ({ code, stderr }: { code: number; stderr: string }) => `${code} ${stderr}`,
  )
}

describe('verifyChecksum', () => {
  it('accepts the sent bytes and rejects others', async () => {
    const { stdout } = await run('sh', ['-c', 'command -v sha256sum'])
    await mkdir(join(folder, 'bin'))
    await symlink(stdout.trim(), join(folder, 'bin', 'sha256sum'))
    expect(await judge(sha256(content))).toBe('held\n')
    expect(await judge(sha256(Buffer.from('another')))).toBe('1 the checksum of the program does not match\n')
  })
})
