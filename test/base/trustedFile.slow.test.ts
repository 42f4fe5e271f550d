import { execFileSync } from 'node:child_process'
import {
  chownSync,
  linkSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { noUsers } from '../../src/accounts/userFile.ts'
import { changeUserFile, readUserFile } from '../../src/accounts/userFileIo.ts'
import { withLock } from '../../src/accounts/userFileLock.ts'
import { readText, removeText, writeText } from '../../src/api/serverFiles.ts'
import { readTrusted } from '../../src/base/trustedFile.ts'
import { serverProgram } from '../support/serverProgram.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'

const secret = 'root:$y$secret'
const isRoot = process.geteuid?.() === 0

/** Puts something at a path that is no file of ours; the secret lies elsewhere. */
type Attack = (path: string, elsewhere: string) => unknown

const attacks: readonly (readonly [string, Attack, RegExp])[] = [
  ['a link', (path, elsewhere) => symlinkSync(elsewhere, path), /symbolic link/],
  ['a link to nothing', (path, elsewhere) => symlinkSync(`${elsewhere}.gone`, path), /symbolic link/],
  ['a FIFO', (path) => execFileSync('mkfifo', [path]), /not a regular file/],
  ['a folder', (path) => mkdirSync(path), /not a regular file/],
  [
    'a socket',
    async (path) => {
      const server = createServer()
      onTestFinished(() => void server.close())
      await new Promise<void>((resolve) => server.listen(path, resolve))
    },
    /not a regular file/,
  ],
  [
    'a sparse file of 4 TB',
    (path) => {
      writeFileSync(path, '')
      truncateSync(path, 4 * 2 ** 40)
    },
    /larger than/,
  ],
]

function attacked() {
  const folder = temporaryFolder()
  const elsewhere = join(folder, 'shadow')
  writeFileSync(elsewhere, `${secret}\n`, { mode: 0o600 })
  return { path: join(folder, 'users.json'), elsewhere }
}

async function messageOf(work: () => unknown): Promise<string> {
  try {
    await work()
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  throw new Error('it did not fail')
}

describe.each(attacks)('a trusted file replaced by %s', (_name, attack, why) => {
  it('is rejected as user file without quoting it', async () => {
    const { path, elsewhere } = attacked()
    await attack(path, elsewhere)
    const message = await messageOf(() => readUserFile(path))
    expect(message).toMatch(why)
    expect(message).not.toContain(secret)
  })

  it('is rejected as lock of the user file without quoting it', async () => {
    const { path, elsewhere } = attacked()
    await attack(`${path}.lock`, elsewhere)
    const message = await messageOf(() => changeUserFile(path, () => noUsers))
    expect(message).toMatch(/^cannot use the lock /)
    expect(message).toMatch(why)
    expect(message).not.toContain(secret)
  })

  it('is rejected as settings, and neither followed nor removed as pid file', async () => {
    const { path, elsewhere } = attacked()
    await attack(path, elsewhere)
    expect(await messageOf(() => readText(path, 'the settings'))).toMatch(why)
    removeText(path, `${secret}\n`)
    expect(await messageOf(() => readText(path, 'the settings'))).toMatch(why)
    expect(readFileSync(elsewhere, 'utf8')).toBe(`${secret}\n`)
  })
})

describe('a lock file of the user file', () => {
  it('with other content is rejected and never shown', async () => {
    const { path } = attacked()
    writeFileSync(`${path}.lock`, `${secret}\n`)
    const message = await messageOf(() => withLock({ path: `${path}.lock` }, async () => undefined))
    expect(message).toMatch(/it does not name the owner of the lock/)
    expect(message).not.toContain(secret)
  })
})

describe('a written file', () => {
  it('does not follow a link at its temporary path', () => {
    const { path, elsewhere } = attacked()
    symlinkSync(elsewhere, `${path}.new`)
    writeText(path, 'ours')
    expect([readFileSync(path, 'utf8'), readFileSync(elsewhere, 'utf8')]).toEqual(['ours', `${secret}\n`])
  })
})

describe.skipIf(!isRoot)('a process of root', () => {
  it('rejects a file whose owner is not the owner of its folder', () => {
    const { path } = attacked()
    writeFileSync(path, 'x')
    chownSync(path, 1234, 1234)
    expect(() => readTrusted(path, 10)).toThrow('it belongs to user id 1234, not to 0')
  })

  it('rejects a hard link to its own file in a folder of another user', () => {
    const { elsewhere } = attacked()
    const folder = temporaryFolder()
    chownSync(folder, 1234, 1234)
    const path = join(folder, 'users.json')
    linkSync(elsewhere, path)
    expect(() => readTrusted(path, 1000)).toThrow('it belongs to user id 0, not to 1234')
  })

  it('changes the user file with no more rights than the owner of its folder has', () => {
    const { elsewhere } = attacked()
    const folder = temporaryFolder()
    chownSync(folder, 1234, 1234)
    const path = join(folder, 'users.json')
    symlinkSync(elsewhere, path)
    const hash = '$scrypt$ln=4,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg$MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY'
    const put = () =>
      execFileSync(process.execPath, [serverProgram, 'put-user', '--file', path], {
        input: JSON.stringify({ user: 'a', hash }),
        encoding: 'utf8',
        stdio: 'pipe',
      })
    expect(put).toThrow(/symbolic link/)
    execFileSync('rm', [path])
    linkSync(elsewhere, path)
    expect(put).toThrow(/permission denied|EACCES/)
    execFileSync('rm', [path])
    linkSync(elsewhere, `${path}.lock`)
    expect(JSON.parse(put())).toEqual({ changed: true })
    expect(execFileSync('stat', ['-c', '%u', path], { encoding: 'utf8' })).toBe('1234\n')
    expect(readFileSync(elsewhere, 'utf8')).toBe(`${secret}\n`)
  })
})
